-- As before `fields.sql`.
DROP TRIGGER entry_request_keeps_its_values ON registers_entryrequest;

CREATE OR REPLACE FUNCTION registers_keep_replaced() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO registers_replacedregister (register_id, version, policy, title, guidance, began_at, ended_at)
    VALUES (OLD.id, OLD.version, OLD.policy, OLD.title, OLD.guidance, OLD.changed_at, NEW.changed_at);
    RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER register_keeps_its_place BEFORE UPDATE ON registers_register FOR EACH ROW
WHEN (
    (OLD.namespace_id, OLD.opened_by_id, OLD.opened_at) IS DISTINCT FROM (NEW.namespace_id, NEW.opened_by_id, NEW.opened_at)
    OR NEW.version - OLD.version
        <> ((OLD.policy, OLD.title, OLD.guidance) IS DISTINCT FROM (NEW.policy, NEW.title, NEW.guidance))::integer
)
EXECUTE FUNCTION refuse_statement('stay below their namespace, and another policy or text begins the next version');
ALTER TABLE registers_register ENABLE ALWAYS TRIGGER register_keeps_its_place;
