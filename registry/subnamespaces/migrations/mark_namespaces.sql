-- `Namespace.has_subnamespaces`. Restoring an escrow inserts a namespace with it, before its sub-namespaces.
CREATE OR REPLACE FUNCTION subnamespaces_mark_namespaces() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE namespaces_namespace SET has_subnamespaces = TRUE
    WHERE NOT has_subnamespaces AND id IN (SELECT namespace_id FROM added);
    RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER mark_namespaces AFTER INSERT ON subnamespaces_subnamespace
REFERENCING NEW TABLE AS added EXECUTE FUNCTION subnamespaces_mark_namespaces();

CREATE OR REPLACE FUNCTION subnamespaces_check_mark() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.has_subnamespaces IS DISTINCT FROM
        EXISTS (SELECT FROM subnamespaces_subnamespace WHERE namespace_id = NEW.id)
    THEN
        RAISE EXCEPTION '% refused: whether % have sub-namespaces follows from their lists', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE OR REPLACE TRIGGER mark_follows_subnamespaces BEFORE UPDATE OF has_subnamespaces ON namespaces_namespace FOR EACH ROW
WHEN (OLD.has_subnamespaces IS DISTINCT FROM NEW.has_subnamespaces) EXECUTE FUNCTION subnamespaces_check_mark();
ALTER TABLE namespaces_namespace ENABLE ALWAYS TRIGGER mark_follows_subnamespaces;

-- What was imported before the column was there.
UPDATE namespaces_namespace SET has_subnamespaces = TRUE
WHERE NOT has_subnamespaces AND id IN (SELECT namespace_id FROM subnamespaces_subnamespace);
