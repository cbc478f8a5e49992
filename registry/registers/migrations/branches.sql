-- A register stays where it was opened, and another policy, text or field begins the next version.
CREATE OR REPLACE TRIGGER register_keeps_its_place BEFORE UPDATE ON registers_register FOR EACH ROW
WHEN (
    (OLD.namespace_id, OLD.entry_id, OLD.opened_by_id, OLD.opened_at)
        IS DISTINCT FROM (NEW.namespace_id, NEW.entry_id, NEW.opened_by_id, NEW.opened_at)
    OR NEW.version - OLD.version
        <> (
            (OLD.policy, OLD.title, OLD.guidance, OLD.fields) IS DISTINCT FROM (NEW.policy, NEW.title, NEW.guidance, NEW.fields)
        )::integer
)
EXECUTE FUNCTION refuse_statement('stay below their namespace, and another policy, text or field begins the next version');
ALTER TABLE registers_register ENABLE ALWAYS TRIGGER register_keeps_its_place;

-- The entry below which a register stands, and the one whose holder holds it, are of its namespace.
CREATE OR REPLACE FUNCTION registers_check_branches() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM registers_entry AS entry
        JOIN registers_register AS outer_register ON outer_register.id = entry.register_id
        WHERE entry.id IN (NEW.entry_id, NEW.branch_id) AND outer_register.namespace_id <> NEW.namespace_id
    ) THEN
        RAISE EXCEPTION '% refused: rows of % are below an entry of their own namespace', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE OR REPLACE TRIGGER register_is_below_its_namespace BEFORE INSERT OR UPDATE OF branch_id ON registers_register
FOR EACH ROW WHEN (NEW.entry_id IS NOT NULL) EXECUTE FUNCTION registers_check_branches();

-- An entry stays that of its sub-namespace. Its holder can change.
CREATE OR REPLACE TRIGGER entry_keeps_its_place BEFORE UPDATE ON registers_entry FOR EACH ROW
WHEN ((OLD.register_id, OLD.subnamespace_id) IS DISTINCT FROM (NEW.register_id, NEW.subnamespace_id))
EXECUTE FUNCTION refuse_statement('keep their register and sub-namespace');
ALTER TABLE registers_entry ENABLE ALWAYS TRIGGER entry_keeps_its_place;

-- Public pages say who holds an entry.
DROP TRIGGER IF EXISTS changes_public_pages ON registers_entry;
CALL renew_change_token('registers_entry', 'UPDATE');
