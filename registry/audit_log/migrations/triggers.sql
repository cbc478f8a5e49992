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

-- Erasure of personal data, after the event that contains its digest. That event must be the newest, so that no role can
-- use an earlier one for other rows.
CREATE FUNCTION is_erased_now(digest text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM audit_log_event event JOIN audit_log_chainhead head USING (number)
        WHERE event.verb = 'erase_person' AND event.details -> 'digests' ? $1
    )
$$;

-- DELETE removes a value, its salt and its digest. UPDATE of a submitted or registered template replaces fields of the
-- registrant, in `content` and `text`, and removes their salts; verify_audit_log compares `text` with `content`.
CREATE FUNCTION refuse_unless_erased() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    erasable text[] := ARRAY['content', 'text', 'commitments'];
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF is_erased_now(OLD.digest) THEN
            RETURN OLD;
        END IF;
    ELSIF to_jsonb(OLD) - erasable = to_jsonb(NEW) - erasable
        AND OLD.content - 'registrant' = NEW.content - 'registrant'
        AND OLD.commitments <> NEW.commitments
        AND are_erased_now(OLD.content -> 'registrant', NEW.content -> 'registrant', OLD.commitments, NEW.commitments)
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION '% refused: rows of % are written once and never changed', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'integrity_constraint_violation';
END
$$;

-- Whether each field of the registrant is unchanged, or erased now.
CREATE FUNCTION are_erased_now(was jsonb, becomes jsonb, committed jsonb, commits jsonb)
RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT bool_and(
        (was -> field IS NOT DISTINCT FROM becomes -> field AND committed -> field IS NOT DISTINCT FROM commits -> field)
        OR coalesce(
            becomes ->> field = '[erased]'
            AND commits -> field = committed -> field || '{"salt": null}'
            AND is_erased_now(committed -> field ->> 'digest'),
            false
        )
    )
    FROM jsonb_object_keys(was || becomes || committed || commits) AS field
$$;

-- For rows that are never changed and never deleted, except that personal data is erased.
CREATE PROCEDURE make_erasable(on_table regclass, trigger_name text, erased_by text, refused text)
LANGUAGE plpgsql AS $$
BEGIN
    CALL refuse_statements(on_table, trigger_name, refused, 'are written once and never changed');
    EXECUTE format(
        'CREATE TRIGGER personal_data_is_erased BEFORE %s ON %s FOR EACH ROW EXECUTE FUNCTION refuse_unless_erased()',
        erased_by, on_table
    );
    EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER personal_data_is_erased', on_table);
END
$$;

CALL make_immutable('audit_log_event', 'event_is_immutable');
CALL make_immutable('audit_log_signedhead', 'signed_head_is_immutable');
CALL make_erasable('audit_log_personaldata', 'personal_data_is_immutable', 'DELETE', 'UPDATE OR TRUNCATE');
CALL make_permanent('audit_log_chainhead', 'chain_head_is_permanent');

CREATE TRIGGER chain_head_only_advances BEFORE UPDATE ON audit_log_chainhead FOR EACH ROW
WHEN (NEW.number < OLD.number OR (NEW.number = OLD.number AND NEW.digest <> OLD.digest))
EXECUTE FUNCTION refuse_statement('only advance');
ALTER TABLE audit_log_chainhead ENABLE ALWAYS TRIGGER chain_head_only_advances;

-- Histories on public pages consist of events and the names of people.
CALL renew_change_token('audit_log_event', 'INSERT');
CALL renew_change_token(
    'accounts_user', 'UPDATE OF name, email, erased_at',
    '(OLD.name, OLD.email, OLD.erased_at) IS DISTINCT FROM (NEW.name, NEW.email, NEW.erased_at)'
);
CALL renew_change_token('accounts_body', 'UPDATE');
