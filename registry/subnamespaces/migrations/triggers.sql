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

CALL renew_change_token('subnamespaces_subnamespace', 'INSERT OR UPDATE');
CALL renew_change_token('subnamespaces_listversion', 'INSERT');
