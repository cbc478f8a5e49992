-- The stored responses of the fast lookup and entries of lists (`CachedLookup`). Only `namespaces_invalidate_lookups`,
-- `namespaces_store_lookup` and `namespaces_store_items` may write them, which a trigger recognises by the setting
-- `namespaces.writes_lookups`.
-- Sequential scans are off in all functions: a generic plan made while the tables were empty would otherwise scan them.

-- Rows are read far more often than written: the body is not compressed, and most bodies are kept in the row itself.
ALTER TABLE namespaces_cachedlookup SET (toast_tuple_target = 8160), ALTER body SET STORAGE EXTERNAL,
ALTER item SET STORAGE EXTERNAL;

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
    SET generation = known.generation + 1, release = NULL, body = NULL, last_modified = NULL, item_release = NULL, item = NULL;
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

-- Stores the entries of lists, each made from its namespace as it was at a generation. An entry is left out where
-- `namespaces_store_lookup` would not store a response.
CREATE FUNCTION namespaces_store_items(
    of_namespaces bigint[], at_generations bigint[], by_release text, new_items bytea[]
) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    PERFORM set_config('namespaces.writes_lookups', 'on', true);
    WITH made AS (
        SELECT lookup.namespace_id, given.item
        FROM unnest(of_namespaces, at_generations, new_items) AS given (namespace_id, generation, item)
        JOIN namespaces_cachedlookup AS lookup USING (namespace_id, generation)
        FOR NO KEY UPDATE OF lookup SKIP LOCKED
    )
    UPDATE namespaces_cachedlookup AS lookup SET item_release = by_release, item = made.item
    FROM made WHERE lookup.namespace_id = made.namespace_id;
    PERFORM set_config('namespaces.writes_lookups', 'off', true);
END
$$;
