"""The keys and the constraints of the last migration are valid."""

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("registers", "0003_entry_holders")]

    operations = [
        migrations.RunSQL(
            [
                "ALTER TABLE registers_register VALIDATE CONSTRAINT registers_register_entry_id_fk;",
                "ALTER TABLE registers_register VALIDATE CONSTRAINT registers_register_branch_id_fk;",
                "ALTER TABLE registers_entry VALIDATE CONSTRAINT registers_entry_organisation_id_fk;",
            ],
            migrations.RunSQL.noop,
        ),
        ValidateConstraint("register", "branch_is_around_a_register"),
        ValidateConstraint("entry", "person_or_organisation_holds_an_entry"),
    ]
