-- The stored responses of the fast lookup (`CachedLookup`). Only the two functions `namespaces_invalidate_lookups` and
-- `namespaces_store_lookup` may write them, which a trigger recognises by the setting `namespaces.writes_lookups`.
-- Sequential scans are off in all functions: a generic plan made while the tables were empty would otherwise scan them.

-- Rows are read far more often than written: the body is not compressed, and most bodies are kept in the row itself.
ALTER TABLE namespaces_cachedlookup SET (toast_tuple_target = 8160), ALTER body SET STORAGE EXTERNAL;

-- Locks namespaces in one order.
CREATE FUNCTION namespaces_lock(ids bigint[]) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    PERFORM FROM namespaces_namespace WHERE id = ANY (ids) ORDER BY id FOR NO KEY UPDATE;
END
$$;

-- Empties the lookups of namespaces that change, in the transaction that changes them and holds their locks. Other
-- transactions see the change and the empty lookup at the same moment: when this one commits.
CREATE FUNCTION namespaces_invalidate_lookups(ids bigint[]) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off AS $$
BEGIN
    PERFORM set_config('namespaces.writes_lookups', 'on', true);
    INSERT INTO namespaces_cachedlookup AS known (namespace_id, nid, generation)
    SELECT id, nid, 1 FROM namespaces_namespace WHERE id = ANY (ids)
    ON CONFLICT (namespace_id) DO UPDATE
    SET generation = known.generation + 1, release = NULL, body = NULL, last_modified = NULL;
    PERFORM set_config('namespaces.writes_lookups', 'off', true);
END
$$;

-- Stores a response that was made from the namespace as it was at a generation; returns whether it was stored. It is
-- not stored if the namespace has changed since, or if another transaction is just changing it or storing a response.
CREATE FUNCTION namespaces_store_lookup(
    of_namespace bigint, at_generation bigint, by_release text, new_body bytea, modified text
) RETURNS boolean LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    PERFORM FROM namespaces_cachedlookup
    WHERE namespace_id = of_namespace AND generation = at_generation FOR NO KEY UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM set_config('namespaces.writes_lookups', 'on', true);
    UPDATE namespaces_cachedlookup SET release = by_release, body = new_body, last_modified = modified
    WHERE namespace_id = of_namespace;
    PERFORM set_config('namespaces.writes_lookups', 'off', true);
    RETURN true;
END
$$;
