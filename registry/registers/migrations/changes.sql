-- A change stays that of its entry, and what it says is final with the decision.
CREATE OR REPLACE TRIGGER entry_request_keeps_its_change BEFORE UPDATE ON registers_entryrequest FOR EACH ROW
WHEN (
    OLD.entry_id IS DISTINCT FROM NEW.entry_id
    OR OLD.decided_at IS NOT NULL
    AND (OLD.replaces, OLD.status, OLD.successor) IS DISTINCT FROM (NEW.replaces, NEW.status, NEW.successor)
)
EXECUTE FUNCTION refuse_statement('keep their entry, and what they change after the decision');
ALTER TABLE registers_entryrequest ENABLE ALWAYS TRIGGER entry_request_keeps_its_change;

-- A change is requested in the register of its entry.
CREATE OR REPLACE FUNCTION registers_check_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM registers_entry WHERE id = NEW.entry_id AND register_id = NEW.register_id) THEN
        RAISE EXCEPTION '% refused: rows of % have an entry of their register', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE OR REPLACE TRIGGER change_is_of_its_register BEFORE INSERT ON registers_entryrequest
FOR EACH ROW WHEN (NEW.entry_id IS NOT NULL) EXECUTE FUNCTION registers_check_changes();
ALTER TABLE registers_entryrequest ENABLE ALWAYS TRIGGER change_is_of_its_register;
