"""Requests for changes of entries. The key and the constraints are validated in the next migration, so that no statement holds up
requests.
"""

import django.db.models.deletion
from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models
from django.db.models import Q

from registry.core.database.migration_operations import Together, run_sql_file

STATUSES = [("active", "active"), ("deprecated", "deprecated"), ("retired", "retired")]
COLUMN = [
    "ALTER TABLE registers_entryrequest ADD COLUMN entry_id bigint NULL;",
    "ALTER TABLE registers_entryrequest ADD CONSTRAINT registers_entryrequest_entry_id_fk FOREIGN KEY (entry_id) "
    "REFERENCES registers_entry (id) DEFERRABLE INITIALLY DEFERRED NOT VALID;",
]


class Migration(migrations.Migration):
    dependencies = [("registers", "0006_check_by_index")]

    operations = [
        migrations.SeparateDatabaseAndState(
            [migrations.RunSQL(COLUMN, ["ALTER TABLE registers_entryrequest DROP COLUMN entry_id;"])],
            [
                migrations.AddField(
                    "entryrequest",
                    "entry",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="changes",
                        to="registers.entry",
                    ),
                )
            ],
        ),
        Together(
            [
                migrations.AddField("entryrequest", "replaces", models.PositiveIntegerField(null=True)),
                migrations.AddField(
                    "entryrequest",
                    "status",
                    models.CharField(blank=True, choices=STATUSES, db_default="", max_length=10),
                ),
                migrations.AddField(
                    "entryrequest", "successor", models.CharField(blank=True, db_default="", max_length=255)
                ),
            ]
        ),
        Together(
            [
                AddConstraintNotValid(
                    "entryrequest",
                    models.CheckConstraint(
                        condition=Q(entry=None, replaces=None, status="", successor="")
                        | Q(
                            entry__isnull=False,
                            replaces__isnull=False,
                            replaces__gt=0,
                            status__in=["active", "deprecated", "retired"],
                        ),
                        name="change_says_what_it_replaces",
                    ),
                ),
                AddConstraintNotValid(
                    "entryrequest",
                    models.CheckConstraint(
                        condition=Q(successor="") | ~Q(status="active"), name="active_entry_has_no_successor"
                    ),
                ),
            ]
        ),
        run_sql_file(__file__, "changes", undone_by="changes_undone"),
    ]
