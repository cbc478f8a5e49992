-- Code before format 2 takes the digests of all events for leaves, and would sign a wrong root for a log with events of format 2.
-- `leaf_format` is the newest format that the code which signs a head knows, not that of the events of the head. Code before
-- format 2 does not state it, so it is NULL.
CREATE OR REPLACE FUNCTION audit_log_check_former_head() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM audit_log_chainhead WHERE last_in_format_2 > 0) THEN
        RAISE EXCEPTION '% refused: a head of a log with events of format 2 is signed by code that knows the format', TG_OP
        USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE OR REPLACE TRIGGER head_is_of_the_format_of_its_events BEFORE INSERT ON audit_log_signedhead FOR EACH ROW
WHEN (NEW.leaf_format IS NULL)
EXECUTE FUNCTION audit_log_check_former_head();
ALTER TABLE audit_log_signedhead ENABLE ALWAYS TRIGGER head_is_of_the_format_of_its_events;
