-- Full-text search over namespaces: the column `words`, kept by the trigger `keep_its_words`, and its index.
--
-- For a prefix query (`lexeme:*`), the GIN index collects every match before it considers the next word, which takes
-- 0.1 s for a common word among a million namespaces. Therefore every prefix is stored as a separate lexeme, and
-- queries combine exact lexemes only. `words` contains:
--
--     @isb      each sequence of one, two or three letters of the NID, with its position
--     ~stat     every prefix of each word of the NID, profile, registrant, purpose and references
--     =stat     every prefix of each word of the registrant
--     station   the stem of each of these words and of each word of the current registration
--     ^book, ^^book     every prefix, and the stem, of each word of the profile's title; with “$” of its resource, subjects
--                       and keywords; with “+” of its summary
--     #formal, #active, #with-grammar, #subject-law, #organisation-7   kind, status, whether the profile has a grammar, its
--                       subjects, and the organisation that controls it
--     !10:976 … !24:0       the id, shifted right by 10 to 24 bits: finds the newest rows first
--     %0:1037685 … %22:0    the day of the last change, shifted right by 0 to 22 bits: finds days from one on
--
-- Limits: 100,000 characters of a text fit into a tsvector (1 MB) in any script; 10,000 characters are indexed by
-- prefix; a word is indexed by its first 32 characters, the length of the longest NID.
--
-- The column `ranking` has the words by which results are ordered, with weights: A for NID and title, B for resource, subjects
-- and keywords, C for the summary, D for the organisation and the registrant. It is read for the results of a search only.

