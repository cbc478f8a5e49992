"""Comparison of imported files with the audit log."""

import hashlib
from collections.abc import Iterator

from registry.audit_log.committed_texts import NamedText, differences, text_check
from registry.audit_log.models import Event
from registry.audit_log.personal_data import erasures
from registry.publication.models import OriginalText

BOM = "\N{ZERO WIDTH NO-BREAK SPACE}"


@text_check
def changed_originals() -> Iterator[str]:
    def recorded() -> Iterator[NamedText]:
        for event in Event.objects.filter(verb="import_text").iterator():
            yield _name(event.details["version"], event.nid), event.details["sha256"]

    def stored() -> Iterator[NamedText]:
        erased = erasures()
        originals = OriginalText.objects.select_related("revision__namespace").order_by("pk")
        for row in originals.iterator(chunk_size=500):
            digest = row.digest if row.text == "" and row.digest in erased else _digest_of_file(row)
            yield _name(row.revision.version, row.revision.namespace.nid), digest

    yield from differences(recorded(), stored())


def _name(version: int, nid: str) -> str:
    return f"the imported text of version {version} of “{nid}”"


def _digest_of_file(row: OriginalText) -> str | None:
    """Return the digest of the file, None if the text is not that of the file. The text has no byte order mark."""
    digests = (hashlib.sha256(text.encode()).hexdigest() for text in (row.text, BOM + row.text))
    return row.digest if row.digest in digests else None
