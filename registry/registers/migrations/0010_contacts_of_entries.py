"""The contact of an entry, which was only in the request for it. The next migration fills it."""

from django.db import migrations, models

class Migration(migrations.Migration):
    dependencies = [("registers", "0009_unique_changes_of_entries")]

    operations = [
        migrations.AddField(
            "entry", "contact", models.CharField(blank=True, db_default="", max_length=254)
        ),
    ]
