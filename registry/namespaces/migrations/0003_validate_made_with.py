from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("namespaces", "0002_made_with")]

    operations = [
        migrations.RunSQL(
            "ALTER TABLE namespaces_transfer VALIDATE CONSTRAINT namespaces_transfer_made_with_fk;",
            migrations.RunSQL.noop,
        )
    ]
