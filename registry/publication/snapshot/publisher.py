"""Publishing: renders and writes the changes since the last run, then makes them visible at once."""

import hashlib
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from itertools import chain
from pathlib import Path

import django
from django.conf import settings
from django.db.models import Max, QuerySet
from django.utils import timezone

from registry.audit_log.models import Event, LogPosition, SignedHead, Timestamp
from registry.audit_log.personal_data import ERASURE
from registry.audit_log.tiles import write_tiles
from registry.core.database.bulk_copy import batches
from registry.core.database.connections import database_snapshot, export_database_snapshot
from registry.core.management.base import ProgressCallback
from registry.namespaces.models import Namespace
from registry.publication.atomic_files import lock_directory
from registry.publication.formats.export_formats import FILES, subnamespace_files
from registry.publication.snapshot import pages, process_pool, rendering
from registry.publication.snapshot.directories import DirectoryWriter, FileCounts, SnapshotDirectories
from registry.publication.snapshot.manifest import Manifest
from registry.publication.snapshot.pages import BrowsePage
from registry.publication.snapshot.rendering import RenderedBatch, SiteRenderer, render_in_snapshot

MARKER = ".snapshot"
# Files that affect the pages, other than data.
SOURCES = ("registry", "urnsyntax", "templates")
# In a larger registry the files of the whole registry are not written with each change, to publish changes
# sooner. They are written afterwards if they lack a change that is older than this.
SMALL_REGISTRY = 2_000
FORMS_LAG = timedelta(minutes=30)
# With more changes than this, everything is rendered.
MAX_CHANGES = 20_000
# The namespaces of a task of a worker, and the files that are written at once: all of them are in memory.
NAMESPACES_AT_ONCE = 20
# Of files that are held in memory and written together: their number, and their octets.
FILES_AT_ONCE, OCTETS_AT_ONCE = 100, 16 * 1024 * 1024
# The number of namespaces from which worker processes are worth their start-up time.
MIN_NAMESPACES_FOR_PROCESSES = 500


@dataclass(frozen=True, slots=True)
class PublishResult:
    """The result of a run. If `is_whole`, all pages were rendered, not only those that changed."""

    manifest: Manifest
    counts: FileCounts = field(default_factory=FileCounts)
    is_whole: bool = False
    namespaces: int = 0
    pages: int = 0

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
        write_tiles()  # those that an earlier release left out: the snapshot has all of a published head
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
        run = _Run(before, options)
        if not (run.has_changes or _has_new_cosignatures(directories)):
            return PublishResult(run.manifest)
        published = run.write(directories)
    directories.switch()
    directories.sync_spare()
    return published


