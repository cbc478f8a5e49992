CALL make_permanent('namespaces_namespace', 'namespace_is_permanent');
CALL make_permanent('namespaces_informalcounter', 'informal_counter_is_permanent');
CALL make_permanent('namespaces_transfer', 'transfer_is_permanent');
CALL make_permanent('namespaces_cachedlookup', 'cached_lookup_is_permanent');
CALL make_erasable('namespaces_revision', 'revision_is_immutable', 'UPDATE', 'DELETE OR TRUNCATE');
CALL make_immutable('namespaces_profileversion', 'profile_version_is_immutable');

CREATE TRIGGER nid_is_immutable BEFORE UPDATE ON namespaces_namespace FOR EACH ROW
WHEN ((OLD.nid, OLD.kind, OLD.number) IS DISTINCT FROM (NEW.nid, NEW.kind, NEW.number))
EXECUTE FUNCTION refuse_statement('keep their NID, kind and number');
ALTER TABLE namespaces_namespace ENABLE ALWAYS TRIGGER nid_is_immutable;

-- The search index; the functions are in `search.sql`. The columns are those that the index depends on.
CREATE FUNCTION namespaces_update_search_vector() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    profile CONSTANT jsonb := (SELECT content FROM namespaces_profileversion WHERE id = NEW.profile_id);
BEGIN
    NEW.words := namespaces_words(
        NEW.id, NEW.nid, NEW.kind, NEW.deprecated_at IS NOT NULL,
        NEW.changed_at,
        NEW.holder, NEW.purpose, NEW."references",
        (SELECT text FROM namespaces_revision WHERE id = NEW.latest_id),
        NEW.has_grammar, profile, NEW.organisation_id
    );
    NEW.ranking := namespaces_ranking(NEW.nid, NEW.holder, profile);
    RETURN NEW;
END
$$;
CREATE TRIGGER update_search_vector BEFORE INSERT OR UPDATE OF
    nid, kind, changed_at, deprecated_at, holder, purpose, "references", latest_id, profile_id, organisation_id
ON namespaces_namespace FOR EACH ROW EXECUTE FUNCTION namespaces_update_search_vector();

-- Restoring an escrow inserts a namespace before its revisions, so the search index is updated again. Erasure changes the
-- text.
CREATE FUNCTION namespaces_refresh_search_vector() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE namespaces_namespace SET latest_id = NEW.id WHERE latest_id = NEW.id;
    RETURN NULL;
END
$$;
CREATE TRIGGER refresh_namespace_search_vector AFTER INSERT OR UPDATE ON namespaces_revision
FOR EACH ROW EXECUTE FUNCTION namespaces_refresh_search_vector();

-- The stored lookups (`lookup.sql`). The triggers run once per statement, which keeps COPY fast. Rows are locked in one
-- order, first the namespace, then its lookup; a transaction that inserts a revision has not locked the namespace yet.
CREATE FUNCTION namespaces_invalidate_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM namespaces_invalidate_lookups(ARRAY(SELECT id FROM changed));
    RETURN NULL;
END
$$;
CREATE TRIGGER invalidate_lookup_on_insert AFTER INSERT ON namespaces_namespace
REFERENCING NEW TABLE AS changed EXECUTE FUNCTION namespaces_invalidate_changed();
CREATE TRIGGER invalidate_lookup_on_update AFTER UPDATE ON namespaces_namespace
REFERENCING NEW TABLE AS changed EXECUTE FUNCTION namespaces_invalidate_changed();

CREATE FUNCTION namespaces_invalidate_revised() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM namespaces_lock(ARRAY(SELECT namespace_id FROM changed));
    PERFORM namespaces_invalidate_lookups(ARRAY(SELECT namespace_id FROM changed));
    RETURN NULL;
END
$$;
CREATE TRIGGER invalidate_lookup_on_revision AFTER INSERT ON namespaces_revision
REFERENCING NEW TABLE AS changed EXECUTE FUNCTION namespaces_invalidate_revised();

