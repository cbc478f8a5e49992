-- The stored response to a lookup (`CachedLookup`).

-- Read a thousand times as often as written: kept uncompressed, and most of them in the row itself.
ALTER TABLE namespaces_cachedlookup SET (toast_tuple_target = 8160), ALTER body SET STORAGE EXTERNAL;

CREATE FUNCTION namespaces_json(words text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(to_json(nullif(words, ''))::text, 'null')
$$;

CREATE FUNCTION namespaces_json(moment timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT '"' || to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS')
        || CASE WHEN date_trunc('second', moment) = moment THEN ''
                ELSE to_char(moment AT TIME ZONE 'UTC', '.US') END
        || 'Z"'
$$;

CREATE FUNCTION namespaces_compact_json(value jsonb) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN CASE jsonb_typeof(value)
        WHEN 'array' THEN '[' || coalesce((
            SELECT string_agg(namespaces_compact_json(each), ',' ORDER BY place)
            FROM jsonb_array_elements(value) WITH ORDINALITY AS _ (each, place)
        ), '') || ']'
        WHEN 'object' THEN '{' || coalesce((
            SELECT string_agg(to_json(key)::text || ':' || namespaces_compact_json(each), ',' ORDER BY place)
            FROM jsonb_each(value) WITH ORDINALITY AS _ (key, each, place)
        ), '') || '}'
        ELSE value::text
    END;
END
$$;

CREATE FUNCTION namespaces_sections_of(content jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT '{' || string_agg(to_json(key)::text || ':' || CASE key
        WHEN 'version' THEN coalesce(content ->> key, 'null')
        WHEN 'registrant' THEN (
            SELECT '{' || string_agg(to_json(part)::text || ':' || CASE part
                WHEN 'fast_track' THEN coalesce(content -> key ->> part, 'false')
                ELSE to_json(coalesce(content -> key ->> part, ''))::text
            END, ',' ORDER BY place) || '}'
            FROM unnest(ARRAY[
                'organization', 'address', 'contact_person', 'email', 'phone', 'postal_address', 'fast_track',
                'other'
            ]) WITH ORDINALITY AS _ (part, place)
        )
        ELSE to_json(coalesce(content ->> key, ''))::text
    END, ',' ORDER BY place) || '}'
    FROM unnest(ARRAY[
        'namespace_identifier', 'version', 'date', 'registrant', 'purpose', 'syntax', 'assignment',
        'security_and_privacy', 'interoperability', 'resolution', 'documentation', 'additional_information',
        'revision_information'
    ]) WITH ORDINALITY AS _ (key, place)
$$;

CREATE OR REPLACE FUNCTION namespaces_body_of(n namespaces_namespace) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    namespaces CONSTANT text := E'"\x01/api/v1/namespaces/';
    here CONSTANT text := namespaces || n.nid || '/';
    latest_version integer := 1;
    sections text := 'null';
    versions text;
    successor text := 'null';
    rules text := 'null';
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
        || ',"rules":' || rules
        || ',"links":{"self":' || here || '"'
        || ',"html":' || E'"\x01/namespaces/' || n.nid || '/"'
        || ',"versions":' || here || 'versions/"'
        || ',"template":' || CASE WHEN n.latest_id IS NULL THEN 'null' ELSE here || 'template.txt"' END
        || '}}',
        E'\u2028', '\u2028'), E'\u2029', '\u2029');
END
$$;

CREATE FUNCTION namespaces_hold(ids bigint[]) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    PERFORM FROM namespaces_namespace WHERE id = ANY (ids) ORDER BY id FOR NO KEY UPDATE;
END
$$;

CREATE FUNCTION namespaces_renew_answers(ids bigint[]) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off AS $$
BEGIN
    INSERT INTO namespaces_cachedlookup AS known (namespace_id, nid, body, digest, last_modified)
    SELECT
        id, nid, body, left(encode(sha256(convert_to(body, 'UTF8')), 'hex'), 32),
        to_char(changed_at AT TIME ZONE 'UTC', 'Dy, DD Mon YYYY HH24:MI:SS "GMT"')
    FROM (
        SELECT id, nid, changed_at, namespaces_body_of(each) AS body
        FROM namespaces_namespace AS each WHERE id = ANY (ids) OFFSET 0
    ) AS made
    ON CONFLICT (namespace_id) DO UPDATE
    SET body = EXCLUDED.body, digest = EXCLUDED.digest, last_modified = EXCLUDED.last_modified
    WHERE (known.digest, known.last_modified) IS DISTINCT FROM (EXCLUDED.digest, EXCLUDED.last_modified);
END
$$;

-- PostgreSQL puts a space behind each colon and comma. Strings are passed over whole, with what is in them.
CREATE OR REPLACE FUNCTION namespaces_compact_json(value jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT regexp_replace(value::text, '("(?:[^"\\]|\\.)*")|([:,]) ', '\1\2', 'g')
$$;

-- As stable as what they call: so they are part of whoever calls them, and not called.
ALTER FUNCTION namespaces_json(text) STABLE;
ALTER FUNCTION namespaces_sections_of(jsonb) STABLE;
