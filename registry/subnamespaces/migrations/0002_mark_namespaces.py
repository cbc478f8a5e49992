"""The database keeps `Namespace.has_subnamespaces` in step with the lists.

It is no part of the initial migration, so that the column can be undone, and made again, while there are lists.
"""

from django.db import migrations

from registry.core.database.migration_operations import run_sql_file


class Migration(migrations.Migration):
    dependencies = [("subnamespaces", "0001_initial"), ("namespaces", "0005_namespace_has_subnamespaces")]

    operations = [run_sql_file(__file__, "mark_namespaces", is_repeatable=True)]
