from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("record", "0002_head")]

    operations = [
        migrations.AddIndex(
            model_name="event",
            index=models.Index(
                models.F("number"), condition=models.Q(("verb", "import_iana")), name="events_of_imports"
            ),
        ),
    ]
