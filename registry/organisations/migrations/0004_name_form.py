"""The comparison forms of the names of organisations, which are unique.

Of organisations whose names could be mistaken for each other, the oldest gets the form; the others keep their names without one.
There are few organisations, so their rows are written here.
"""

from typing import Any

from django.db import migrations, models
from django.db.models import F

from registry.core.names import comparison_form

INDEX = "one_organisation_per_name"


def fill_forms(apps: Any, schema_editor: Any) -> None:
    organisations = apps.get_model("organisations", "Organisation").objects
    taken = set(organisations.exclude(name_form=None).values_list("name_form", flat=True))
    for key, name in organisations.filter(name_form=None).order_by("pk").values_list("pk", "name"):
        if (form := comparison_form(name)) not in taken:
            organisations.filter(pk=key, name=name).update(name_form=form)
            taken.add(form)


class Migration(migrations.Migration):
    atomic = False  # for CONCURRENTLY
    dependencies = [("organisations", "0003_validate_made_with")]

    operations = [
        migrations.AddField(
            "organisation", "name_form", models.CharField(max_length=500, null=True, editable=False)
        ),
        migrations.RunPython(fill_forms, migrations.RunPython.noop, elidable=True),
        migrations.SeparateDatabaseAndState(
            [
                migrations.RunSQL(
                    f"CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS {INDEX} ON organisations_organisation (name_form);",
                    f"DROP INDEX CONCURRENTLY IF EXISTS {INDEX};",
                )
            ],
            [
                migrations.AddConstraint(
                    "organisation", models.UniqueConstraint(F("name_form"), name=INDEX)
                )
            ],
        ),
    ]
