"""An entry has one undecided change, and changes do not count as requests for new labels.

An index that was not built to its end stays, and does not count: another attempt removes it first. The old indexes, by which a change
was a request for its label, are removed after the new ones stand.
"""

from django.db import migrations, models
from django.db.models import Q

from registry.core.database.migration_operations import Together

TABLE = "registers_entryrequest"
UNDECIDED = "state IN ('open', 'changes_requested')"
# The new indexes by name, and those that they replace.
NEW = {
    "one_undecided_request_per_new_label": f"(register_id, key) WHERE entry_id IS NULL AND {UNDECIDED}",
    "one_undecided_request_per_new_skeleton": f"(register_id, skeleton) WHERE entry_id IS NULL AND {UNDECIDED}",
    "one_undecided_change_per_entry": f"(entry_id) WHERE entry_id IS NOT NULL AND {UNDECIDED}",
}
OLD = {
    "one_undecided_request_per_label": f"(register_id, key) WHERE {UNDECIDED}",
    "one_undecided_request_per_skeleton": f"(register_id, skeleton) WHERE {UNDECIDED}",
}


def dropped(indexes: dict[str, str]) -> list[str]:
    return [f"DROP INDEX CONCURRENTLY IF EXISTS {name};" for name in indexes]


def created(indexes: dict[str, str]) -> list[str]:
    return [
        f"CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS {name} ON {TABLE} {on};"
        for name, on in indexes.items()
    ]


def for_new_ones(column: str, name: str) -> migrations.AddConstraint:
    condition = Q(state__in=["open", "changes_requested"], entry=None)
    return migrations.AddConstraint(
        "entryrequest", models.UniqueConstraint("register", column, condition=condition, name=name)
    )


class Migration(migrations.Migration):
    atomic = False  # for CONCURRENTLY
    dependencies = [("registers", "0008_validate_changes_of_entries")]

    operations = [
        migrations.SeparateDatabaseAndState(
            [
                migrations.RunSQL(
                    [*dropped(NEW), *created(NEW), *dropped(OLD)],
                    [*dropped(OLD), *created(OLD), *dropped(NEW)],
                )
            ],
            [
                Together(
                    [
                        *(migrations.RemoveConstraint("entryrequest", name) for name in OLD),
                        for_new_ones("key", "one_undecided_request_per_new_label"),
                        for_new_ones("skeleton", "one_undecided_request_per_new_skeleton"),
                        migrations.AddConstraint(
                            "entryrequest",
                            models.UniqueConstraint(
                                "entry",
                                condition=Q(state__in=["open", "changes_requested"], entry__isnull=False),
                                name="one_undecided_change_per_entry",
                            ),
                        ),
                    ]
                )
            ],
        )
    ]
