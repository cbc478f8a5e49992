"""What is known of a sub-namespace before it was listed is only added to."""

from django.db import migrations

from registry.core.database.migration_operations import run_sql_file


class Migration(migrations.Migration):
    dependencies = [("subnamespaces", "0003_subnamespace_is_registered")]

    operations = [run_sql_file(__file__, "history", is_repeatable=True)]
