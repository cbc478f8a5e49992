"""Publishing: renders and writes the changes since the last run, then makes them visible at once."""

import hashlib
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from itertools import chain
from pathlib import Path

import django
from django.conf import settings
from django.db.models import Max
from django.utils import timezone

from registry.audit_log.models import Event, LogPosition, SignedHead
from registry.audit_log.personal_data import ERASURE
from registry.core.database.connections import database_snapshot, export_database_snapshot
from registry.core.management.base import ProgressCallback
from registry.namespaces.models import Namespace
from registry.publication.atomic_files import lock_directory
from registry.publication.formats.export_formats import FILES
from registry.publication.snapshot import pages, process_pool, rendering
from registry.publication.snapshot.batches import RenderedBatch, in_batches, render, render_in_snapshot
from registry.publication.snapshot.directories import DirectoryWriter, FileCounts, SnapshotDirectories
from registry.publication.snapshot.manifest import Manifest
from registry.publication.snapshot.pages import BrowsePage
from registry.publication.snapshot.rendering import SiteRenderer

MARKER = ".snapshot"
# Files that affect the pages, other than data.
SOURCES = ("registry", "urnsyntax", "templates")
# In a larger registry the files of the whole registry are not written with each change, to publish changes
# sooner. They are written afterwards if they lack a change that is older than this.
SMALL_REGISTRY = 2_000
FORMS_LAG = timedelta(minutes=30)
# With more changes than this, everything is rendered.
MAX_CHANGES = 20_000
# The number of namespaces from which worker processes are worth their start-up time.
MIN_NAMESPACES_FOR_PROCESSES = 500


@dataclass(frozen=True, slots=True)
class PublishResult:
    """The result of a run. If `is_whole`, all pages were rendered, not only those that changed."""

    manifest: Manifest
    counts: FileCounts
    is_whole: bool
    namespaces: int
    pages: int

    @property
    def has_changes(self) -> bool:
        return bool(self.pages)

    def followed_by(self, later: "PublishResult") -> "PublishResult":
        """Combine the results of two runs."""
        return PublishResult(
            later.manifest,
            self.counts + later.counts,
            self.is_whole or later.is_whole,
            self.namespaces + later.namespaces,
            self.pages + later.pages,
        )


@dataclass(frozen=True, slots=True)
class PublishOptions:
    """The options of a run.

    `is_whole` renders every page; `with_exports` always writes the files of the whole registry. Up to `jobs`
    processes render; `on_page` gets their progress.
    """

    is_whole: bool = False
    with_exports: bool = False
    jobs: int = 1
    on_page: ProgressCallback | None = None


def publish(directory: Path, options: PublishOptions = PublishOptions()) -> PublishResult:
    """Update the snapshot in `directory` from one consistent state of the registry.

    Pages are published first. The files of a large registry follow in a second step, from a later state.
    Raises MalformedManifest if the manifest is damaged, except with `is_whole`, which does not read it.
    """
    with lock_directory(directory, marker=MARKER):
        directories = SnapshotDirectories(directory)
        published = _bring_up_to_date(directories, replace(options, with_exports=False))
        if options.with_exports or _exports_lag(published.manifest):
            published = published.followed_by(
                _bring_up_to_date(directories, PublishOptions(with_exports=True))
            )
    return published


def _bring_up_to_date(directories: SnapshotDirectories, options: PublishOptions) -> PublishResult:
    before = None if options.is_whole else directories.manifest()
    directories.sync_spare()
    with database_snapshot():
        published = _Run(directories, before, options).run()
    if published.has_changes:
        directories.switch()
        directories.sync_spare()
    return published


def _exports_lag(manifest: Manifest) -> bool:
    """Return whether the files of the whole registry lack a change that is older than the limit."""
    lacking = Event.objects.filter(number__gt=manifest.exports.number, number__lte=manifest.head.number)
    return lacking.filter(at__lt=timezone.now() - FORMS_LAG).exists()


def fingerprint() -> str:
    """Return a digest of everything that affects pages: code, templates, assets, versions, public origin."""
    digest = hashlib.sha256(f"{settings.PUBLIC_ORIGIN} {django.VERSION} {sys.version_info[:2]}".encode())
    root = Path(settings.BASE_DIR)
    sources = chain.from_iterable((root / folder).rglob("*.*") for folder in SOURCES)
    files = {path.relative_to(root).as_posix(): path for path in sources if path.suffix != ".pyc"}
    files["requirements.txt"] = root / "requirements.txt"
    files["staticfiles.json"] = Path(settings.STATIC_ROOT) / "staticfiles.json"
    for name in sorted(files):
        if files[name].is_file():
            digest.update(f"{name} ".encode())
            digest.update(hashlib.sha256(files[name].read_bytes()).digest())
    return digest.hexdigest()


