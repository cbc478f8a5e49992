CALL make_permanent('custody_namespaceclaim', 'namespace_claim_is_permanent');

CREATE TRIGGER claim_keeps_its_parties BEFORE UPDATE ON custody_namespaceclaim FOR EACH ROW
WHEN ((OLD.namespace_id, OLD.claimant_id, OLD.organisation_id, OLD.is_recovery, OLD.claimed_at)
IS DISTINCT FROM (NEW.namespace_id, NEW.claimant_id, NEW.organisation_id, NEW.is_recovery, NEW.claimed_at))
EXECUTE FUNCTION refuse_statement('keep their namespace, claimant, aim and time');
ALTER TABLE custody_namespaceclaim ENABLE ALWAYS TRIGGER claim_keeps_its_parties;

CREATE TRIGGER decided_claim_stays_decided BEFORE UPDATE ON custody_namespaceclaim FOR EACH ROW
WHEN (OLD.ended_at IS NOT NULL AND (OLD.status, OLD.ended_at, OLD.decided_by_id) IS DISTINCT FROM (NEW.status, NEW.ended_at, NEW.decided_by_id))
EXECUTE FUNCTION refuse_statement('are decided once');
ALTER TABLE custody_namespaceclaim ENABLE ALWAYS TRIGGER decided_claim_stays_decided;

-- The page of a namespace says that it is claimed.
CALL renew_change_token('custody_namespaceclaim', 'INSERT OR UPDATE');
