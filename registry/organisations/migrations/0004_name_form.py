"""The comparison forms of the names of organisations.

Of organisations whose names could be mistaken for each other, the oldest gets the form; the others keep their names without one.
There are few organisations, so their rows are written here.
"""

from typing import Any

from django.db import migrations, models

from registry.core.names import comparison_form


def fill_forms(apps: Any, schema_editor: Any) -> None:
    organisations = apps.get_model("organisations", "Organisation").objects
    taken = set()
    for key, name in organisations.order_by("pk").values_list("pk", "name"):
        if (form := comparison_form(name)) not in taken:
            organisations.filter(pk=key).update(name_form=form)
            taken.add(form)


class Migration(migrations.Migration):
    dependencies = [("organisations", "0003_validate_made_with")]

    operations = [
        migrations.AddField(
            "organisation", "name_form", models.CharField(max_length=500, null=True, editable=False)
        ),
        migrations.RunPython(fill_forms, migrations.RunPython.noop, elidable=True),
    ]