def _has_new_cosignatures(directories: SnapshotDirectories) -> bool:
    """Return whether the newest signed head has cosignatures that its file lacks. The manifest says nothing about them."""
    head, tree = SignedHead.objects.last(), directories.current
    if head is None or tree is None:
        return False
    path = tree / pages.checkpoint_file()
    return not path.exists() or path.read_bytes() != head.cosigned_note.encode()


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
    """One run, from the state of the registry in the surrounding transaction: what it renders, and what it lists."""

    def __init__(self, before: Manifest | None, options: PublishOptions) -> None:
        self.options, self.head, self.fingerprint = options, LogPosition.current(), fingerprint()
        self.before, self.changed = before, self._changed_nids(before)
        self.is_whole = self.changed is None
        self.total = Namespace.objects.count()
        self.with_exports = options.with_exports or self.is_whole or self.total <= SMALL_REGISTRY
        self.manifest = Manifest(
            head=self.head,
            exports=self.head if self.with_exports or before is None else before.exports,
            signed_head=SignedHead.objects.aggregate(size=Max("size", default=0))["size"],
            fingerprint=self.fingerprint,
            timestamps=Timestamp.objects.aggregate(last=Max("pk", default=0))["last"],
            parts={} if self.is_whole or before is None else dict(before.parts),
        )
        self.has_changes = self.manifest != before
        self.namespaces = self.pages = 0

    @staticmethod
    def _events_after(before: Manifest) -> QuerySet[Event]:
        return Event.objects.filter(number__gt=before.head.number)

    def _changed_nids(self, before: Manifest | None) -> set[str] | None:
        """Return the NIDs with events since the last run, None if everything must be rendered."""
        if before is None or before.fingerprint != self.fingerprint:
            return None
        if before.head.number > self.head.number or not before.head.is_in_log:
            return None  # a snapshot of another registry, or the registry was restored from an older state
        later = self._events_after(before)
        if later.filter(verb=ERASURE).exists():
            return None  # any page may name the person
        events = later.exclude(nid="")
        changed = list(events.values_list("nid", "details__successor").distinct()[: MAX_CHANGES + 1])
        return None if len(changed) > MAX_CHANGES else {nid for pair in changed for nid in pair if nid}

    def write(self, directories: SnapshotDirectories) -> PublishResult:
        """Write the files of the run to the spare tree."""
        site = SiteRenderer()
        writer = DirectoryWriter(directories, is_whole=self.is_whole)
        for files in _to_write_at_once(self._files(site)):
            writer.put(files)
            self.pages += len(files)
        writer.put(rendering.with_dependencies(site.assets))
        for namespace in self._with_lists():
            for name, file in subnamespace_files(namespace).items():
                writer.put_blocks(pages.list_file(namespace.nid, name), file.write())
        if self.with_exports:
            for name, file in FILES.items():
                writer.put_blocks(pages.export_file(name), file.write())
        writer.finish(self.manifest)
        return PublishResult(self.manifest, writer.counts, self.is_whole, self.namespaces, self.pages)

    def _files(self, site: SiteRenderer) -> Iterator[tuple[str, bytes]]:
        """Yield the path and the content of each page of the run."""
        if self.is_whole:
            yield from map(site.file, pages.with_software())
        yield from map(site.file, pages.at_every_event())
        before = None if self.is_whole else self.before
        yield from map(
            site.file, pages.of_tree(before.signed_head if before else 0, self.manifest.signed_head)
        )
        yield from map(site.file, pages.of_timestamps(before.timestamps if before else 0))
        for rendered in self._rendered(site):
            yield from rendered.files
            site.assets |= rendered.assets
            self.namespaces += rendered.namespaces
            if self.options.on_page:
                self.options.on_page(self.namespaces, self._expected)
        for page in self._browse_pages():
            yield site.own_file(page.path, "publication/browse.html", pages.namespaces_on(page))
        for namespace in self._with_lists():
            for page in pages.subnamespaces_of(namespace).pages():
                context = {"namespace": namespace, "page": page}
                yield site.own_file(page.path, "publication/browse_subnamespaces.html", context)
        yield site.own_file(pages.INDEX, "publication/browse_index.html", {"pages": pages.NAMESPACES.pages()})
        yield site.own_file(pages.NOT_FOUND, "404.html", {})

    def _rendered(self, site: SiteRenderer) -> Iterator[RenderedBatch]:
        """Yield the rendered pages of the namespaces that changed."""
        work = batches(pages.to_render(self._namespaces), NAMESPACES_AT_ONCE)
        if self.options.jobs > 1 and self._expected >= MIN_NAMESPACES_FOR_PROCESSES:
            in_worker = partial(render_in_snapshot, export_database_snapshot())
            return process_pool.map_in_processes(in_worker, work, self.options.jobs)
        return map(site.batch, work)

    @property
    def _namespaces(self) -> QuerySet[Namespace]:
        """Return the namespaces to render."""
        found = Namespace.objects.order_by("nid")
        return found if self.changed is None else found.filter(nid__in=self.changed)

    def _with_lists(self) -> QuerySet[Namespace]:
        """Return the namespaces whose lists to write. What changes a list, or its profile, commits a text to the log."""
        found = self._namespaces.filter(has_subnamespaces=True)
        if self.before is None or self.is_whole:
            return found
        return found.filter(nid__in=self._events_after(self.before).exclude(text_digest="").values("nid"))

    @property
    def _expected(self) -> int:
        """Return the number of namespaces to render."""
        return self.total if self.changed is None else len(self.changed)

    def _browse_pages(self) -> Iterable[BrowsePage]:
        if self.changed is None:
            return pages.NAMESPACES.pages()
        return {each for nid in self.changed for each in pages.pages_changed_by(nid)}


def _to_write_at_once(files: Iterable[tuple[str, bytes]]) -> Iterator[dict[str, bytes]]:
    """Yield the contents of files by path, as many as are written together."""
    together, octets = dict[str, bytes](), 0
    for path, content in files:
        together[path] = content
        octets += len(content)
        if len(together) >= FILES_AT_ONCE or octets >= OCTETS_AT_ONCE:
            yield together
            together, octets = {}, 0
    yield together
