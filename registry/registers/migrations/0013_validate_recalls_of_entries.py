"""The constraint of the last migration is valid."""

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("registers", "0012_recalls_of_entries")]

    operations = [ValidateConstraint("entry", "recalled_entry_has_a_holder")]
