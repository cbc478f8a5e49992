"""Webhooks whose address must answer a challenge. Those that exist count as confirmed (docs/decisions/0021-webhooks.md)."""

from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models
from django.db.models.functions import Now


class Migration(migrations.Migration):
    dependencies = [("webhooks", "0001_initial")]

    operations = [
        # The default is that of the rows that exist, which PostgreSQL does not rewrite for it.
        migrations.AddField(
            "webhook", "confirmed_at", models.DateTimeField(null=True, db_default=Now(), editable=False)
        ),
        migrations.AlterField(
            "webhook", "confirmed_at", models.DateTimeField(null=True, editable=False)
        ),
        migrations.AddField(
            "webhook",
            "challenge",
            models.CharField(max_length=64, blank=True, db_default="", editable=False),
        ),
        AddConstraintNotValid(
            "webhook",
            models.CheckConstraint(
                condition=models.Q(challenge="") | models.Q(confirmed_at=None),
                name="confirmed_webhook_is_not_challenged",
            ),
        ),
    ]
