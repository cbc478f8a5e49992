CALL make_permanent('registers_register', 'register_is_permanent');
CALL make_permanent('registers_entryrequest', 'entry_request_is_permanent');
CALL make_permanent('registers_requestcomment', 'request_comment_is_permanent');
CALL make_permanent('registers_entry', 'entry_is_permanent');
CALL make_immutable('registers_replacedregister', 'replaced_register_is_immutable');

-- A register stays below its namespace, and another policy or text begins the next version, which keeps the one before.
CREATE TRIGGER register_keeps_its_place BEFORE UPDATE ON registers_register FOR EACH ROW
WHEN (
    (OLD.namespace_id, OLD.opened_by_id, OLD.opened_at) IS DISTINCT FROM (NEW.namespace_id, NEW.opened_by_id, NEW.opened_at)
    OR NEW.version - OLD.version
        <> ((OLD.policy, OLD.title, OLD.guidance) IS DISTINCT FROM (NEW.policy, NEW.title, NEW.guidance))::integer
)
EXECUTE FUNCTION refuse_statement('stay below their namespace, and another policy or text begins the next version');
ALTER TABLE registers_register ENABLE ALWAYS TRIGGER register_keeps_its_place;

CREATE FUNCTION registers_keep_replaced() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO registers_replacedregister (register_id, version, policy, title, guidance, began_at, ended_at)
    VALUES (OLD.id, OLD.version, OLD.policy, OLD.title, OLD.guidance, OLD.changed_at, NEW.changed_at);
    RETURN NULL;
END
$$;
CREATE TRIGGER keep_replaced AFTER UPDATE ON registers_register FOR EACH ROW
WHEN (OLD.version <> NEW.version) EXECUTE FUNCTION registers_keep_replaced();
ALTER TABLE registers_register ENABLE ALWAYS TRIGGER keep_replaced;

-- A request stays that of its author, and a decision is final. Erasure empties the texts that only few people read.
CREATE TRIGGER entry_request_keeps_its_author BEFORE UPDATE ON registers_entryrequest FOR EACH ROW
WHEN (
    (OLD.register_id, OLD.requested_by_id, OLD.requested_at) IS DISTINCT FROM (NEW.register_id, NEW.requested_by_id, NEW.requested_at)
    OR OLD.decided_at IS NOT NULL
    AND (
        (OLD.state, OLD.label, OLD.key, OLD.skeleton, OLD.title, OLD.reference, OLD.version, OLD.register_version, OLD.decided_by_id, OLD.decided_at)
            IS DISTINCT FROM (NEW.state, NEW.label, NEW.key, NEW.skeleton, NEW.title, NEW.reference, NEW.version, NEW.register_version, NEW.decided_by_id, NEW.decided_at)
        OR NEW.contact NOT IN ('', OLD.contact) OR NEW.note NOT IN ('', OLD.note) OR NEW.reason NOT IN ('', OLD.reason)
    )
)
EXECUTE FUNCTION refuse_statement('keep their author, and their decision is final');
ALTER TABLE registers_entryrequest ENABLE ALWAYS TRIGGER entry_request_keeps_its_author;

-- A comment never changes. Erasure empties it.
CREATE TRIGGER request_comment_is_immutable BEFORE UPDATE ON registers_requestcomment FOR EACH ROW
WHEN (
    (OLD.request_id, OLD.author_id, OLD.created_at) IS DISTINCT FROM (NEW.request_id, NEW.author_id, NEW.created_at)
    OR NEW.text NOT IN ('', OLD.text)
)
EXECUTE FUNCTION refuse_statement('are written once and never changed');
ALTER TABLE registers_requestcomment ENABLE ALWAYS TRIGGER request_comment_is_immutable;

-- An entry stays that of its sub-namespace, which is one of the namespace of its register. Who requested it is written once.
CREATE FUNCTION registers_check_entries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM added
        JOIN registers_register AS register ON register.id = added.register_id
        JOIN subnamespaces_subnamespace AS listed ON listed.id = added.subnamespace_id
        WHERE listed.namespace_id <> register.namespace_id
    ) THEN
        RAISE EXCEPTION '% refused: rows of % have a register of the namespace of their sub-namespace', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER entry_is_of_its_namespace AFTER INSERT ON registers_entry
REFERENCING NEW TABLE AS added EXECUTE FUNCTION registers_check_entries();
CREATE TRIGGER entry_keeps_its_place BEFORE UPDATE ON registers_entry FOR EACH ROW
WHEN (
    (OLD.register_id, OLD.subnamespace_id) IS DISTINCT FROM (NEW.register_id, NEW.subnamespace_id)
    OR OLD.person_id IS NOT NULL AND OLD.person_id IS DISTINCT FROM NEW.person_id
)
EXECUTE FUNCTION refuse_statement('keep their register, sub-namespace and person');
ALTER TABLE registers_entry ENABLE ALWAYS TRIGGER entry_keeps_its_place;

CALL renew_change_token('registers_register', 'INSERT OR UPDATE');
CALL renew_change_token('registers_replacedregister', 'INSERT');
