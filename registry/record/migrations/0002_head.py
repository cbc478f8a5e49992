from django.db import migrations


def begin(apps, schema_editor):
    apps.get_model("record", "Head").objects.create(pk=1)


class Migration(migrations.Migration):
    dependencies = [("record", "0001_initial")]
    operations = [migrations.RunPython(begin, migrations.RunPython.noop)]
