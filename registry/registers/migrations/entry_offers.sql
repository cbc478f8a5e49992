CALL make_permanent('registers_entryoffer', 'entry_offer_is_permanent');

-- An offer stays that of its entry and of who made it, and its end is final. Erasure replaces the address.
CREATE TRIGGER entry_offer_keeps_its_terms BEFORE UPDATE ON registers_entryoffer FOR EACH ROW
WHEN (
    (OLD.entry_id, OLD.offered_by_id, OLD.offered_at, OLD.made_with_id)
        IS DISTINCT FROM (NEW.entry_id, NEW.offered_by_id, NEW.offered_at, NEW.made_with_id)
    OR OLD.ended_at IS NOT NULL AND (OLD.ended_at, OLD.is_accepted) IS DISTINCT FROM (NEW.ended_at, NEW.is_accepted)
)
EXECUTE FUNCTION refuse_statement('keep their entry and who made them, and their end is final');
ALTER TABLE registers_entryoffer ENABLE ALWAYS TRIGGER entry_offer_keeps_its_terms;
