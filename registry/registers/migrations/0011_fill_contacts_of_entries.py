"""Contacts of entries from their requests, in a transaction of its own: readers do not wait for it.

An entry that the previous release registers during the migration has no contact until its holder states one.
"""

from django.db import migrations

# Of the entries that still belong to who requested them.
FROM_REQUESTS = """
    UPDATE registers_entry AS entry SET contact = request.contact
    FROM registers_entryrequest AS request, subnamespaces_subnamespace AS listed
    WHERE listed.id = entry.subnamespace_id AND request.register_id = entry.register_id AND request.key = listed.key
        AND request.entry_id IS NULL AND request.state = 'accepted' AND request.requested_by_id = entry.person_id
"""


class Migration(migrations.Migration):
    dependencies = [("registers", "0010_contacts_of_entries")]

    operations = [migrations.RunSQL(FROM_REQUESTS, migrations.RunSQL.noop)]
