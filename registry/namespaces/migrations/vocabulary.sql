-- The vocabulary of searches: the words of NIDs, registrants and profiles, among which the nearest one replaces a word that
-- finds nothing. Words that have a digit or fewer than four letters are not corrected, so they are not kept.
--
-- A word is inserted if it is missing, and nothing else is ever locked: two transactions that add the same word at the
-- same time both insert it, which does no harm. A word may stay when the last namespace that had it has changed.

-- Adds the words of texts. The other joins would read the whole vocabulary.
CREATE FUNCTION namespaces_learn(texts text[]) RETURNS void LANGUAGE sql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    INSERT INTO namespaces_searchword (word)
    SELECT word FROM (
        SELECT DISTINCT word COLLATE "C" AS word
        FROM unnest(texts) AS content, string_to_table(namespaces_plain(content), ' ') AS word
        WHERE word ~ '^[^0-9]{4,32}$'
    ) AS words
    WHERE NOT EXISTS (SELECT FROM namespaces_searchword AS known WHERE known.word = words.word)
    ORDER BY word
$$;

-- Returns the kept words of texts that no namespace has.
CREATE FUNCTION namespaces_unused_words(texts text[]) RETURNS SETOF text
LANGUAGE sql STABLE SET enable_seqscan = off AS $$
    SELECT DISTINCT own.word
    FROM unnest(texts) AS content, string_to_table(namespaces_plain(content), ' ') AS own (word)
    WHERE EXISTS (SELECT FROM namespaces_searchword AS known WHERE known.word = own.word COLLATE "C")
    AND NOT EXISTS (
        SELECT FROM namespaces_namespace AS one WHERE one.words @@ format('''~%s''', own.word)::tsquery
    )
$$;

-- Removes the words of texts that no namespace has: after the erasure of personal data.
CREATE FUNCTION namespaces_forget(texts text[]) RETURNS void LANGUAGE sql SET enable_seqscan = off AS $$
    DELETE FROM namespaces_searchword
    WHERE word IN (SELECT unused COLLATE "C" FROM namespaces_unused_words(texts) AS unused)
$$;
