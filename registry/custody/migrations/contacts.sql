-- The contact of a new registrant is fresh, and that of a former one is forgotten. A registrant who moves a namespace to an
-- organisation of which they are a member takes the contact along.
CREATE FUNCTION custody_renew_contact() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND EXISTS (
        SELECT FROM organisations_membership
        WHERE organisation_id = NEW.organisation_id AND user_id = OLD.registrant_id AND ended_at IS NULL
    ) THEN
        RETURN NULL;
    END IF;
    DELETE FROM custody_namespacecontact WHERE namespace_id = NEW.id;
    IF NEW.registrant_id IS NOT NULL OR NEW.organisation_id IS NOT NULL THEN
        INSERT INTO custody_namespacecontact (namespace_id, name, email, held_since, confirmed_at)
        VALUES (NEW.id, '', '', CASE TG_OP WHEN 'UPDATE' THEN clock_timestamp() END, clock_timestamp());
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER contact_of_first_registrant AFTER INSERT ON namespaces_namespace FOR EACH ROW
WHEN (NEW.registrant_id IS NOT NULL OR NEW.organisation_id IS NOT NULL) EXECUTE FUNCTION custody_renew_contact();
CREATE TRIGGER contact_of_next_registrant AFTER UPDATE OF registrant_id, organisation_id ON namespaces_namespace FOR EACH ROW
WHEN ((OLD.registrant_id, OLD.organisation_id) IS DISTINCT FROM (NEW.registrant_id, NEW.organisation_id))
EXECUTE FUNCTION custody_renew_contact();

-- The stored lookups contain the contact.
CREATE TRIGGER invalidate_lookup_on_insert AFTER INSERT ON custody_namespacecontact
REFERENCING NEW TABLE AS changed EXECUTE FUNCTION namespaces_invalidate_revised();
CREATE TRIGGER invalidate_lookup_on_update AFTER UPDATE ON custody_namespacecontact
REFERENCING NEW TABLE AS changed EXECUTE FUNCTION namespaces_invalidate_revised();

CALL renew_change_token('custody_namespacecontact', 'INSERT OR UPDATE');

-- Restoring an escrow inserts a namespace, and so its contact, before the contact of the escrow.
CREATE FUNCTION custody_replace_contact() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM custody_namespacecontact WHERE namespace_id = NEW.namespace_id;
    RETURN NEW;
END
$$;
CREATE TRIGGER contact_replaces_another BEFORE INSERT ON custody_namespacecontact
FOR EACH ROW EXECUTE FUNCTION custody_replace_contact();
