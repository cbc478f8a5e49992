CALL make_permanent('subnamespaces_subnamespace', 'subnamespace_is_permanent');
CALL make_immutable('subnamespaces_replacedsubnamespace', 'replaced_subnamespace_is_immutable');
CALL make_immutable('subnamespaces_listversion', 'list_version_is_immutable');

-- A sub-namespace stays one of its namespace, and a new content has a later version.
CREATE TRIGGER subnamespace_keeps_its_place BEFORE UPDATE ON subnamespaces_subnamespace FOR EACH ROW
WHEN (
    (OLD.namespace_id, OLD.content ->> 'prefix') IS DISTINCT FROM (NEW.namespace_id, NEW.content ->> 'prefix')
    OR OLD.content <> NEW.content AND OLD.version >= NEW.version
)
EXECUTE FUNCTION refuse_statement('keep their namespace and prefix, and a new content needs a new version');
ALTER TABLE subnamespaces_subnamespace ENABLE ALWAYS TRIGGER subnamespace_keeps_its_place;

CREATE FUNCTION subnamespaces_keep_replaced() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO subnamespaces_replacedsubnamespace (subnamespace_id, version, content)
    VALUES (OLD.id, OLD.version, OLD.content);
    RETURN NULL;
END
$$;
CREATE TRIGGER keep_replaced AFTER UPDATE ON subnamespaces_subnamespace FOR EACH ROW
WHEN (OLD.content <> NEW.content) EXECUTE FUNCTION subnamespaces_keep_replaced();
ALTER TABLE subnamespaces_subnamespace ENABLE ALWAYS TRIGGER keep_replaced;

-- `Namespace.has_subnamespaces`. Restoring an escrow inserts a namespace with it, before its sub-namespaces.
CREATE FUNCTION subnamespaces_mark_namespaces() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE namespaces_namespace SET has_subnamespaces = TRUE
    WHERE NOT has_subnamespaces AND id IN (SELECT namespace_id FROM added);
    RETURN NULL;
END
$$;
CREATE TRIGGER mark_namespaces AFTER INSERT ON subnamespaces_subnamespace
REFERENCING NEW TABLE AS added EXECUTE FUNCTION subnamespaces_mark_namespaces();

CREATE FUNCTION subnamespaces_check_mark() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER mark_follows_subnamespaces BEFORE UPDATE OF has_subnamespaces ON namespaces_namespace FOR EACH ROW
WHEN (OLD.has_subnamespaces IS DISTINCT FROM NEW.has_subnamespaces) EXECUTE FUNCTION subnamespaces_check_mark();
ALTER TABLE namespaces_namespace ENABLE ALWAYS TRIGGER mark_follows_subnamespaces;

CALL renew_change_token('subnamespaces_subnamespace', 'INSERT OR UPDATE');
CALL renew_change_token('subnamespaces_listversion', 'INSERT');
