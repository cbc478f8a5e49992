from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("custody", "0002_made_with")]

    operations = [
        migrations.RunSQL(
            "ALTER TABLE custody_namespaceclaim VALIDATE CONSTRAINT custody_namespaceclaim_made_with_fk;",
            migrations.RunSQL.noop,
        )
    ]
