"""The last event is found by the index, so that an event takes no longer in a long log."""

from django.db import migrations

from registry.core.database.migration_operations import run_sql_file


class Migration(migrations.Migration):
    dependencies = [("audit_log", "0008_timestamps")]

    operations = [run_sql_file(__file__, "chain", is_repeatable=True)]
