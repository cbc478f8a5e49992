"""Write an event of an import into the audit log for each namespace of the database.

python -m benchmarks.event_writer
"""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")
django.setup()

from django.db import transaction  # noqa: E402 - they need Django set up

from registry.audit_log import log  # noqa: E402
from registry.audit_log.models import Event  # noqa: E402
from registry.namespaces.models import Namespace  # noqa: E402

DETAILS = {
    "outcome": "added",
    "message": "",
    "as_of": "2026-06-30",
    "changes": {"reference": ["", "RFC 8254 https://www.rfc-editor.org/rfc/rfc8254"]},
}

if __name__ == "__main__":
    with transaction.atomic():
        nids = list(Namespace.objects.order_by("pk").values_list("nid", flat=True))
        log.append_all(Event(verb="import", nid=nid, text_digest="0" * 64, details=DETAILS) for nid in nids)
