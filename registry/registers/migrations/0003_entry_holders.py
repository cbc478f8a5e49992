"""Registers below entries, organisations that hold entries, and offers of entries.

The columns stay when the migration is undone: without them, the registers of one namespace could not be told apart. The keys
and the constraints are validated in the next migration, so that no statement holds up requests.
"""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models
from django.db.models import Q

from registry.core.database.migration_operations import Together, run_sql_file

# The new columns by table, with what they refer to.
COLUMNS = (
    ("registers_register", "entry_id", "registers_entry"),
    ("registers_register", "branch_id", "registers_entry"),
    ("registers_entry", "organisation_id", "organisations_organisation"),
)


def added(table: str, column: str, to: str) -> list[str]:
    """The statements that add a column with a key that is not valid yet."""
    return [
        f"ALTER TABLE {table} ADD COLUMN IF NOT EXISTS {column} bigint NULL;",
        f"ALTER TABLE {table} ADD CONSTRAINT {table}_{column}_fk FOREIGN KEY ({column}) REFERENCES {to} (id) "
        "DEFERRABLE INITIALLY DEFERRED NOT VALID;",
    ]


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_validate_scopes"),
        ("organisations", "0005_unique_name_form"),
        ("registers", "0002_fields"),
    ]

    operations = [
        Together(
            [
                migrations.CreateModel(
                    name="EntryOffer",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("email", models.EmailField(max_length=254)),
                        ("offered_at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("ended_at", models.DateTimeField(null=True)),
                        ("is_accepted", models.BooleanField(default=False)),
                        (
                            "made_with",
                            models.ForeignKey(
                                db_index=False,
                                editable=False,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="accounts.token",
                            ),
                        ),
                        (
                            "offered_by",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "entry",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="offers",
                                to="registers.entry",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["pk"],
                        "constraints": [
                            models.UniqueConstraint(
                                "entry", condition=Q(ended_at=None), name="one_open_offer_per_entry"
                            ),
                            models.CheckConstraint(
                                condition=Q(is_accepted=False) | Q(ended_at__isnull=False),
                                name="accepted_entry_offer_has_ended",
                            ),
                        ],
                    },
                ),
            ]
        ),
        run_sql_file(__file__, "entry_offers", is_repeatable=True),
        migrations.SeparateDatabaseAndState(
            [
                migrations.RunSQL(
                    [statement for each in COLUMNS for statement in added(*each)],
                    [
                        f"ALTER TABLE {table} DROP CONSTRAINT {table}_{column}_fk;"
                        for table, column, _ in COLUMNS
                    ],
                )
            ],
            [
                Together(
                    [
                        migrations.AddField(
                            "register",
                            "entry",
                            models.OneToOneField(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="below",
                                to="registers.entry",
                            ),
                        ),
                        migrations.AddField(
                            "register",
                            "branch",
                            models.ForeignKey(
                                db_index=False,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="registers_of_branch",
                                to="registers.entry",
                            ),
                        ),
                        migrations.AddField(
                            "entry",
                            "organisation",
                            models.ForeignKey(
                                db_index=False,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="register_entries",
                                to="organisations.organisation",
                            ),
                        ),
                        migrations.AlterField(
                            "register",
                            "namespace",
                            models.ForeignKey(
                                db_index=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="registers",
                                to="namespaces.namespace",
                            ),
                        ),
                    ]
                )
            ],
        ),
        Together(
            [
                AddConstraintNotValid(
                    "register",
                    models.CheckConstraint(
                        condition=Q(branch=None) | Q(entry__isnull=False), name="branch_is_around_a_register"
                    ),
                ),
                AddConstraintNotValid(
                    "entry",
                    models.CheckConstraint(
                        condition=Q(person=None) | Q(organisation=None),
                        name="person_or_organisation_holds_an_entry",
                    ),
                ),
            ]
        ),
        run_sql_file(__file__, "branches", is_repeatable=True),
    ]
