"""Events whose leaves others can compute: the salts of what is not public, and the last event that has them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("audit_log", "0002_chain_in_database")]

    operations = [
        migrations.AddField(
            model_name="event",
            name="salts",
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name="chainhead",
            name="last_in_format_2",
            field=models.BigIntegerField(db_default=0, default=0),
        ),
    ]
