"""All pages of some namespaces at a time, rendered here or in another process, as of the same moment."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from registry.copying import batches
from registry.publication.escrow import one_moment
from registry.publication.snapshot import pages
from registry.publication.snapshot.rendering import Site

BATCH = 20

# Each NID with the versions of which the text is here.
Batch = list[tuple[str, list[int]]]


@dataclass(frozen=True, slots=True)
class Rendered:
    """The files of a batch, and the assets that they name."""

    namespaces: int
    files: list[tuple[str, bytes]]
    assets: set[str]


def in_batches(namespaces: Iterable[tuple[str, list[int]]]) -> Iterator[Batch]:
    return batches(namespaces, BATCH)


def render(site: Site, batch: Batch) -> Rendered:
    files = [site.file(address) for nid, versions in batch for address in pages.of_namespace(nid, versions)]
    return Rendered(len(batch), files, set(site.assets))


def render_as_of(moment: str, batch: Batch) -> Rendered:
    """In a process of its own. Only what the registry was at `moment`, which another process holds, is seen."""
    with one_moment(moment):
        return render(_site(), batch)


@cache
def _site() -> Site:
    return Site(file_at=pages.file_at, elsewhere=pages.elsewhere)
