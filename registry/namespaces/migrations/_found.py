"""The function that searches, as 0011 makes it and as 0013 does, which asks for rules too.

Both have run already: whoever changes the function writes it anew, in a migration of their own.
"""

FUNCTION = """
-- Up to `most` namespaces that have the words, of a kind, a status, a registrant, changed since a day ('' for any):
-- all of them, or if there are more, some of the newest. The newest thousand are asked first, and if too few of them
-- have the words, as many as promise enough: so what is read grows with what is taken, not with the registry.
CREATE FUNCTION namespaces_found(
    asked text, in_nids boolean, kind text, status text, RULED_TAKEN registrant text, since text, most integer
) RETURNS TABLE (id bigint, nid text, registered_on text, updated_on text)
LANGUAGE plpgsql STABLE STRICT
SET enable_seqscan = off SET enable_indexscan = on SET enable_indexonlyscan = on SET jit = off
AS $$
DECLARE
    newest CONSTANT bigint := (SELECT max(one.id) FROM namespaces_namespace AS one);
    keys CONSTANT tsquery[] := CASE asked WHEN '' THEN '{}' ELSE namespaces_keys(asked, in_nids) END
        || CASE kind WHEN '' THEN '{}' ELSE ARRAY[format('''#%s''', kind)::tsquery] END
        || CASE status WHEN '' THEN '{}' ELSE ARRAY[format('''#%s''', status)::tsquery] END
RULED_ASKED
        || CASE registrant WHEN '' THEN '{}' ELSE namespaces_registrant_keys(registrant) END
        || CASE since WHEN '' THEN '{}' ELSE ARRAY[namespaces_since_key(since)] END;
    bits integer := 10;
    is_last boolean;
    newest_lots tsquery[];
    found bigint[];
BEGIN
    PERFORM set_config('enable_indexscan', 'off', true), set_config('enable_indexonlyscan', 'off', true);
    LOOP
        is_last := bits > 24 OR 1 << bits >= newest;
        newest_lots := CASE WHEN is_last THEN '{}' ELSE ARRAY[format('''%s'' | ''%s''',
            namespaces_lot('!', bits, newest), namespaces_lot('!', bits, newest - (1 << bits)))::tsquery] END;
        EXECUTE format('SELECT ARRAY(%s)', namespaces_found_query(
            keys || newest_lots, CASE WHEN is_last THEN most ELSE most * 5 END
        )) INTO found;
        EXIT WHEN is_last OR cardinality(found) >= most;
        bits := bits + ceil(log(2, most * 1.3 / greatest(cardinality(found), 1)));
    END LOOP;
    RETURN QUERY SELECT one.id, one.nid::text, one.registered_on::text, one.updated_on::text
        FROM namespaces_namespace AS one
        WHERE one.id = ANY (ARRAY(SELECT each FROM unnest(found) AS each ORDER BY each DESC LIMIT most));
END
$$;
"""

RULED = {
    "RULED_TAKEN ": "ruled text, ",
    "RULED_ASKED\n": """\
        || CASE ruled WHEN '' THEN '{}' ELSE ARRAY[format('''#%s-rules''', ruled)::tsquery] END
""",
}


def found(*, by_rules: bool) -> str:
    function = FUNCTION
    for place, sql in RULED.items():
        function = function.replace(place, sql if by_rules else "")
    return function
