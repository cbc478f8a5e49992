"""A namespace has one register directly below it, and one below each entry.

An index that was not built to its end stays, and does not count: another attempt removes it first. The last statement removes the
constraint of the first migration, by which a namespace had one register wherever it stood. Undoing the migration keeps it so.
"""

from django.db import migrations, models
from django.db.models import Q

from registry.core.database.migration_operations import Together

# The new indexes by name: what they are, and on what.
INDEXES = {
    "one_register_directly_below_a_namespace": (
        "UNIQUE INDEX",
        "registers_register (namespace_id) WHERE entry_id IS NULL",
    ),
    "registers_register_entry_id_key": ("UNIQUE INDEX", "registers_register (entry_id)"),
    "registers_by_namespace": ("INDEX", "registers_register (namespace_id, id)"),
    "registers_by_branch": ("INDEX", "registers_register (branch_id) WHERE branch_id IS NOT NULL"),
    "entries_by_organisation": (
        "INDEX",
        "registers_entry (organisation_id) WHERE organisation_id IS NOT NULL",
    ),
}
DROPPED = [f"DROP INDEX CONCURRENTLY IF EXISTS {name};" for name in INDEXES]
CREATED = [
    f"CREATE {kind} CONCURRENTLY IF NOT EXISTS {name} ON {on};" for name, (kind, on) in INDEXES.items()
]
# The release before this one reads a namespace with several registers as one of them.
SEVERAL = """\
-- squawk-ignore ban-drop-constraint
ALTER TABLE registers_register DROP CONSTRAINT IF EXISTS registers_register_namespace_id_key;"""


class Migration(migrations.Migration):
    atomic = False  # for CONCURRENTLY
    dependencies = [("registers", "0004_validate_entry_holders")]

    operations = [
        migrations.SeparateDatabaseAndState(
            [migrations.RunSQL([*DROPPED, *CREATED, SEVERAL], DROPPED)],
            [
                Together(
                    [
                        migrations.AddConstraint(
                            "register",
                            models.UniqueConstraint(
                                "namespace",
                                condition=Q(entry=None),
                                name="one_register_directly_below_a_namespace",
                            ),
                        ),
                        migrations.AddIndex(
                            "register", models.Index("namespace", "id", name="registers_by_namespace")
                        ),
                        migrations.AddIndex(
                            "register",
                            models.Index(
                                "branch", name="registers_by_branch", condition=Q(branch__isnull=False)
                            ),
                        ),
                        migrations.AddIndex(
                            "entry",
                            models.Index(
                                "organisation",
                                name="entries_by_organisation",
                                condition=Q(organisation__isnull=False),
                            ),
                        ),
                    ]
                )
            ],
        )
    ]
