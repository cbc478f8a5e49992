"""Publishing: what has changed since the last time is rendered and written, then readers see it, all at once."""

import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import django
from django.conf import settings

from registry.namespaces.models import Namespace
from registry.publication.escrow import one_moment
from registry.publication.exporting import FILES
from registry.publication.snapshot import assets, browsing, pages
from registry.publication.snapshot.browsing import BrowsePage
from registry.publication.snapshot.manifest import Head, Manifest
from registry.publication.snapshot.rendering import Site
from registry.publication.snapshot.trees import Trees
from registry.publication.snapshot.writing import Counts, Writing
from registry.publication.switching import held
from registry.record.models import Event
from registry.record.models import Head as RecordHead

MARKER = ".snapshot"
# What makes pages look as they do, besides what they show.
SOURCES = ("registry", "urnsyntax", "templates")
# In a larger registry the files of the whole of it are written when somebody asks, not at every change.
SMALL = 2_000
# More changes than that are no increment.
MANY = 20_000

# Is told how many of how many pages are rendered.
Told = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Published:
    """What a run did. `is_whole`: every page was rendered, not those alone that had changed."""

    manifest: Manifest
    counts: Counts
    is_whole: bool
    namespaces: int
    pages: int

    @property
    def has_changes(self) -> bool:
        return bool(self.pages)


def publish(
    directory: Path, *, is_whole: bool = False, with_forms: bool = False, on_page: Told | None = None
) -> Published:
    """Bring the snapshot in `directory` up to date with the registry, as it is at one moment.

    `is_whole` renders every page again; `with_forms` writes the files of the whole registry also where it
    is large.
    """
    with held(directory, marker=MARKER):
        trees = Trees(directory)
        before = trees.manifest()
        trees.catch_up()
        with one_moment():
            published = _Run(trees, before, is_whole, with_forms, on_page).run()
        if published.has_changes:
            trees.switch()
            trees.catch_up()
    return published


def fingerprint() -> str:
    """A digest of all that decides how pages look: code, templates, assets, versions, the public origin."""
    digest = hashlib.sha256(f"{settings.PUBLIC_ORIGIN} {django.VERSION} {sys.version_info[:2]}".encode())
    root = Path(settings.BASE_DIR)
    sources = chain.from_iterable((root / folder).rglob("*.*") for folder in SOURCES)
    collected = [Path(settings.STATIC_ROOT) / "staticfiles.json", root / "requirements.txt"]
    for path in sorted(
        each for each in chain(sources, collected) if each.is_file() and each.suffix != ".pyc"
    ):
        digest.update(f"{path.relative_to(root)} ".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


class _Run:
    """One run, inside one moment of the database."""

    def __init__(
        self, trees: Trees, before: Manifest | None, is_whole: bool, with_forms: bool, on_page: Told | None
    ) -> None:
        self.trees, self.before, self.on_page = trees, before, on_page
        self.fingerprint, self.head = fingerprint(), _record_head()
        self.changed = self._changed_nids()
        self.is_whole = is_whole or self.changed is None
        self.total = Namespace.objects.count()
        self.with_forms = with_forms or self.is_whole or self.total <= SMALL
        self.site = Site(file_at=pages.file_at, elsewhere=pages.elsewhere)
        self.pages = self.namespaces = 0

    def _changed_nids(self) -> set[str] | None:
        """The NIDs of which the record tells since the last time; None when everything has to be done."""
        if self.before is None or self.before.fingerprint != self.fingerprint:
            return None
        if self.before.head.number > self.head.number or not _is_in_record(self.before.head):
            return None  # another registry's, or one that was restored from an older state
        events = Event.objects.filter(number__gt=self.before.head.number).exclude(nid="")
        told = list(events.values_list("nid", "particulars__successor").distinct()[: MANY + 1])
        return None if len(told) > MANY else {nid for pair in told for nid in pair if nid}

    def run(self) -> Published:
        before = self.before
        if before is not None and not self.is_whole and self._is_up_to_date(before):
            return Published(before, Counts(), is_whole=False, namespaces=0, pages=0)
        writing = Writing(self.trees, is_whole=self.is_whole)
        manifest = Manifest(
            head=self.head,
            forms=self.head if self.with_forms or before is None else before.forms,
            fingerprint=self.fingerprint,
            parts={} if self.is_whole or before is None else dict(before.parts),
        )
        self._put_everything(writing)
        writing.finish(manifest)
        return Published(manifest, writing.counts, self.is_whole, self.namespaces, self.pages)

    def _is_up_to_date(self, before: Manifest) -> bool:
        return before.head == self.head and (before.forms == self.head or not self.with_forms)

    def _put_everything(self, writing: Writing) -> None:
        for address in self._addresses():
            answer = self.site.get(address)
            self._put(writing, pages.file_of(address, answer.media_type), answer.content)
        for page in self._browse_pages():
            self._put(writing, pages.file_of(page.path, "text/html"), self._browse_page(page))
        self._put(writing, pages.file_of(browsing.INDEX, "text/html"), self._browse_index())
        missing = self.site.render(pages.NOT_FOUND, "404.html", {})
        self._put(writing, pages.NOT_FOUND[1:], missing.content)
        for path, content in assets.in_full(self.site.assets).items():
            writing.put(path, content)
        if self.with_forms:
            for name, file in FILES.items():
                writing.put_blocks(pages.form_file(name), file.write())

    def _put(self, writing: Writing, path: str, content: bytes) -> None:
        writing.put(path, content)
        self.pages += 1

    def _addresses(self) -> Iterator[str]:
        yield from pages.once()
        namespaces, expected = Namespace.objects.all(), self.total
        if self.changed is not None and not self.is_whole:
            namespaces, expected = namespaces.filter(nid__in=self.changed), len(self.changed)
        for nid, versions in pages.with_versions(namespaces):
            yield from pages.of_namespace(nid, versions)
            self.namespaces += 1
            if self.on_page:
                self.on_page(self.namespaces, expected)

    def _browse_pages(self) -> Iterable[BrowsePage]:
        if self.is_whole:
            return browsing.every_page()
        return {each for nid in self.changed or () for each in browsing.pages_changed_by(nid)}

    def _browse_page(self, page: BrowsePage) -> bytes:
        namespaces = list(page.namespaces())
        ends = {"first": namespaces[0], "last": namespaces[-1]} if namespaces else {}
        context = {"page": page, "namespaces": namespaces, "index": browsing.INDEX, **ends}
        return self.site.render(page.path, "publication/browse.html", context).content

    def _browse_index(self) -> bytes:
        context: dict[str, object] = {"pages": browsing.every_page()}
        return self.site.render(browsing.INDEX, "publication/browse_index.html", context).content


def _record_head() -> Head:
    head = RecordHead.objects.get(pk=1)
    return Head(head.number, head.digest)


def _is_in_record(head: Head) -> bool:
    return head.number == 0 or Event.objects.filter(number=head.number, digest=head.digest).exists()
