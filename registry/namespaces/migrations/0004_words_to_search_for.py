"""What a search looks at: a column that only the database knows, kept by triggers, also for rows from COPY.

`words` of a namespace holds, as lexemes,
    @sbn      each ending of its NID, so that a beginning of one is any part of the NID;
    ~station  each word of its NID, registrant, references and purpose, to be found by how it begins;
    station   the stem of each word of these and of the text of the current registration.
"""

from django.contrib.postgres.operations import UnaccentExtension
from django.db import migrations

# As much of a text as is sure to fit into a tsvector (1 MB), whatever letters it is made of.
LONGEST_TEXT = 100_000

FUNCTIONS = f"""
-- Letters and digits alone, without accents and in lower case, a space between words.
CREATE FUNCTION namespaces_plain(text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT trim(regexp_replace(lower(unaccent('unaccent', left($1, {LONGEST_TEXT}))), '[^[:alnum:]]+', ' ', 'g'))
$$;

CREATE FUNCTION namespaces_words(nid text, holder text, purpose text, cited jsonb, content text)
RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT array_to_tsvector(
               ARRAY(SELECT '@' || substr(nid, start) FROM generate_series(1, length(nid)) AS start)
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
        SELECT word, ts_lexize('english_stem', word) AS stem
        FROM (SELECT DISTINCT left(word, 64) AS word
              FROM regexp_split_to_table(namespaces_plain(left(asked, 500)), ' ') AS word
              WHERE word <> '' LIMIT 10) AS first_ones
    ), telling AS (
        SELECT * FROM words WHERE stem <> '{{}}' OR NOT EXISTS (SELECT FROM words WHERE stem <> '{{}}')
    )
    SELECT string_agg(
        CASE WHEN in_nids OR stem = '{{}}' THEN format('''@%s'':*', word)
             ELSE format('(''@%s'':* | ''~%s'':* | ''%s'')', word, word, stem[1]) END,
        ' & ')::tsquery
    FROM telling
$$;
"""

COLUMN = """
ALTER TABLE namespaces_namespace ADD COLUMN words tsvector;
-- The planner chooses by how common a word is, so it is to know more of them than usual.
ALTER TABLE namespaces_namespace ALTER COLUMN words SET STATISTICS 500;
"""

FILL = """
UPDATE namespaces_namespace SET words = namespaces_words(
    nid, holder, purpose, "references", (SELECT text FROM namespaces_revision WHERE id = latest_id)
);
"""

# A pending constraint of the rows just written must not hold up ALTER TABLE and CREATE INDEX.
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
            DROP FUNCTION namespaces_words(text, text, text, jsonb, text);
            DROP FUNCTION namespaces_plain(text);
            """,
        ),
        migrations.RunSQL(COLUMN, "ALTER TABLE namespaces_namespace DROP COLUMN words;"),
        migrations.RunSQL(FILL + SETTLE, migrations.RunSQL.noop),
        migrations.RunSQL(INDEX, "DROP INDEX namespaces_by_words;"),
    ]
