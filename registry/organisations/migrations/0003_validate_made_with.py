from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("organisations", "0002_made_with")]

    operations = [
        migrations.RunSQL(
            "ALTER TABLE organisations_membershipinvitation VALIDATE CONSTRAINT organisations_membershipinvitation_made_with_fk;",
            migrations.RunSQL.noop,
        )
    ]
