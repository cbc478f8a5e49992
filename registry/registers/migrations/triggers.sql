CALL make_permanent('registers_register', 'register_is_permanent');
CALL make_permanent('registers_entryrequest', 'entry_request_is_permanent');
CALL make_permanent('registers_entry', 'entry_is_permanent');
CALL make_immutable('registers_requestcomment', 'request_comment_is_immutable');

-- A register stays below its namespace.
CREATE TRIGGER register_keeps_its_place BEFORE UPDATE ON registers_register FOR EACH ROW
WHEN ((OLD.namespace_id, OLD.opened_by_id, OLD.opened_at) IS DISTINCT FROM (NEW.namespace_id, NEW.opened_by_id, NEW.opened_at))
EXECUTE FUNCTION refuse_statement('stay below their namespace');
ALTER TABLE registers_register ENABLE ALWAYS TRIGGER register_keeps_its_place;

-- A request stays that of its author, and a decision is final. Erasure empties the texts that only few people read.
CREATE TRIGGER entry_request_keeps_its_author BEFORE UPDATE ON registers_entryrequest FOR EACH ROW
WHEN (
    (OLD.register_id, OLD.requested_by_id, OLD.requested_at) IS DISTINCT FROM (NEW.register_id, NEW.requested_by_id, NEW.requested_at)
    OR OLD.decided_at IS NOT NULL
    AND (OLD.state, OLD.label, OLD.key, OLD.skeleton, OLD.title, OLD.reference, OLD.version, OLD.decided_by_id, OLD.decided_at)
        IS DISTINCT FROM (NEW.state, NEW.label, NEW.key, NEW.skeleton, NEW.title, NEW.reference, NEW.version, NEW.decided_by_id, NEW.decided_at)
)
EXECUTE FUNCTION refuse_statement('keep their author, and their decision is final');
ALTER TABLE registers_entryrequest ENABLE ALWAYS TRIGGER entry_request_keeps_its_author;

-- An entry stays that of its sub-namespace.
CREATE TRIGGER entry_keeps_its_place BEFORE UPDATE ON registers_entry FOR EACH ROW
WHEN ((OLD.register_id, OLD.subnamespace_id, OLD.skeleton) IS DISTINCT FROM (NEW.register_id, NEW.subnamespace_id, NEW.skeleton))
EXECUTE FUNCTION refuse_statement('keep their register and sub-namespace');
ALTER TABLE registers_entry ENABLE ALWAYS TRIGGER entry_keeps_its_place;

CALL renew_change_token('registers_register', 'INSERT OR UPDATE');
