"""A search reads no more of the index than it takes: every word asked for is a few lexemes, none a range of them.

A prefix (`lexeme:*`) is gathered whole before the index looks at the next word: a common one takes a tenth of a
second among a million namespaces, however few of them are wanted. Exact lexemes are read side by side, and each
is skipped to where the others are. `words` of a namespace holds
    @isb      each one, two and three letters in a row of its NID, and where: the parts of a longer part follow each
              other, from which the database tells `isbn` from `isb` and `sbn` by itself;
    ~stat     how each word of its NID, registrant, references and purpose begins, the whole word too;
    =stat     how each word of its registrant begins;
    station   the stem of each word of these and of the text of the current registration;
    #formal, #active   its kind and its status;
    !10:976 … !24:0   which thousand (2 to the power of 10) of numbers its own is in, and which of larger lots;
    %0:1037685 … %22:0   likewise the day of its last change: all days from one on are a few lots of twice the size each.
"""

import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations

from registry.namespaces.migrations._found import found

# As much as is sure to fit into a tsvector (1 MB), whatever letters it is made of: of a text, and of what is kept
# with all beginnings of its words. A word longer than any NID is found by its first letters.
LIMITS = {"LONGEST_TEXT": "100000", "LONGEST_GIST": "10000", "LONGEST_WORD": "32"}

NO_FUNCTIONS = """
DROP FUNCTION namespaces_found(text, boolean, text, text, integer);
DROP FUNCTION namespaces_query(text, boolean);
DROP FUNCTION namespaces_words(text, text, boolean, text, text, jsonb, text);
"""

FUNCTIONS = """
-- How each word of a plain text begins, from its first letter to the whole word.
CREATE FUNCTION namespaces_beginnings(mark text, plain text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT coalesce(array_agg(mark || left(word, long)), '{}')
    FROM unnest(string_to_array(left(plain, LONGEST_GIST), ' ')) AS word,
        generate_series(1, least(length(word), LONGEST_WORD)) AS long
$$;

-- The parts of a NID, each with its place; at its end the longer ones are the shorter ones once more.
CREATE FUNCTION namespaces_parts(nid text) RETURNS tsvector LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT string_agg(
        format('''@%s'':%s ''@%s'':%s ''@%s'':%s', left(rest, 1), start, left(rest, 2), start, left(rest, 3), start), ' '
    )::tsvector
    FROM generate_series(1, length(nid)) AS start, substr(nid, start) AS rest
$$;

-- '!10:976': what has all but the last 10 bits of its number in common with this one.
CREATE FUNCTION namespaces_lot(mark text, bits integer, number bigint) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT format('%s%s:%s', mark, bits, number >> bits)
$$;

-- A day, or the first one of a month, as a number that grows with it; null if it is none. No month has more than 31 days, no year 15 months.
CREATE FUNCTION namespaces_day(day text) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN day ~ '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?$' THEN
        (left(day, 4)::bigint << 9) + (substr(day, 6, 2)::bigint << 5) + coalesce(nullif(substr(day, 9), ''), '1')::bigint
    END
$$;

CREATE FUNCTION namespaces_words(
    id bigint, nid text, kind text, is_deprecated boolean, changed_on text, holder text, purpose text, cited jsonb,
    content text
) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT namespaces_parts(nid)
           || array_to_tsvector(
               ARRAY['#' || kind, CASE WHEN is_deprecated THEN '#deprecated' ELSE '#active' END]
               || ARRAY(SELECT namespaces_lot('!', bits, id) FROM generate_series(10, 24) AS bits)
               || ARRAY(SELECT namespaces_lot('%', bits, day) FROM generate_series(0, 22) AS bits WHERE day IS NOT NULL)
               || namespaces_beginnings('~', gist) || namespaces_beginnings('=', namespaces_plain(holder))
           )
           || strip(to_tsvector('english', gist || ' ' || namespaces_plain(coalesce(content, ''))))
    FROM namespaces_plain(
        concat_ws(' ', nid, holder, purpose, jsonb_path_query_array(cited, '$[*].label'))
    ) AS gist, namespaces_day(nullif(changed_on, '')) AS day
$$;

-- What asks for namespaces with each of the words, in their NIDs alone or anywhere; without a word, for what none has.
-- Words such as "of", which every text has, count only when there are no others, and then in NIDs.
CREATE FUNCTION namespaces_keys(asked text, in_nids boolean) RETURNS tsquery[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    WITH words AS (
        SELECT word, ts_lexize('english_stem', word) AS stem,
               CASE WHEN length(word) <= 3 THEN format('''@%s''', word)
                    WHEN length(word) > LONGEST_WORD THEN '''@'''  -- in no NID
                    ELSE '(' || (SELECT string_agg(format('''@%s''', substr(word, start, 3)), ' <-> ' ORDER BY start)
                                 FROM generate_series(1, length(word) - 2) AS start) || ')' END AS in_nid
        FROM (SELECT DISTINCT left(word, 64) AS word
              FROM regexp_split_to_table(namespaces_plain(left(asked, 500)), ' ') AS word
              WHERE word <> '' LIMIT 10) AS first_ones
    ), telling AS (
        SELECT * FROM words WHERE stem <> '{}' OR NOT EXISTS (SELECT FROM words WHERE stem <> '{}')
    )
    SELECT coalesce(
        array_agg(
            CASE WHEN in_nids OR stem = '{}' THEN in_nid
                 ELSE format('%s | ''~%s'' | ''%s''', in_nid, left(word, LONGEST_WORD), stem[1]) END::tsquery
        ),
        ARRAY['''@'''::tsquery])
    FROM telling
$$;

-- What asks for those whose registrant's name has, for each of the words, one that begins with it.
CREATE FUNCTION namespaces_registrant_keys(asked text) RETURNS tsquery[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT coalesce(array_agg(format('''=%s''', left(word, LONGEST_WORD))::tsquery), ARRAY['''@'''::tsquery])
    FROM regexp_split_to_table(namespaces_plain(left(asked, 500)), ' ') AS word WHERE word <> ''
$$;

-- What asks for those that changed on a day or later, or in a month or later: on that day, on the next ones up to the
-- end of a lot, and in ever larger lots behind it.
CREATE FUNCTION namespaces_since_key(day text) RETURNS tsquery LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT string_agg(format('''%s''', lot), ' | ')::tsquery FROM (
        SELECT namespaces_lot('%', 0, first) FROM namespaces_day(day) AS first
        UNION ALL
        SELECT namespaces_lot('%', bits, first + (1 << bits))
        FROM namespaces_day(day) AS first, generate_series(0, 22) AS bits WHERE (first >> bits) & 1 = 0
    ) AS lots (lot)
$$;

-- How `namespaces_found` asks for up to `most` namespaces that answer to each of `keys`. In one key with another, the
-- index would go through all that is new, or changed, before it looks at a word.
CREATE FUNCTION namespaces_found_query(keys tsquery[], most integer) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT 'SELECT one.id FROM namespaces_namespace AS one WHERE '
        || string_agg(format('one.words @@ %L', key), ' AND ') || ' LIMIT ' || most
    FROM unnest(keys) AS key
$$;
"""
for name, number in LIMITS.items():
    FUNCTIONS = FUNCTIONS.replace(name, number)

