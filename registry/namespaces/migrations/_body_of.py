"""The function that writes the answer to a lookup, as 0006 makes it and as 0010 does, which adds the rules.

Both have run already: whoever changes the function writes it anew, in a migration of their own.
"""

FUNCTION = r"""
CREATE OR REPLACE FUNCTION namespaces_body_of(n namespaces_namespace) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    namespaces CONSTANT text := E'"\x01/api/v1/namespaces/';
    here CONSTANT text := namespaces || n.nid || '/';
    latest_version integer := 1;
    sections text := 'null';
    versions text;
    successor text := 'null';
RULES_DECLARED
BEGIN
    IF n.latest_id IS NOT NULL THEN
        -- A copy may hold the namespace before its text, which has the answer made anew when it comes.
        SELECT version, namespaces_sections_of(content) INTO latest_version, sections
        FROM namespaces_revision WHERE id = n.latest_id;
        latest_version := coalesce(latest_version, 1);
        sections := coalesce(sections, 'null');
    END IF;
    SELECT string_agg(
        '{"version":' || version
        || ',"url":' || here || 'versions/' || version || '/"'
        || ',"template":' || here || 'versions/' || version || '/template.txt"}',
        ',' ORDER BY version
    ) INTO versions FROM namespaces_revision WHERE namespace_id = n.id;
    IF n.successor_id IS NOT NULL THEN
        SELECT '{"nid":' || namespaces_json(nid) || ',"url":' || namespaces || nid || '/"}'
        INTO STRICT successor FROM namespaces_namespace WHERE id = n.successor_id;
    END IF;
RULES_FOUND
    RETURN replace(replace(
        '{"nid":' || namespaces_json(n.nid)
        || ',"kind":' || namespaces_json(n.kind)
        || ',"number":' || coalesce(n.number::text, 'null')
        || ',"status":' || CASE WHEN n.deprecated_at IS NULL THEN '"active"' ELSE '"deprecated"' END
        || ',"origin":' || namespaces_json(n.origin)
        || ',"version":' || latest_version
        || ',"registered_on":' || namespaces_json(n.registered_on)
        || ',"updated_on":' || namespaces_json(n.updated_on)
        || ',"registrant":' || namespaces_json(n.holder)
        || ',"purpose":' || namespaces_json(n.purpose)
        || ',"references":' || namespaces_compact_json(n."references")
        || ',"template_url":' || namespaces_json(n.template_url)
        || ',"sections":' || sections
        || ',"versions":[' || coalesce(versions, '')
        || '],"deprecation":' || CASE WHEN n.deprecated_at IS NULL THEN 'null' ELSE
            '{"deprecated_at":' || namespaces_json(n.deprecated_at)
            || ',"statement":' || to_json(n.deprecation_statement)::text
            || ',"successor":' || successor || '}'
        END
RULES_SAID
        || ',"links":{"self":' || here || '"'
        || ',"html":' || E'"\x01/namespaces/' || n.nid || '/"'
        || ',"versions":' || here || 'versions/"'
        || ',"template":' || CASE WHEN n.latest_id IS NULL THEN 'null' ELSE here || 'template.txt"' END
        || '}}',
        E'\u2028', '\u2028'), E'\u2029', '\u2029');
END
$$;
"""

RULES = {
    "RULES_DECLARED\n": """\
    rules text := 'null';
""",
    "RULES_FOUND\n": """\
    IF n.rules_id IS NOT NULL THEN
        SELECT '{"version":' || version
            || ',"nss_pattern":' || namespaces_json(nss_pattern)
            || ',"ignores_case":' || ignores_case::text
            || ',"ignored_characters":' || to_json(ignored_characters)::text
            || ',"basis":' || to_json(basis)::text
            || ',"set_at":' || namespaces_json(set_at) || '}'
        INTO rules FROM namespaces_rulesversion WHERE id = n.rules_id;
        -- A copy may hold the namespace before its rules, too.
        rules := coalesce(rules, 'null');
    END IF;
""",
    "RULES_SAID\n": """\
        || ',"rules":' || rules
""",
}


def body_of(*, with_rules: bool) -> str:
    function = FUNCTION
    for place, sql in RULES.items():
        function = function.replace(place, sql if with_rules else "")
    return function
