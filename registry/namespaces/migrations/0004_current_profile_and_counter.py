"""The database compares the current profile with its versions, from every role, and never sets the counter back."""

from django.db import migrations

from registry.core.database.migration_operations import run_sql_file


class Migration(migrations.Migration):
    dependencies = [("namespaces", "0003_validate_made_with")]

    operations = [run_sql_file(__file__, "current_profile_and_counter", is_repeatable=True)]
