-- Full-text search over sub-namespaces: the column `words` has the words of prefix, title and holder, and the stem of each.
-- A trigger keeps it: a generated column would be computed when a dump is restored, before `unaccent` is found.
ALTER TABLE subnamespaces_subnamespace ADD COLUMN words tsvector;

CREATE FUNCTION subnamespaces_keep_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.words := namespaces_weighed('A', concat_ws(
        ' ', NEW.content ->> 'prefix', NEW.content ->> 'title', NEW.content ->> 'holder'
    ));
    RETURN NEW;
END
$$;
CREATE TRIGGER keep_words BEFORE INSERT OR UPDATE OF content ON subnamespaces_subnamespace
FOR EACH ROW EXECUTE FUNCTION subnamespaces_keep_words();
ALTER TABLE subnamespaces_subnamespace ENABLE ALWAYS TRIGGER keep_words;

CREATE INDEX subnamespaces_by_words ON subnamespaces_subnamespace USING gin (words);