CREATE FUNCTION namespaces_invalidate_of_organisation() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    ids bigint[] := ARRAY(SELECT id FROM namespaces_namespace WHERE organisation_id = NEW.id);
BEGIN
    PERFORM namespaces_lock(ids);
    PERFORM namespaces_invalidate_lookups(ids);
    RETURN NULL;
END
$$;
CREATE TRIGGER invalidate_lookups_of_organisation AFTER UPDATE OF name ON organisations_organisation
FOR EACH ROW EXECUTE FUNCTION namespaces_invalidate_of_organisation();

CREATE FUNCTION namespaces_check_lookup_writer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('namespaces.writes_lookups', true) IS DISTINCT FROM 'on' THEN
        RAISE EXCEPTION '% refused: rows of % are written by the namespaces_*_lookup functions', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER written_by_lookup_functions BEFORE INSERT OR UPDATE ON namespaces_cachedlookup
EXECUTE FUNCTION namespaces_check_lookup_writer();

-- `Namespace.profile` (`profiles.sql`). Only the trigger on the versions changes it.
CREATE FUNCTION namespaces_update_current_profiles() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    other record;
BEGIN
    SELECT n.nid, c.content ->> 'nid' AS stated INTO other
    FROM changed AS c JOIN namespaces_namespace AS n ON n.id = c.namespace_id
    WHERE c.content IS NOT NULL AND c.content ->> 'nid' IS DISTINCT FROM n.nid LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION '% refused: a profile of "%" is not one of "%"', TG_OP, other.stated, other.nid
        USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    PERFORM namespaces_follow_profiles(ARRAY(SELECT namespace_id FROM changed));
    RETURN NULL;
END
$$;
CREATE TRIGGER update_current_profile AFTER INSERT ON namespaces_profileversion
REFERENCING NEW TABLE AS changed EXECUTE FUNCTION namespaces_update_current_profiles();

CREATE FUNCTION namespaces_check_profile_writer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF pg_trigger_depth() < 2 THEN
        RAISE EXCEPTION '% refused: the profile of % follows from its versions', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER current_profile_follows_versions BEFORE UPDATE OF profile_id, has_grammar ON namespaces_namespace FOR EACH ROW
WHEN ((OLD.profile_id, OLD.has_grammar) IS DISTINCT FROM (NEW.profile_id, NEW.has_grammar))
EXECUTE FUNCTION namespaces_check_profile_writer();

-- The vocabulary (`vocabulary.sql`).
CREATE FUNCTION namespaces_learn_namespaces() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM namespaces_learn(ARRAY(SELECT nid FROM added) || ARRAY(SELECT DISTINCT holder::text FROM added));
    RETURN NULL;
END
$$;
CREATE TRIGGER learn_words_of_namespaces AFTER INSERT ON namespaces_namespace
REFERENCING NEW TABLE AS added EXECUTE FUNCTION namespaces_learn_namespaces();

CREATE FUNCTION namespaces_learn_registrant() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM namespaces_learn(ARRAY[NEW.holder::text]);
    RETURN NULL;
END
$$;
CREATE TRIGGER learn_words_of_registrant AFTER UPDATE OF holder ON namespaces_namespace
FOR EACH ROW WHEN (OLD.holder IS DISTINCT FROM NEW.holder) EXECUTE FUNCTION namespaces_learn_registrant();

CREATE FUNCTION namespaces_learn_profiles() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM namespaces_learn(ARRAY(SELECT namespaces_profile_text(content) FROM added));
    RETURN NULL;
END
$$;
CREATE TRIGGER learn_words_of_profiles AFTER INSERT ON namespaces_profileversion
REFERENCING NEW TABLE AS added EXECUTE FUNCTION namespaces_learn_profiles();

CALL renew_change_token('namespaces_namespace', 'INSERT OR UPDATE');
CALL renew_change_token('namespaces_revision', 'INSERT OR UPDATE');
CALL renew_change_token('namespaces_profileversion', 'INSERT');
