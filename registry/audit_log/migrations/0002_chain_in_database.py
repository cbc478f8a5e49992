"""The database refuses events that do not continue the chain, and a head that is not its last event."""

from django.db import migrations

from registry.core.database.migration_operations import run_sql_file


class Migration(migrations.Migration):
    dependencies = [("audit_log", "0001_initial")]

    operations = [run_sql_file(__file__, "chain", is_repeatable=True)]
