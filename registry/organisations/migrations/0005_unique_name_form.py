"""The comparison forms of the names of organisations are unique.

An index that was not built to its end stays, and does not count: another attempt removes it first.
"""

from django.db import migrations, models
from django.db.models import F

INDEX = "one_organisation_per_name"
DROP = f"DROP INDEX CONCURRENTLY IF EXISTS {INDEX};"
CREATE = f"CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS {INDEX} ON organisations_organisation (name_form);"


class Migration(migrations.Migration):
    atomic = False  # for CONCURRENTLY
    dependencies = [("organisations", "0004_name_form")]

    operations = [
        migrations.SeparateDatabaseAndState(
            [migrations.RunSQL([DROP, CREATE], DROP)],
            [
                migrations.AddConstraint(
                    "organisation", models.UniqueConstraint(F("name_form"), name=INDEX)
                )
            ],
        )
    ]
