from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("accounts", "0002_scope_manage")]

    operations = [ValidateConstraint("token", "scopes_are_known")]
