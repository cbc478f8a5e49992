"""The kind of mail `mentions`."""

from django.db import migrations, models

from registry.core.database.migration_operations import WidenConstraint

KINDS = ["comments", "followed", "mentions", "namespaces", "own_cases", "reminders", "summary", "tasks", "webhooks"]


class Migration(migrations.Migration):
    dependencies = [("mail", "0001_initial")]

    operations = [
        WidenConstraint(
            "mailpreference",
            models.CheckConstraint(condition=models.Q(("kind__in", KINDS)), name="mail_kind_is_known"),
        ),
    ]