class _Run:
    """One run, inside one snapshot of the database."""

    def __init__(
        self, directories: SnapshotDirectories, before: Manifest | None, options: PublishOptions
    ) -> None:
        self.directories, self.before, self.options = directories, before, options
        self.fingerprint, self.head = fingerprint(), LogPosition.current()
        self.signed_head = SignedHead.objects.aggregate(size=Max("size", default=0))["size"]
        self.changed = self._changed_nids()
        self.is_whole = options.is_whole or self.changed is None
        self.total = Namespace.objects.count()
        self.with_exports = options.with_exports or self.is_whole or self.total <= SMALL_REGISTRY
        self.site = SiteRenderer(file_at=pages.file_at, substitute=pages.substitute)
        self.pages = self.namespaces = 0

    def _changed_nids(self) -> set[str] | None:
        """Return the NIDs with events since the last run, None if everything must be rendered."""
        if self.before is None or self.before.fingerprint != self.fingerprint:
            return None
        if self.before.head.number > self.head.number or not self.before.head.is_in_log:
            return None  # a snapshot of another registry, or the registry was restored from an older state
        later = Event.objects.filter(number__gt=self.before.head.number)
        if later.filter(verb=ERASURE).exists():
            return None  # any page may name the person
        events = later.exclude(nid="")
        changed = list(events.values_list("nid", "details__successor").distinct()[: MAX_CHANGES + 1])
        return None if len(changed) > MAX_CHANGES else {nid for pair in changed for nid in pair if nid}

    def run(self) -> PublishResult:
        before = self.before
        if before is not None and not self.is_whole and self._is_up_to_date(before):
            return PublishResult(before, FileCounts(), is_whole=False, namespaces=0, pages=0)
        writer = DirectoryWriter(self.directories, is_whole=self.is_whole)
        manifest = Manifest(
            head=self.head,
            exports=self.head if self.with_exports or before is None else before.exports,
            signed_head=self.signed_head,
            fingerprint=self.fingerprint,
            parts={} if self.is_whole or before is None else dict(before.parts),
        )
        self._put_everything(writer)
        writer.finish(manifest)
        return PublishResult(manifest, writer.counts, self.is_whole, self.namespaces, self.pages)

    def _is_up_to_date(self, before: Manifest) -> bool:
        has_exports = before.exports == self.head or not self.with_exports
        return (before.head, before.signed_head) == (self.head, self.signed_head) and has_exports

    def _put_everything(self, writer: DirectoryWriter) -> None:
        for address in self._addresses():
            self._put(writer, *self.site.file(address))
        for rendered in self._rendered():
            for path, content in rendered.files:
                self._put(writer, path, content)
            self._count(rendered)
        for page in self._browse_pages():
            self._put(writer, pages.file_of(page.path, "text/html"), self._browse_page(page))
        self._put(writer, pages.file_of(pages.INDEX, "text/html"), self._browse_index())
        missing = self.site.render(pages.NOT_FOUND, "404.html", {})
        self._put(writer, pages.NOT_FOUND[1:], missing.content)
        for path, content in rendering.with_dependencies(self.site.assets).items():
            writer.put(path, content)
        if self.with_exports:
            for name, file in FILES.items():
                writer.put_blocks(pages.export_file(name), file.write())

    def _put(self, writer: DirectoryWriter, path: str, content: bytes) -> None:
        writer.put(path, content)
        self.pages += 1

    def _addresses(self) -> Iterator[str]:
        """Yield the paths of pages that do not belong to one namespace."""
        if self.is_whole:
            yield from pages.with_software()
        yield from pages.at_every_event()

    def _rendered(self) -> Iterator[RenderedBatch]:
        """Yield the rendered pages of the namespaces that changed."""
        namespaces = Namespace.objects.all()
        if self.changed is not None and not self.is_whole:
            namespaces = namespaces.filter(nid__in=self.changed)
        batches = in_batches(pages.to_render(namespaces))
        if self.options.jobs > 1 and self.expected >= MIN_NAMESPACES_FOR_PROCESSES:
            work = partial(render_in_snapshot, export_database_snapshot())
            return process_pool.map_in_processes(work, batches, self.options.jobs)
        return (render(self.site, batch) for batch in batches)

    @property
    def expected(self) -> int:
        """Return the number of namespaces to render."""
        return self.total if self.is_whole else len(self.changed or ())

    def _count(self, rendered: RenderedBatch) -> None:
        self.namespaces += rendered.namespaces
        self.site.assets |= rendered.assets
        if self.options.on_page:
            self.options.on_page(self.namespaces, self.expected)

    def _browse_pages(self) -> Iterable[BrowsePage]:
        if self.is_whole:
            return pages.all_pages()
        return {each for nid in self.changed or () for each in pages.pages_changed_by(nid)}

    def _browse_page(self, page: BrowsePage) -> bytes:
        namespaces = page.namespaces()
        ends = {"first": namespaces[0], "last": namespaces[-1]} if namespaces else {}
        context = {"page": page, "namespaces": namespaces, "index": pages.INDEX, **ends}
        return self.site.render(page.path, "publication/browse.html", context).content

    def _browse_index(self) -> bytes:
        context: dict[str, object] = {"pages": pages.all_pages()}
        return self.site.render(pages.INDEX, "publication/browse_index.html", context).content
