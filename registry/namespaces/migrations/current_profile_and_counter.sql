-- The depth of triggers does not tell who writes: a trigger on a temporary table reaches any depth.
CREATE OR REPLACE FUNCTION namespaces_check_profile_writer() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    last record;
BEGIN
    SELECT CASE WHEN content IS NOT NULL THEN id END AS id,
        coalesce(content -> 'names' ?| ARRAY['abnf', 'pattern'], false) AS has_grammar INTO last
    FROM namespaces_profileversion WHERE namespace_id = NEW.id ORDER BY version DESC LIMIT 1;
    IF (NEW.profile_id, NEW.has_grammar) IS DISTINCT FROM (last.id, coalesce(last.has_grammar, false)) THEN
        RAISE EXCEPTION '% refused: the profile of % follows from its versions', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER informal_counter_only_advances BEFORE UPDATE ON namespaces_informalcounter FOR EACH ROW
WHEN (NEW.last < OLD.last) EXECUTE FUNCTION refuse_statement('only advance');
ALTER TABLE namespaces_informalcounter ENABLE ALWAYS TRIGGER informal_counter_only_advances;
