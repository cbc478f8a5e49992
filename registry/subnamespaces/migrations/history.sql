-- The records of `content.history` stay, in their order: a new content can only have others after them.
CREATE OR REPLACE FUNCTION subnamespaces_keep_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM jsonb_array_elements(OLD.content -> 'history') WITH ORDINALITY AS kept (record, place)
        WHERE kept.record IS DISTINCT FROM NEW.content -> 'history' -> (kept.place::integer - 1)
    ) THEN
        RAISE EXCEPTION '% refused: the history of a sub-namespace is only added to', TG_OP
        USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE OR REPLACE TRIGGER subnamespace_keeps_its_history BEFORE UPDATE OF content ON subnamespaces_subnamespace FOR EACH ROW
WHEN (OLD.content -> 'history' IS DISTINCT FROM NEW.content -> 'history' AND OLD.content ? 'history')
EXECUTE FUNCTION subnamespaces_keep_history();
ALTER TABLE subnamespaces_subnamespace ENABLE ALWAYS TRIGGER subnamespace_keeps_its_history;
