-- From every role, each event continues the chain, and the head is its last event. That an event has the digest
-- of its own content can't be told here: `manage.py verify_audit_log` compares them.

CREATE OR REPLACE FUNCTION audit_log_check_events() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    gap CONSTANT bigint := (
        SELECT min(added.number) FROM added LEFT JOIN audit_log_event AS before ON before.number = added.number - 1
        WHERE added.previous IS DISTINCT FROM CASE added.number WHEN 1 THEN repeat('0', 64) ELSE before.digest END
    );
BEGIN
    IF gap IS NOT NULL THEN
        RAISE EXCEPTION '% refused: event % does not continue the chain', TG_OP, gap
        USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER event_continues_the_chain AFTER INSERT ON audit_log_event
REFERENCING NEW TABLE AS added EXECUTE FUNCTION audit_log_check_events();
ALTER TABLE audit_log_event ENABLE ALWAYS TRIGGER event_continues_the_chain;

CREATE OR REPLACE FUNCTION audit_log_check_head() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- With max, the index tells. With EXISTS, PostgreSQL would expect many later events, and read the whole log.
    IF NOT EXISTS (SELECT FROM audit_log_event WHERE number = NEW.number AND digest = NEW.digest)
        OR NEW.number < (SELECT max(number) FROM audit_log_event)
    THEN
        RAISE EXCEPTION '% refused: the head of the audit log is its last event, which is not %', TG_OP, NEW.number
        USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE OR REPLACE TRIGGER chain_head_is_the_last_event BEFORE UPDATE ON audit_log_chainhead FOR EACH ROW
WHEN (NEW.number > OLD.number) EXECUTE FUNCTION audit_log_check_head();
ALTER TABLE audit_log_chainhead ENABLE ALWAYS TRIGGER chain_head_is_the_last_event;
