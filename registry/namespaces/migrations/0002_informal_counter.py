from django.db import migrations


def begin_at_zero(apps, schema_editor):
    apps.get_model("namespaces", "InformalCounter").objects.create(pk=1)


class Migration(migrations.Migration):
    dependencies = [("namespaces", "0001_initial")]
    operations = [migrations.RunPython(begin_at_zero, migrations.RunPython.noop)]
