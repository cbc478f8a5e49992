-- Triggers that refuse statements. They have no off-switch: no setting of a session affects them, and they also fire
-- while `session_replication_role` is `replica`. Only the owner of a table can disable them.

CREATE FUNCTION refuse_statement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% refused: rows of % %', TG_OP, TG_TABLE_NAME, TG_ARGV[0]
    USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE PROCEDURE refuse_statements(on_table regclass, trigger_name text, statements text, reason text)
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format(
        'CREATE TRIGGER %I BEFORE %s ON %s EXECUTE FUNCTION refuse_statement(%L)',
        trigger_name, statements, on_table, reason
    );
    EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', on_table, trigger_name);
END
$$;

-- For rows that are never changed and never deleted.
CREATE PROCEDURE make_immutable(on_table regclass, trigger_name text) LANGUAGE plpgsql AS $$
BEGIN
    CALL refuse_statements(
        on_table, trigger_name, 'UPDATE OR DELETE OR TRUNCATE', 'are written once and never changed'
    );
END
$$;

-- For rows that may change but are never deleted.
CREATE PROCEDURE make_permanent(on_table regclass, trigger_name text) LANGUAGE plpgsql AS $$
BEGIN
    CALL refuse_statements(on_table, trigger_name, 'DELETE OR TRUNCATE', 'are never deleted');
END
$$;

CALL make_immutable('audit_log_event', 'event_is_immutable');
CALL make_immutable('audit_log_signedhead', 'signed_head_is_immutable');
CALL make_permanent('audit_log_chainhead', 'chain_head_is_permanent');

CREATE TRIGGER chain_head_only_advances BEFORE UPDATE ON audit_log_chainhead FOR EACH ROW
WHEN (NEW.number < OLD.number OR (NEW.number = OLD.number AND NEW.digest <> OLD.digest))
EXECUTE FUNCTION refuse_statement('only advance');
ALTER TABLE audit_log_chainhead ENABLE ALWAYS TRIGGER chain_head_only_advances;
