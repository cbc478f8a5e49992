-- `Namespace.rules` follows the latest version of the rules, unless that version is empty. The namespace rows are
-- locked first, so that of two concurrent versions the later one is seen. Sequential scans are off as in `lookup.sql`.
CREATE FUNCTION namespaces_follow_rules(ids bigint[]) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    PERFORM namespaces_lock(ids);
    UPDATE namespaces_namespace AS n SET rules_id = last.id
    FROM (
        SELECT DISTINCT ON (namespace_id) namespace_id,
            CASE WHEN nss_pattern <> '' OR ignores_case OR ignored_characters <> '' THEN id END AS id
        FROM namespaces_rulesversion WHERE namespace_id = ANY (ids)
        ORDER BY namespace_id, version DESC
    ) AS last
    WHERE n.id = last.namespace_id;
END
$$;
