"""Webhooks whose address must answer a challenge."""

from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models

from registry.core.database.migration_operations import Together


class Migration(migrations.Migration):
    dependencies = [("webhooks", "0001_initial")]

    operations = [
        Together(
            [
                migrations.AddField(
                    "webhook", "confirmed_at", models.DateTimeField(null=True, editable=False)
                ),
                migrations.AddField(
                    "webhook",
                    "challenge",
                    models.CharField(max_length=64, blank=True, db_default="", editable=False),
                ),
            ]
        ),
        AddConstraintNotValid(
            "webhook",
            models.CheckConstraint(
                condition=models.Q(challenge="") | models.Q(confirmed_at=None),
                name="confirmed_webhook_is_not_challenged",
            ),
        ),
    ]
