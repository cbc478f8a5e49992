"""Recalls of entries. The constraint is validated in the next migration, so that no statement holds up requests."""

from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models
from django.db.models import Q

from registry.core.database.migration_operations import Together


class Migration(migrations.Migration):
    dependencies = [("registers", "0011_fill_contacts_of_entries")]

    operations = [
        Together(
            [
                migrations.AddField("entry", "recall_ends_at", models.DateTimeField(null=True)),
                migrations.AddField("entry", "kept_at", models.DateTimeField(null=True)),
            ]
        ),
        AddConstraintNotValid(
            "entry",
            models.CheckConstraint(
                condition=Q(recall_ends_at=None, kept_at=None)
                | Q(person__isnull=False)
                | Q(organisation__isnull=False),
                name="recalled_entry_has_a_holder",
            ),
        ),
    ]
