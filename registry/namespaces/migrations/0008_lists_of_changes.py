"""The day of a namespace's last change, by which the API is asked for what changed since a day."""

from django.db import migrations, models

# A month ends on a 31st here: no day of it comes after that, and the next month does.
FUNCTION = """
CREATE FUNCTION namespaces_changed_on(registered_on text, updated_on text, deprecated_at timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT greatest(
        CASE WHEN length(registered_on) = 7 THEN registered_on || '-31' ELSE registered_on END COLLATE "C",
        CASE WHEN length(updated_on) = 7 THEN updated_on || '-31' ELSE updated_on END,
        to_char(deprecated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')
    )
$$;
"""


class Migration(migrations.Migration):
    dependencies = [("namespaces", "0007_answers_by_index")]

    operations = [
        migrations.RunSQL(FUNCTION, "DROP FUNCTION namespaces_changed_on(text, text, timestamptz);"),
        migrations.AddIndex(
            "namespace",
            models.Index(
                models.Func(
                    models.F("registered_on"),
                    models.F("updated_on"),
                    models.F("deprecated_at"),
                    function="namespaces_changed_on",
                    output_field=models.TextField(),
                ),
                name="by_change",
            ),
        ),
    ]
