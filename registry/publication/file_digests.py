"""Sizes and digests of the files of the registry, stored with the position of the audit log at which they are true.

Each event invalidates them, and so does another release of the software. A download stores those of its file, and the
worker those of all files every ten minutes.
"""

import hashlib
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from django.db import Error, connection, transaction

from registry.audit_log.models import LogPosition
from registry.core.database.connections import database_snapshot
from registry.namespaces.lookup import release_tag
from registry.publication.formats.export_formats import FILES, ExportFile
from registry.publication.models import FileDigest

# Writes nothing if the stored row is the same, or newer. After a restore to an earlier position, no row is newer.
STORE = """
INSERT INTO publication_filedigest AS stored (name, position, position_digest, release, size, digest)
VALUES (%s, %s, %s, %s, %s, %s)
ON CONFLICT (name) DO UPDATE
SET (position, position_digest, release, size, digest)
    = ROW (excluded.position, excluded.position_digest, excluded.release, excluded.size, excluded.digest)
WHERE stored IS DISTINCT FROM excluded
    AND NOT (
        stored.position > excluded.position
        AND EXISTS (SELECT FROM audit_log_event WHERE number = stored.position AND digest = stored.position_digest)
    )
"""


def known_digests() -> dict[str, FileDigest]:
    """The sizes and digests that are true now, by the name of the file."""
    position = LogPosition.current()
    rows = FileDigest.objects.filter(
        position=position.number, position_digest=position.digest, release=release_tag()
    )
    return {row.name: row for row in rows}


def store_digest(name: str, position: LogPosition, size: int, digest: str) -> None:
    """Store the size and the digest of a file at a position, if it is one of the files. A newer one stays stored.

    Without a database that can be written, nothing is stored.
    """
    if name not in FILES or not position.number:
        return
    values: list[Any] = [name, position.number, position.digest, release_tag(), size, digest]
    with suppress(Error), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(STORE, values)


def measure_files(*, should_stop: Callable[[], bool] = lambda: False) -> int:
    """Store what is not known of the files; return the number of files that were written for this.

    `should_stop` is asked before each file and each block of it; of the file that is then unfinished, nothing is stored.
    """
    known = known_digests()
    missing = [file for file in FILES.values() if file.name not in known]
    return sum(_measure(file, should_stop) for file in missing if not should_stop())


def _measure(file: ExportFile, should_stop: Callable[[], bool]) -> bool:
    """Store the size and the digest of a file. False if it was stopped before the end."""
    size, digest = 0, hashlib.sha256()
    with database_snapshot():
        position = LogPosition.current()
        for block in file.write():
            if should_stop():
                return False
            size += len(block)
            digest.update(block)
    store_digest(file.name, position, size, digest.hexdigest())
    return True
