"""Webhooks that exist count as confirmed (docs/decisions/0021-webhooks.md). There are at most ten of an account."""

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("webhooks", "0002_challenges")]

    operations = [
        migrations.RunSQL(
            "UPDATE webhooks_webhook SET confirmed_at = created_at;", migrations.RunSQL.noop
        ),
        ValidateConstraint("webhook", "confirmed_webhook_is_not_challenged"),
    ]
