-- Other fields begin the next version of a register, too, which keeps the one before.
CREATE OR REPLACE TRIGGER register_keeps_its_place BEFORE UPDATE ON registers_register FOR EACH ROW
WHEN (
    (OLD.namespace_id, OLD.opened_by_id, OLD.opened_at) IS DISTINCT FROM (NEW.namespace_id, NEW.opened_by_id, NEW.opened_at)
    OR NEW.version - OLD.version
        <> (
            (OLD.policy, OLD.title, OLD.guidance, OLD.fields) IS DISTINCT FROM (NEW.policy, NEW.title, NEW.guidance, NEW.fields)
        )::integer
)
EXECUTE FUNCTION refuse_statement('stay below their namespace, and another policy, text or field begins the next version');
ALTER TABLE registers_register ENABLE ALWAYS TRIGGER register_keeps_its_place;

CREATE OR REPLACE FUNCTION registers_keep_replaced() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO registers_replacedregister (register_id, version, policy, title, guidance, fields, began_at, ended_at)
    VALUES (OLD.id, OLD.version, OLD.policy, OLD.title, OLD.guidance, OLD.fields, OLD.changed_at, NEW.changed_at);
    RETURN NULL;
END
$$;

-- The values of a decided request stay, too. Erasure empties those that are not public with an entry.
CREATE OR REPLACE TRIGGER entry_request_keeps_its_values BEFORE UPDATE ON registers_entryrequest FOR EACH ROW
WHEN (
    OLD.decided_at IS NOT NULL AND OLD.fields <> NEW.fields AND (OLD.state = 'accepted' OR NEW.fields <> '{}')
)
EXECUTE FUNCTION refuse_statement('keep the values of their fields after the decision');
ALTER TABLE registers_entryrequest ENABLE ALWAYS TRIGGER entry_request_keeps_its_values;
