"""Fields of a register of its own, their values in requests, and both in what a change of the register replaced."""

from django.db import migrations, models

from registry.core.database.migration_operations import Together, run_sql_file


class Migration(migrations.Migration):
    dependencies = [("registers", "0001_initial")]

    operations = [
        Together(
            [
                migrations.AddField(
                    model_name="entryrequest",
                    name="fields",
                    field=models.JSONField(blank=True, db_default={}, default=dict),
                ),
                migrations.AddField(
                    model_name="register",
                    name="fields",
                    field=models.JSONField(blank=True, db_default=[], default=list),
                ),
                migrations.AddField(
                    model_name="replacedregister",
                    name="fields",
                    field=models.JSONField(blank=True, db_default=[], default=list),
                ),
            ]
        ),
        run_sql_file(__file__, "fields", undone_by="fields_undone"),
    ]
