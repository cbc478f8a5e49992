"""Events of texts by the digest of the text, for the proofs of versions.

An index that was not built to its end stays, and does not count: another attempt removes it first.
"""

from django.db import migrations, models

INDEX = "events_of_text"
DROP = f"DROP INDEX CONCURRENTLY IF EXISTS {INDEX};"
CREATE = (
    f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {INDEX} ON audit_log_event (text_digest, number) WHERE NOT (text_digest = '');"
)


class Migration(migrations.Migration):
    atomic = False  # for CONCURRENTLY
    dependencies = [("audit_log", "0005_former_heads")]

    operations = [
        migrations.SeparateDatabaseAndState(
            [migrations.RunSQL([DROP, CREATE], DROP)],
            [
                migrations.AddIndex(
                    "event",
                    models.Index(
                        "text_digest", "number", condition=models.Q(("text_digest", ""), _negated=True), name=INDEX
                    ),
                )
            ],
        )
    ]
