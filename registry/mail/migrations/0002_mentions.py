"""The kind of mail `mentions`."""

from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models

BEFORE = ["comments", "followed", "namespaces", "own_cases", "reminders", "summary", "tasks", "webhooks"]
KINDS = sorted([*BEFORE, "mentions"])


class Migration(migrations.Migration):
    dependencies = [("mail", "0001_initial")]

    operations = [
        migrations.SeparateDatabaseAndState(
            # A constraint that permits more replaces it in the same transaction.
            [
                migrations.RunSQL(
                    [
                        "-- squawk-ignore ban-drop-constraint\nALTER TABLE mail_mailpreference DROP CONSTRAINT mail_kind_is_known;"
                    ],
                    "ALTER TABLE mail_mailpreference ADD CONSTRAINT mail_kind_is_known CHECK (kind IN ("
                    + ", ".join(f"'{kind}'" for kind in BEFORE)
                    + ")) NOT VALID;",
                )
            ],
            [migrations.RemoveConstraint("mailpreference", "mail_kind_is_known")],
        ),
        AddConstraintNotValid(
            "mailpreference",
            models.CheckConstraint(condition=models.Q(("kind__in", KINDS)), name="mail_kind_is_known"),
        ),
    ]
