"""Fast reads of stored lookups."""

from typing import NamedTuple

from registry.core.database.prepared_reader import BINARY, PreparedReader, Statement

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


class StoredLookup(NamedTuple):
    """A row of the table. `body` is None if its digest equals the known digest."""

    digest: bytes
    last_modified: bytes
    body: bytes | None


class LookupReader(PreparedReader):
    """Finds only responses stored by the release with the tag `release` (see `store.release_tag`).

    `others` are statements of other applications that share the connections.
    """

    def __init__(self, release: str, *others: Statement) -> None:
        super().__init__(LOOKUP, *others)
        self._release = release.encode()

    def find(self, nid: str, known_digest: str = "") -> StoredLookup | None:
        """The stored lookup of `nid`; None if there is none, or the database or a connection is not available."""
        result = self.read(LOOKUP, [nid.encode(), known_digest.encode(), self._release])
        if result is None:
            return None
        digest, last_modified = result.get_value(0, 0), result.get_value(0, 1)
        return StoredLookup(digest or b"", last_modified or b"", result.get_value(0, 2))
