"""A search for words knows which namespaces have rules by what it looks at, so that it finds them however rare they are.

`words` of a namespace holds, beside what 0011 says, `#with-rules` or `#without-rules`.
"""

import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations

from registry.namespaces.migrations._found import found

RULED = """
CREATE FUNCTION namespaces_ruled(rules_id bigint) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT array_to_tsvector(ARRAY[CASE WHEN rules_id IS NULL THEN '#without-rules' ELSE '#with-rules' END])
$$;
"""


def words_are(value: str) -> str:
    """Nothing else is renewed: whoever watches namespaces has nothing to see. The index is made anew in less time."""
    return f"""
DROP INDEX namespaces_by_words;
ALTER TABLE namespaces_namespace DISABLE TRIGGER USER;
UPDATE namespaces_namespace SET words = {value};
ALTER TABLE namespaces_namespace ENABLE TRIGGER USER;
CREATE INDEX namespaces_by_words ON namespaces_namespace USING gin (words) WITH (gin_pending_list_limit = 128);
"""


class Migration(migrations.Migration):
    dependencies = [("namespaces", "0012_changes_in_every_order")]

    operations = [
        migrations.RunSQL(
            "DROP FUNCTION namespaces_found(text, boolean, text, text, text, text, integer);" + found(by_rules=True),
            "DROP FUNCTION namespaces_found(text, boolean, text, text, text, text, text, integer);"
            + found(by_rules=False),
        ),
        migrations.RunSQL(RULED, "DROP FUNCTION namespaces_ruled(bigint);"),
        pgtrigger.migrations.RemoveTrigger(model_name="namespace", name="keep_its_words"),
        pgtrigger.migrations.AddTrigger(
            model_name='namespace',
            trigger=pgtrigger.compiler.Trigger(name='keep_its_words', sql=pgtrigger.compiler.UpsertTriggerSql(func='NEW.words := namespaces_words(NEW.id, NEW.nid, NEW.kind, NEW.deprecated_at IS NOT NULL, namespaces_changed_on(NEW.registered_on, NEW.updated_on, NEW.deprecated_at), NEW.holder, NEW.purpose, NEW."references", (SELECT text FROM namespaces_revision WHERE id = NEW.latest_id)) || namespaces_ruled(NEW.rules_id); RETURN NEW;', hash='3930058a0e5ea483329fe0ec78090c1ed5aaa536', operation='INSERT OR UPDATE OF "nid", "kind", "registered_on", "updated_on", "deprecated_at", "holder", "purpose", "references", "latest_id", "rules_id"', pgid='pgtrigger_keep_its_words_22b90', table='namespaces_namespace', when='BEFORE')),
        ),
        migrations.RunSQL(
            words_are("words || namespaces_ruled(rules_id)"),
            words_are("ts_delete(words, ARRAY['#with-rules', '#without-rules'])"),
        ),
    ]
