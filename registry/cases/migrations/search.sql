-- Full-text search over cases: the column `words`, kept by the trigger `keep_words_of_case`, and its index. It has the
-- words and stems of the NID, the organisation and the purpose in the latest round; it is NULL before the first round,
-- because drafts are private.

CREATE FUNCTION cases_words(nid text, content jsonb) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT strip(to_tsvector('simple', plain) || to_tsvector('english', plain))
    FROM namespaces_plain(concat_ws(
        ' ', nid, content ->> 'namespace_identifier', content -> 'registrant' ->> 'organization', content ->> 'purpose'
    )) AS plain
$$;

ALTER TABLE cases_case ADD COLUMN words tsvector;
ALTER TABLE cases_case ALTER COLUMN words SET STATISTICS 0;
CREATE INDEX cases_by_words ON cases_case USING gin (words);

-- A round is inserted by a transaction that has locked the case. Erasure changes the content of a round.
CREATE FUNCTION cases_update_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE cases_case AS c
    SET words = cases_words((SELECT nid FROM namespaces_namespace WHERE id = c.namespace_id), NEW.content)
    WHERE c.id = NEW.case_id
    AND NOT EXISTS (SELECT FROM cases_round AS later WHERE later.case_id = NEW.case_id AND later.number > NEW.number);
    RETURN NULL;
END
$$;
CREATE TRIGGER keep_words_of_case AFTER INSERT OR UPDATE OF content ON cases_round
FOR EACH ROW EXECUTE FUNCTION cases_update_words();
