"""The lookup: one row for each namespace, kept by triggers, and its reader."""

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.db import DatabaseError, connection, transaction

import registry
import urnsyntax
from registry.core.database.connections import on_primary
from registry.core.database.prepared_reader import BINARY, PreparedReader, Statement
from registry.core.http.page_cache import TOKENS

STORE = "SELECT namespaces_store_lookup(%s, %s, %s, %s, %s)"
STORE_ITEMS = "SELECT namespaces_store_items(%s, %s, %s, %s)"
RENDERING_PACKAGES = ("django", "djangorestframework")


def store_lookup(namespace_id: int, generation: int, body: bytes, last_modified: str) -> bool:
    """Store `body` for this release if the namespace still has this generation. Return whether it was stored.

    Never waits for a lock. A database error, such as that of a read-only database, is ignored: the next request
    renders the namespace again.
    """
    with suppress(DatabaseError), on_primary(), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(STORE, [namespace_id, generation, release_tag(), body, last_modified])
        return bool(cursor.fetchone()[0])
    return False


def store_items(items: Mapping[tuple[int, int], bytes]) -> None:
    """Store entries of lists for this release, by the keys and generations of their namespaces; see `store_lookup`."""
    keys, generations = zip(*items, strict=True)
    with suppress(DatabaseError), on_primary(), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(STORE_ITEMS, [[*keys], [*generations], release_tag(), [*items.values()]])


def release_tag() -> str:
    """A digest of what a response depends on in addition to the data: the public origin and the code.

    Responses stored by another release or for another origin are not served.
    """
    return hashlib.sha256(f"{settings.PUBLIC_ORIGIN}\n{_code_digest()}".encode()).hexdigest()[:32]


@cache
def _code_digest() -> str:
    """A digest of all modules. A list of the modules that affect the response would soon be incomplete."""
    digest = hashlib.sha256("".join(map(version, RENDERING_PACKAGES)).encode())
    for package in (registry, urnsyntax):
        for file in sorted(Path(package.__path__[0]).rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()


# A body that the client already has is not read. `nid` is in lower case. A row without a body has no release.
# The format BINARY returns `body` unescaped.
LOOKUP = Statement(
    b"lookup",
    b"""
    SELECT digest, last_modified, CASE WHEN digest = $2 THEN NULL ELSE body END
    FROM namespaces_cachedlookup WHERE nid = $1 AND release = $3
    """,
    BINARY,
)


# A long entry is not read, so that a page of a thousand has 8 MB at most.
ITEMS = Statement(
    b"items",
    b"""
    SELECT nid, CASE WHEN item_release = $3 AND length(item) <= 8000 THEN item END
    FROM namespaces_cachedlookup WHERE nid > $1 ORDER BY nid LIMIT $2::bigint
    """,
    BINARY,
)


CHANGES = Statement(b"changes", TOKENS.encode())


class StoredLookup(NamedTuple):
    """A row of the table. `body` is None if its digest equals the known digest."""

    digest: bytes
    last_modified: bytes
    body: bytes | None


class StoredItem(NamedTuple):
    """An entry of the list; `item` is None if it is not stored, or long."""

    nid: str
    item: bytes | None


class LookupReader(PreparedReader):
    """Finds only what was stored by the release with the tag `release` (see `release_tag`).

    `others` are statements of other fast paths that share the connections.
    """

    def __init__(self, release: str, *others: Statement) -> None:
        super().__init__(LOOKUP, ITEMS, CHANGES, *others)
        self._release = release.encode()

    def find(self, nid: str, known_digest: str = "") -> StoredLookup | None:
        """The stored lookup of `nid`; None if there is none, or the database or a connection is not available."""
        result = self.read(LOOKUP, [nid.encode(), known_digest.encode(), self._release])
        if result is None:
            return None
        digest, last_modified = result.get_value(0, 0), result.get_value(0, 1)
        return StoredLookup(digest or b"", last_modified or b"", result.get_value(0, 2))

    def tokens(self) -> str | None:
        """The tokens of all changes; None if the database or a connection is not available."""
        result = self.read(CHANGES, [])
        return None if result is None else (result.get_value(0, 0) or b"").decode()

    def page(self, after: str, size: int) -> list[StoredItem]:
        """The entries of the first `size` NIDs after `after`; none if the database or a connection is not available."""
        result = self.read(ITEMS, [after.encode(), str(size).encode(), self._release])
        if result is None:
            return []
        rows = range(result.ntuples)
        return [
            StoredItem((result.get_value(row, 0) or b"").decode(), result.get_value(row, 1)) for row in rows
        ]
