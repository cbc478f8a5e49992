from django.db import migrations

from registry.core.database.migration_operations import run_sql_file


class Migration(migrations.Migration):
    dependencies = [("registers", "0013_validate_recalls_of_entries")]
    operations = [run_sql_file(__file__, "always", is_repeatable=True)]
