-- `Namespace.profile` follows the latest version of the profile, unless that version has no content; `has_grammar` says
-- whether the profile states a grammar. The namespace rows are locked first, so that of two concurrent versions the later
-- one is seen. Sequential scans are off as in `lookup.sql`.
CREATE FUNCTION namespaces_follow_profiles(ids bigint[]) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    PERFORM namespaces_lock(ids);
    UPDATE namespaces_namespace AS n
    SET profile_id = last.id, has_grammar = coalesce(last.content -> 'names' ?| ARRAY['abnf', 'pattern'], false)
    FROM (
        SELECT DISTINCT ON (namespace_id) namespace_id, content, CASE WHEN content IS NOT NULL THEN id END AS id
        FROM namespaces_profileversion WHERE namespace_id = ANY (ids)
        ORDER BY namespace_id, version DESC
    ) AS last
    WHERE n.id = last.namespace_id;
END
$$;
