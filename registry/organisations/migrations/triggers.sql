CALL make_permanent('organisations_organisation', 'organisation_is_permanent');
CALL make_permanent('organisations_membership', 'membership_is_permanent');

CREATE TRIGGER membership_keeps_its_parties BEFORE UPDATE ON organisations_membership FOR EACH ROW
WHEN ((OLD.organisation_id, OLD.user_id, OLD.began_at) IS DISTINCT FROM (NEW.organisation_id, NEW.user_id, NEW.began_at))
EXECUTE FUNCTION refuse_statement('keep their organisation, person and time');
ALTER TABLE organisations_membership ENABLE ALWAYS TRIGGER membership_keeps_its_parties;

CREATE TRIGGER ended_membership_stays_ended BEFORE UPDATE ON organisations_membership FOR EACH ROW
WHEN (OLD.ended_at IS NOT NULL AND (OLD.ended_at, OLD.part) IS DISTINCT FROM (NEW.ended_at, NEW.part))
EXECUTE FUNCTION refuse_statement('end once');
ALTER TABLE organisations_membership ENABLE ALWAYS TRIGGER ended_membership_stays_ended;

CALL renew_change_token('organisations_organisation', 'UPDATE');
