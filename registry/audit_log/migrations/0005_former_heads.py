"""Heads say which format their code knows, so that code before format 2 can't sign a wrong one."""

from django.db import migrations, models

from registry.core.database.migration_operations import run_sql_file


class Migration(migrations.Migration):
    dependencies = [("audit_log", "0004_tiles")]

    operations = [
        migrations.AddField(
            model_name="signedhead",
            name="leaf_format",
            field=models.BigIntegerField(null=True),
        ),
        run_sql_file(__file__, "former_heads", is_repeatable=True),
    ]
