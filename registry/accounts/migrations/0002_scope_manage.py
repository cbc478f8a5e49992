"""The scope `manage`. Existing tokens do not have it."""

import django.contrib.postgres.fields
from django.db import migrations, models

from registry.core.database.migration_operations import WidenConstraint

SCOPES = [
    ("read", "read what only you can see, such as your drafts and tasks"),
    ("write", "write as registrant and participant: create, edit, submit, comment, withdraw"),
    (
        "manage",
        "manage what you control: members, co-editors, domains, offers, claims, contacts, webhooks",
    ),
    ("decide", "decide in your roles: as expert, administrator or liaison"),
]


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_initial")]

    operations = [
        migrations.AlterField(
            "token",
            "scopes",
            django.contrib.postgres.fields.ArrayField(
                models.CharField(choices=SCOPES, max_length=6), size=None
            ),
        ),
        WidenConstraint(
            "token",
            models.CheckConstraint(
                condition=models.Q(
                    ("scopes__contained_by", ["read", "write", "manage", "decide"]), ("scopes__len__gt", 0)
                ),
                name="scopes_are_known",
            ),
        ),
    ]
