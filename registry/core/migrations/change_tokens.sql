-- `ChangeToken`: tells in one read whether anything that public pages show has changed.
--
-- A change replaces the token of a row that no other transaction is using, or adds a row, and keeps its lock until the
-- commit. So no change waits for another, the change and its token become visible at the same moment, and the table has as
-- many rows as changes were ever made at the same time. Tokens are random: no state of the table occurs twice.

CREATE FUNCTION core_renew_change_token() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    free CONSTANT bigint := (SELECT id FROM core_changetoken ORDER BY id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED);
BEGIN
    IF free IS NULL THEN
        INSERT INTO core_changetoken (token, changed_at) VALUES (gen_random_uuid(), clock_timestamp());
    ELSE
        UPDATE core_changetoken SET token = gen_random_uuid(), changed_at = clock_timestamp() WHERE id = free;
    END IF;
    RETURN NULL;
END
$$;

-- For tables that public pages read. `statements` are as in CREATE TRIGGER. With `condition`, only rows for which it is true
-- count.
CREATE PROCEDURE renew_change_token(on_table regclass, statements text, condition text DEFAULT '')
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format(
        'CREATE TRIGGER changes_public_pages AFTER %s ON %s %s EXECUTE FUNCTION core_renew_change_token()',
        statements, on_table, CASE condition WHEN '' THEN '' ELSE format('FOR EACH ROW WHEN (%s)', condition) END
    );
    EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER changes_public_pages', on_table);
END
$$;