-- Returns the letters and digits of a text, in lower case and without accents, with a space between words.
CREATE FUNCTION namespaces_plain(text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT trim(regexp_replace(lower(unaccent('unaccent', left($1, 100000))), '[^[:alnum:]]+', ' ', 'g'))
$$;


-- Returns every prefix of each word of a plain text, from its first letter to the whole word.
CREATE FUNCTION namespaces_beginnings(mark text, plain text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT coalesce(array_agg(mark || left(word, long)), '{}')
    FROM unnest(string_to_array(left(plain, 10000), ' ')) AS word,
        generate_series(1, least(length(word), 32)) AS long
$$;

-- Returns the sequences of letters of a NID with their positions; at its end, longer sequences equal shorter ones.
CREATE FUNCTION namespaces_parts(nid text) RETURNS tsvector LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT string_agg(
        format('''@%s'':%s ''@%s'':%s ''@%s'':%s', left(rest, 1), start, left(rest, 2), start, left(rest, 3), start), ' '
    )::tsvector
    FROM generate_series(1, length(nid)) AS start, substr(nid, start) AS rest
$$;

-- Returns the lexeme of a group of numbers that differ only in their last bits, such as '!10:976' for 10 bits.
CREATE FUNCTION namespaces_lot(mark text, bits integer, number bigint) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT format('%s%s:%s', mark, bits, number >> bits)
$$;

-- Returns an instant in UTC as a text that sorts by time. A month, a day, and an instant compare as their beginnings.
CREATE FUNCTION namespaces_instant(timestamptz) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT to_char($1 AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')
$$;

-- Returns a day, or the first day of a month, as an ascending number; null if the text is not a date. Months have at
-- most 31 days, years fewer than 15 months.
CREATE FUNCTION namespaces_day(day text) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN day ~ '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?$' THEN
        (left(day, 4)::bigint << 9) + (substr(day, 6, 2)::bigint << 5) + coalesce(nullif(substr(day, 9), ''), '1')::bigint
    END
$$;

-- Returns every prefix of each word of a text after a mark, and the stem of each word after two of them.
CREATE FUNCTION namespaces_marked(mark text, content text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT namespaces_beginnings(mark, plain)
           || ARRAY(SELECT mark || mark || lexeme FROM unnest(to_tsvector('english', plain)))
    FROM namespaces_plain(coalesce(content, '')) AS plain
$$;

-- Returns what a profile says in single words.
CREATE FUNCTION namespaces_profile_terms(profile jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT concat_ws(' ', profile ->> 'resource', profile ->> 'keywords', profile ->> 'subjects')
$$;

-- Returns the texts of a profile that a search finds.
CREATE FUNCTION namespaces_profile_text(profile jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT concat_ws(
        ' ', profile ->> 'title', namespaces_profile_terms(profile), profile ->> 'organisation', profile ->> 'summary',
        jsonb_path_query_array(profile, '$.specifications[*].title'),
        jsonb_path_query_array(profile, '$.names.examples[*].description')
    )
$$;

-- Returns the words of a text and their stems, with a weight.
CREATE FUNCTION namespaces_weighed(weight "char", content text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT setweight(to_tsvector('simple', plain) || to_tsvector('english', plain), weight)
    FROM namespaces_plain(coalesce(content, '')) AS plain
$$;

CREATE FUNCTION namespaces_ranking(nid text, holder text, profile jsonb) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN profile IS NULL THEN namespaces_weighed('A', nid) || namespaces_weighed('D', holder) ELSE
        namespaces_weighed('A', concat_ws(' ', nid, profile ->> 'title'))
        || namespaces_weighed('B', namespaces_profile_terms(profile))
        || namespaces_weighed('C', profile ->> 'summary')
        || namespaces_weighed('D', concat_ws(' ', profile ->> 'organisation', holder))
    END
$$;

CREATE FUNCTION namespaces_words(
    id bigint, nid text, kind text, is_deprecated boolean, changed_at timestamptz, holder text, purpose text, cited jsonb,
    content text, has_grammar boolean, profile jsonb, organisation bigint
) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT namespaces_parts(nid)
           || array_to_tsvector(
               ARRAY['#' || kind, CASE WHEN is_deprecated THEN '#deprecated' ELSE '#active' END,
                     CASE WHEN has_grammar THEN '#with-grammar' ELSE '#without-grammar' END]
               || CASE WHEN organisation IS NULL THEN '{}' ELSE ARRAY['#organisation-' || organisation] END
               || ARRAY(SELECT '#subject-' || subject FROM jsonb_array_elements_text(profile -> 'subjects') AS subject)
               || ARRAY(SELECT namespaces_lot('!', bits, id) FROM generate_series(10, 24) AS bits)
               || ARRAY(SELECT namespaces_lot('%', bits, day) FROM generate_series(0, 22) AS bits WHERE day IS NOT NULL)
               || namespaces_beginnings('~', gist) || namespaces_beginnings('=', namespaces_plain(holder))
               || CASE WHEN profile IS NULL THEN '{}' ELSE
                   namespaces_marked('^', profile ->> 'title') || namespaces_marked('$', namespaces_profile_terms(profile))
                   || namespaces_marked('+', profile ->> 'summary')
               END
           )
           || strip(to_tsvector('english', gist || ' ' || namespaces_plain(coalesce(content, ''))))
    FROM namespaces_plain(
        concat_ws(' ', nid, namespaces_profile_text(profile), holder, purpose, jsonb_path_query_array(cited, '$[*].label'))
    ) AS gist, namespaces_day(left(namespaces_instant(changed_at), 10)) AS day
$$;

-- Returns the first ten words of a search in their order, with their stems. Stop words such as "of", which have none, are
-- returned only if there are no others.
CREATE FUNCTION namespaces_asked(asked text) RETURNS TABLE (word text, stem text)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    WITH words AS (
        SELECT word, (ts_lexize('english_stem', word))[1] AS stem, place FROM (
            SELECT left(word, 64) AS word, min(place) AS place
            FROM regexp_split_to_table(namespaces_plain(left(asked, 500)), ' ') WITH ORDINALITY AS one (word, place)
            WHERE word <> '' GROUP BY 1 ORDER BY 2 LIMIT 10
        ) AS first_ones
    )
    SELECT word, stem FROM words WHERE stem IS NOT NULL OR NOT EXISTS (SELECT FROM words WHERE stem IS NOT NULL)
    ORDER BY place
$$;

-- Returns a query for each word, which matches namespaces that have it: in their NIDs or in the texts with one of the
-- `marks` ("" for all texts); without words, a query that matches nothing. Stop words match in NIDs. A word in `subjects`
-- also matches namespaces with that subject.
CREATE FUNCTION namespaces_keys(asked text, marks text, subjects jsonb) RETURNS tsquery[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT coalesce(
        array_agg(concat_ws(' | ', in_nid, in_texts, in_marked, '''#subject-' || (subjects ->> word) || '''')::tsquery),
        ARRAY['''@'''::tsquery])
    FROM (
        SELECT word,
               CASE WHEN length(word) <= 3 THEN format('''@%s''', word)
                    WHEN length(word) > 32 THEN '''@'''  -- in no NID
                    ELSE '(' || (SELECT string_agg(format('''@%s''', substr(word, start, 3)), ' <-> ' ORDER BY start)
                                 FROM generate_series(1, length(word) - 2) AS start) || ')' END AS in_nid,
               CASE WHEN marks = '' AND stem IS NOT NULL
                    THEN format('''~%s'' | ''%s''', left(word, 32), stem) END AS in_texts,
               (SELECT string_agg(format('''%1$s%2$s'' | ''%1$s%1$s%3$s''', mark, left(word, 32), stem), ' | ')
                FROM string_to_table(marks, NULL) AS mark WHERE stem IS NOT NULL) AS in_marked
        FROM namespaces_asked(asked)
    ) AS words
$$;

-- Returns a query for each word, which matches namespaces whose registrant's name has a word that begins with it.
CREATE FUNCTION namespaces_registrant_keys(asked text) RETURNS tsquery[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT coalesce(array_agg(format('''=%s''', left(word, 32))::tsquery), ARRAY['''@'''::tsquery])
    FROM regexp_split_to_table(namespaces_plain(left(asked, 500)), ' ') AS word WHERE word <> ''
$$;

-- Returns a query that matches namespaces that changed on or after the day of an instant, or in or after a month: on that
-- day, on the following days up to the end of a group, and in increasingly large groups after it.
CREATE FUNCTION namespaces_since_key(since text) RETURNS tsquery LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT string_agg(format('''%s''', lot), ' | ')::tsquery FROM (
        SELECT namespaces_lot('%', 0, first) FROM namespaces_day(left(since, 10)) AS first
        UNION ALL
        SELECT namespaces_lot('%', bits, first + (1 << bits))
        FROM namespaces_day(left(since, 10)) AS first, generate_series(0, 22) AS bits WHERE (first >> bits) & 1 = 0
    ) AS lots (lot)
$$;

-- Returns the SQL with which `namespaces_found` finds up to `most` namespaces that match each of `keys` and changed since an
-- instant ('' for any). The keys are
-- separate conditions: in one combined key, the index would read all new or changed rows before it considers a word.
CREATE FUNCTION namespaces_found_query(keys tsquery[], most integer, since text DEFAULT '') RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT 'SELECT one.id FROM namespaces_namespace AS one WHERE '
        || string_agg(format('one.words @@ %L', key), ' AND ')
        || CASE since WHEN '' THEN '' ELSE format(' AND one.changed >= %L', since) END || ' LIMIT ' || most
    FROM unnest(keys) AS key
$$;

-- Returns up to `most` namespaces that have the words (see `namespaces_keys`), by kind, status, grammar ('with' or 'without'), subject,
-- registrant, organisation and instant of change ('' for any): all matches or, if there are more, some of the newest. The
-- search begins with the newest thousand and is extended as needed, so its cost depends on the number of results, not on the
-- size of the registry.
CREATE FUNCTION namespaces_found(
    asked text, marks text, subjects jsonb, kind text, status text, grammar text, subject text, registrant text,
    organisation text, since text, most integer
) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE STRICT
SET enable_seqscan = off SET enable_indexscan = on SET enable_indexonlyscan = on SET jit = off
AS $$
DECLARE
    newest CONSTANT bigint := (SELECT coalesce(max(one.id), 0) FROM namespaces_namespace AS one);
    keys CONSTANT tsquery[] := CASE asked WHEN '' THEN '{}' ELSE namespaces_keys(asked, marks, subjects) END
        || CASE kind WHEN '' THEN '{}' ELSE ARRAY[format('''#%s''', kind)::tsquery] END
        || CASE status WHEN '' THEN '{}' ELSE ARRAY[format('''#%s''', status)::tsquery] END
        || CASE grammar WHEN '' THEN '{}' ELSE ARRAY[format('''#%s-grammar''', grammar)::tsquery] END
        || CASE subject WHEN '' THEN '{}' ELSE ARRAY[format('''#subject-%s''', subject)::tsquery] END
        || CASE registrant WHEN '' THEN '{}' ELSE namespaces_registrant_keys(registrant) END
        || CASE organisation WHEN '' THEN '{}' ELSE ARRAY[format('''#organisation-%s''', organisation)::tsquery] END
        || CASE since WHEN '' THEN '{}' ELSE ARRAY[namespaces_since_key(since)] END;
    bits integer := 10;
    is_last boolean := 1 << bits >= newest;
    newest_lots tsquery[];
    found bigint[];
BEGIN
    PERFORM set_config('enable_indexscan', 'off', true), set_config('enable_indexonlyscan', 'off', true);
    LOOP
        newest_lots := CASE WHEN is_last THEN '{}' ELSE ARRAY[format('''%s'' | ''%s''',
            namespaces_lot('!', bits, newest), namespaces_lot('!', bits, newest - (1 << bits)))::tsquery] END;
        -- The index takes the first key first, and need not read the words of other rows.
        EXECUTE format('SELECT ARRAY(%s)', namespaces_found_query(newest_lots || keys, most * 5, since)) INTO found;
        EXIT WHEN is_last OR cardinality(found) >= most;
        bits := least(bits + ceil(log(2, most * 1.3 / greatest(cardinality(found), 1))), 24);
        -- From a quarter on, all rows take no longer.
        is_last := bits = 24 OR 1 << bits > newest / 4;
    END LOOP;
    RETURN QUERY SELECT each FROM unnest(found) AS each ORDER BY each DESC LIMIT most;
END
$$;

ALTER TABLE namespaces_namespace ADD COLUMN words tsvector, ADD COLUMN ranking tsvector;
ALTER TABLE namespaces_namespace ALTER COLUMN words SET STATISTICS 0, ALTER COLUMN ranking SET STATISTICS 0;

CREATE INDEX namespaces_by_words ON namespaces_namespace USING gin (words) WITH (gin_pending_list_limit = 128);
