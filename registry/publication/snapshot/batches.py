"""Rendering of namespace pages in batches, in this process or in others, from one database snapshot."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from registry.core.database.bulk_copy import batches
from registry.core.database.connections import database_snapshot
from registry.publication.snapshot import pages
from registry.publication.snapshot.rendering import SiteRenderer

BATCH = 20

Batch = list[pages.ToRender]


@dataclass(frozen=True, slots=True)
class RenderedBatch:
    """The files of a batch, and the assets that they reference."""

    namespaces: int
    files: list[tuple[str, bytes]]
    assets: set[str]


def in_batches(namespaces: Iterable[pages.ToRender]) -> Iterator[Batch]:
    return batches(namespaces, BATCH)


def render(site: SiteRenderer, batch: Batch) -> RenderedBatch:
    files = [site.file(address) for namespace in batch for address in pages.of_namespace(namespace)]
    return RenderedBatch(len(batch), files, set(site.assets))


def render_in_snapshot(snapshot_id: str, batch: Batch) -> RenderedBatch:
    """Render a batch in a worker process, from the snapshot `snapshot_id` that another process holds."""
    with database_snapshot(snapshot_id):
        return render(_site(), batch)


@cache
def _site() -> SiteRenderer:
    return SiteRenderer(file_at=pages.file_at, substitute=pages.substitute)
