"""The contact of an entry, which was only in the request for it."""

from django.db import migrations, models

# Of the entries that still belong to who requested them.
FROM_REQUESTS = """
    UPDATE registers_entry AS entry SET contact = request.contact
    FROM registers_entryrequest AS request, subnamespaces_subnamespace AS listed
    WHERE listed.id = entry.subnamespace_id AND request.register_id = entry.register_id AND request.key = listed.key
        AND request.entry_id IS NULL AND request.state = 'accepted' AND request.requested_by_id = entry.person_id
"""


class Migration(migrations.Migration):
    dependencies = [("registers", "0009_unique_changes_of_entries")]

    operations = [
        migrations.AddField(
            "entry", "contact", models.CharField(blank=True, db_default="", max_length=254)
        ),
        migrations.RunSQL(FROM_REQUESTS, migrations.RunSQL.noop),
    ]
