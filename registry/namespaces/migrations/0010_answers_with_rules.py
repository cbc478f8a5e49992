"""The answers to lookups say which rules a namespace has, or null."""

from django.db import migrations

from registry.namespaces.migrations._body_of import body_of

# Those that are registered already: the trigger sees to them.
ANEW = "UPDATE namespaces_namespace SET nid = nid"


class Migration(migrations.Migration):
    dependencies = [("namespaces", "0009_rules")]

    operations = [
        migrations.RunSQL(body_of(with_rules=True), ANEW),
        migrations.RunSQL(ANEW, body_of(with_rules=False)),
    ]
