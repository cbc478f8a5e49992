"""What a search looks at: a column that only the database knows, kept by triggers, also for rows from COPY.

`words` of a namespace holds, as lexemes,
    @sbn      each ending of its NID, so that a beginning of one is any part of the NID;
    @@sb      each letter and each pair of letters in its NID, which begin too many endings to go through;
    ~station  each word of its NID, registrant, references and purpose, to be found by how it begins;
    station   the stem of each word of these and of the text of the current registration;
    #formal, #active   its kind and its status.
"""

from django.contrib.postgres.operations import UnaccentExtension
from django.db import migrations

# As much of a text as is sure to fit into a tsvector (1 MB), whatever letters it is made of.
LONGEST_TEXT = 100_000

FUNCTIONS = """
-- Letters and digits alone, without accents and in lower case, a space between words.
CREATE FUNCTION namespaces_plain(text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT trim(regexp_replace(lower(unaccent('unaccent', left($1, LONGEST_TEXT))), '[^[:alnum:]]+', ' ', 'g'))
$$;

CREATE FUNCTION namespaces_words(
    nid text, kind text, is_deprecated boolean, holder text, purpose text, cited jsonb, content text
) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT array_to_tsvector(
               ARRAY['#' || kind, CASE WHEN is_deprecated THEN '#deprecated' ELSE '#active' END]
               || ARRAY(SELECT '@' || substr(nid, start) FROM generate_series(1, length(nid)) AS start)
               || ARRAY(SELECT DISTINCT '@@' || substr(nid, start, long)
                        FROM generate_series(1, length(nid)) AS start, generate_series(1, 2) AS long)
               || ARRAY(SELECT '~' || word FROM unnest(tsvector_to_array(to_tsvector('simple', gist))) AS word)
           ) || strip(to_tsvector('english', gist || ' ' || namespaces_plain(coalesce(content, ''))))
    FROM namespaces_plain(
        concat_ws(' ', nid, holder, purpose, jsonb_path_query_array(cited, '$[*].label'))
    ) AS gist
$$;

-- What asks for namespaces with every one of the words, in their NIDs alone or anywhere; NULL without a word.
-- Words such as "of", which every text has, count only when there are no others, and then in NIDs.
CREATE FUNCTION namespaces_query(asked text, in_nids boolean) RETURNS tsquery
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    WITH words AS (
        SELECT word, ts_lexize('english_stem', word) AS stem,
               CASE WHEN length(word) < 3 THEN format('''@@%s''', word)
                    ELSE format('''@%s'':*', word) END AS in_nid
        FROM (SELECT DISTINCT left(word, 64) AS word
              FROM regexp_split_to_table(namespaces_plain(left(asked, 500)), ' ') AS word
              WHERE word <> '' LIMIT 10) AS first_ones
    ), telling AS (
        SELECT * FROM words WHERE stem <> '{}' OR NOT EXISTS (SELECT FROM words WHERE stem <> '{}')
    )
    SELECT string_agg(
        CASE WHEN in_nids OR stem = '{}' THEN in_nid
             WHEN length(word) < 3 THEN format('(%s | ''%s'')', in_nid, stem[1])
             ELSE format('(%s | ''~%s'':* | ''%s'')', in_nid, word, stem[1]) END,
        ' & ')::tsquery
    FROM telling
$$;
""".replace("LONGEST_TEXT", str(LONGEST_TEXT))

COLUMN = """
ALTER TABLE namespaces_namespace ADD COLUMN words tsvector;
-- Nothing is planned by how common a word is.
ALTER TABLE namespaces_namespace ALTER COLUMN words SET STATISTICS 0;

-- Up to `most` namespaces of a kind and a status ('' for any) that have the words: all of them, or if there are
-- more the newest. The index of words answers; but it would gather a word that everybody uses from the whole
-- registry, so when the newest namespaces have enough of it they are looked through instead, and no further than
-- is sure to be quick.
CREATE FUNCTION namespaces_found(asked text, in_nids boolean, kind text, status text, most integer)
RETURNS TABLE (id bigint, nid text, registered_on text, updated_on text)
LANGUAGE plpgsql STABLE STRICT SET enable_seqscan = off SET enable_indexscan = on SET enable_indexonlyscan = on
AS $$
DECLARE
    query tsquery := namespaces_query(asked, in_nids)
        && CASE WHEN kind = '' THEN ''::tsquery ELSE format('''#%s''', kind)::tsquery END
        && CASE WHEN status = '' THEN ''::tsquery ELSE format('''#%s''', status)::tsquery END;
    newest bigint[];
    enough CONSTANT integer := 25;
BEGIN
    IF enough <= (
        SELECT count(*) FROM (
            SELECT one.words FROM namespaces_namespace AS one ORDER BY one.id DESC LIMIT enough * 20
        ) AS sample WHERE sample.words @@ query
    ) THEN
        newest := ARRAY(
            SELECT walk.id FROM (
                SELECT one.id, one.words FROM namespaces_namespace AS one ORDER BY one.id DESC LIMIT most * 30
            ) AS walk WHERE walk.words @@ query LIMIT most
        );
    END IF;
    IF cardinality(newest) = most THEN
        RETURN QUERY SELECT one.id, one.nid::text, one.registered_on::text, one.updated_on::text
            FROM namespaces_namespace AS one WHERE one.id = ANY (newest);
    ELSE
        PERFORM set_config('enable_indexscan', 'off', true), set_config('enable_indexonlyscan', 'off', true);
        RETURN QUERY SELECT one.id, one.nid::text, one.registered_on::text, one.updated_on::text
            FROM namespaces_namespace AS one WHERE one.words @@ query LIMIT most;
    END IF;
END
$$;
"""

FILL = """
UPDATE namespaces_namespace SET words = namespaces_words(
    nid, kind, deprecated_at IS NOT NULL, holder, purpose, "references",
    (SELECT text FROM namespaces_revision WHERE id = latest_id)
);
"""

# A pending constraint of the rows just written must not hold up CREATE INDEX.
SETTLE = "SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED;"

INDEX = "CREATE INDEX namespaces_by_words ON namespaces_namespace USING gin (words);"


class Migration(migrations.Migration):
    dependencies = [("namespaces", "0003_transfers_kept_for_ever")]

    operations = [
        UnaccentExtension(),
        migrations.RunSQL(
            FUNCTIONS,
            """
            DROP FUNCTION namespaces_query(text, boolean);
            DROP FUNCTION namespaces_words(text, text, boolean, text, text, jsonb, text);
            DROP FUNCTION namespaces_plain(text);
            """,
        ),
        migrations.RunSQL(
            COLUMN,
            """
            DROP FUNCTION namespaces_found(text, boolean, text, text, integer);
            ALTER TABLE namespaces_namespace DROP COLUMN words;
            """,
        ),
        migrations.RunSQL(FILL + SETTLE, migrations.RunSQL.noop),
        migrations.RunSQL(INDEX, "DROP INDEX namespaces_by_words;"),
    ]
