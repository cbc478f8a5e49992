"""Fast reads of stored lookups and of stored entries of lists."""

from typing import NamedTuple

from registry.core.database.prepared_reader import BINARY, PreparedReader, Statement
from registry.core.http.page_cache import TOKENS

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
    """Finds only what was stored by the release with the tag `release` (see `store.release_tag`).

    `others` are statements of other applications that share the connections.
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