# What the words are is renewed, and nothing else: whoever watches namespaces has nothing to see.
FILL = """
DROP INDEX namespaces_by_words;
ALTER TABLE namespaces_namespace DISABLE TRIGGER USER;
UPDATE namespaces_namespace SET words = namespaces_words(
    id, nid, kind, deprecated_at IS NOT NULL, namespaces_changed_on(registered_on, updated_on, deprecated_at), holder,
    purpose, "references", (SELECT text FROM namespaces_revision WHERE id = latest_id)
);
ALTER TABLE namespaces_namespace ENABLE TRIGGER USER;
"""

# New namespaces wait in a list that every search looks through: a short one.
INDEX = """
CREATE INDEX namespaces_by_words ON namespaces_namespace USING gin (words) WITH (gin_pending_list_limit = 128);
"""


class Migration(migrations.Migration):
    dependencies = [("namespaces", "0010_answers_with_rules")]

    operations = [
        pgtrigger.migrations.RemoveTrigger(model_name="namespace", name="keep_its_words"),
        migrations.RunSQL(NO_FUNCTIONS + FUNCTIONS + found(by_rules=False) + FILL),
        pgtrigger.migrations.AddTrigger(
            model_name='namespace',
            trigger=pgtrigger.compiler.Trigger(name='keep_its_words', sql=pgtrigger.compiler.UpsertTriggerSql(func='NEW.words := namespaces_words(NEW.id, NEW.nid, NEW.kind, NEW.deprecated_at IS NOT NULL, namespaces_changed_on(NEW.registered_on, NEW.updated_on, NEW.deprecated_at), NEW.holder, NEW.purpose, NEW."references", (SELECT text FROM namespaces_revision WHERE id = NEW.latest_id)); RETURN NEW;', hash='ffa4451ebc380daaeb669468d347991d00dabdee', operation='INSERT OR UPDATE OF "nid", "kind", "registered_on", "updated_on", "deprecated_at", "holder", "purpose", "references", "latest_id"', pgid='pgtrigger_keep_its_words_22b90', table='namespaces_namespace', when='BEFORE')),
        ),
        migrations.RunSQL(INDEX),
    ]
