"""Sizes and digests of the files of the registry, stored with the position of the audit log at which they are true.

Each event invalidates them, and so does another release of the software. A download stores those of its file, and the
worker those of all files every ten minutes.
"""

import hashlib
from contextlib import suppress

from django.db import DatabaseError, transaction

from registry.audit_log.models import LogPosition
from registry.core.database.snapshot import database_snapshot
from registry.namespaces.lookup.store import release_tag
from registry.publication.formats.export_formats import FILES, ExportFile
from registry.publication.models import FileDigest


def known_digests() -> dict[str, FileDigest]:
    """The sizes and digests that are true now, by the name of the file."""
    position = LogPosition.current()
    rows = FileDigest.objects.filter(
        position=position.number, position_digest=position.digest, release=release_tag()
    )
    return {row.name: row for row in rows}


def store_digest(
    name: str, position: LogPosition, size: int, digest: str, *, store: bool = True
) -> FileDigest:
    """Return the size and the digest of a file at a position, stored if it is one of the files and `store` is true.

    Without a database that can be written, nothing is stored.
    """
    row = FileDigest(
        name=name,
        position=position.number,
        position_digest=position.digest,
        release=release_tag(),
        size=size,
        digest=digest,
    )
    if not store or name not in FILES or not position.number:
        return row
    changed = ["position", "position_digest", "release", "size", "digest"]
    with suppress(DatabaseError), transaction.atomic():
        FileDigest.objects.bulk_create(
            [row], update_conflicts=True, unique_fields=["name"], update_fields=changed
        )
    return row


def measure_files() -> int:
    """Store what is not known of the files; return the number of files that were written for this."""
    missing = [file for file in FILES.values() if file.name not in known_digests()]
    for file in missing:
        _measure(file)
    return len(missing)


def _measure(file: ExportFile) -> None:
    size, digest = 0, hashlib.sha256()
    with database_snapshot():
        position = LogPosition.current()
        for block in file.write():
            size += len(block)
            digest.update(block)
    store_digest(file.name, position, size, digest.hexdigest())
