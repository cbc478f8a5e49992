"""The key and the constraints of the last migration are valid."""

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("registers", "0007_changes_of_entries")]

    operations = [
        migrations.RunSQL(
            "ALTER TABLE registers_entryrequest VALIDATE CONSTRAINT registers_entryrequest_entry_id_fk;",
            migrations.RunSQL.noop,
        ),
        ValidateConstraint("entryrequest", "change_says_what_it_replaces"),
        ValidateConstraint("entryrequest", "active_entry_has_no_successor"),
    ]
