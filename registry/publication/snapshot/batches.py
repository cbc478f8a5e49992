"""All pages of some namespaces at a time, rendered here or in another process, as of the same moment."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from registry.core.bulk_copy import batches
from registry.publication.escrow.writer import database_snapshot
from registry.publication.snapshot import pages
from registry.publication.snapshot.rendering import SiteRenderer

BATCH = 20

# Each NID with the versions of which the text is here.
Batch = list[tuple[str, list[int]]]


@dataclass(frozen=True, slots=True)
class RenderedBatch:
    """The files of a batch, and the assets that they name."""

    namespaces: int
    files: list[tuple[str, bytes]]
    assets: set[str]


def in_batches(namespaces: Iterable[tuple[str, list[int]]]) -> Iterator[Batch]:
    return batches(namespaces, BATCH)


def render(site: SiteRenderer, batch: Batch) -> RenderedBatch:
    files = [site.file(address) for nid, versions in batch for address in pages.of_namespace(nid, versions)]
    return RenderedBatch(len(batch), files, set(site.assets))


def render_in_snapshot(snapshot_id: str, batch: Batch) -> RenderedBatch:
    """In a process of its own. Only what the registry was at `snapshot_id`, which another process holds, is seen."""
    with database_snapshot(snapshot_id):
        return render(_site(), batch)


@cache
def _site() -> SiteRenderer:
    return SiteRenderer(file_at=pages.file_at, substitute=pages.substitute)
