from django.db import migrations

from registry.core.database.migration_operations import run_sql_file


class Migration(migrations.Migration):
    dependencies = [("registers", "0005_several_registers")]
    operations = [run_sql_file(__file__, "check_by_index", is_repeatable=True)]
