"""The pages of the snapshot and the file of each, and the paginated list of all namespaces.

A page extends from one landmark to the next. A landmark is a NID whose MD5 begins with two zeros, on average
one in 256. A new namespace therefore changes only its own page, and page boundaries need not be stored.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import parse_qs

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import MD5, Left
from django.urls import reverse

from registry.audit_log.models import SignedHead
from registry.namespaces.models import Namespace, ProfileVersion, Revision
from registry.namespaces.queries import add_titles
from registry.statistics.queries import CHARTS

INDEX = "/browse/"
FIRST = "/browse/first/"
LANDMARK_PREFIX = "00"
# What a row of the list shows.
IN_A_ROW = (
    "nid",
    "kind",
    "profile",
    "holder",
    "purpose",
    "references",
    "registered_on",
    "updated_on",
    "deprecated_at",
)


@dataclass(frozen=True, slots=True)
class BrowsePage:
    """One page, from `start` ("" for the first page) to the landmark `end` ("" for the last page)."""

    start: str
    end: str

    @property
    def path(self) -> str:
        return page_path(self.start)

    @property
    def previous(self) -> str:
        return page_path(_last_before(self.start)) if self.start else ""

    @property
    def next(self) -> str:
        return page_path(self.end) if self.end else ""

    def context(self) -> dict[str, object]:
        """The context of its template, with its namespaces in order."""
        found = Namespace.objects.filter(nid__gte=self.start)
        found = found.filter(nid__lt=self.end) if self.end else found
        namespaces = list(found.only(*IN_A_ROW).order_by("nid"))
        add_titles(namespaces)
        ends = {"first": namespaces[0], "last": namespaces[-1]} if namespaces else {}
        return {"page": self, "namespaces": namespaces, "index": INDEX, **ends}


def all_pages() -> Iterator[BrowsePage]:
    """Yield all pages in order."""
    start = ""
    for end in _landmarks().order_by("nid").values_list("nid", flat=True).iterator():
        yield BrowsePage(start, end)
        start = end
    yield BrowsePage(start, "")


def page_containing(nid: str) -> BrowsePage:
    """Return the page to which the NID belongs."""
    start = _landmarks().filter(nid__lte=nid).order_by("-nid").values_list("nid", flat=True).first()
    return _page_from(start or "")


def pages_changed_by(nid: str) -> list[BrowsePage]:
    """Return the pages that a change or registration of this namespace can affect."""
    page = page_containing(nid)
    if page.start != nid:
        return [page]
    return [_page_from(_last_before(nid)), page, *([_page_from(page.end)] if page.end else [])]


def page_path(start: str) -> str:
    return f"/browse/from/{start}/" if start else FIRST


def _page_from(start: str) -> BrowsePage:
    end = _landmarks().filter(nid__gt=start).order_by("nid").values_list("nid", flat=True).first()
    return BrowsePage(start, end or "")


def _last_before(nid: str) -> str:
    found = _landmarks().filter(nid__lt=nid).order_by("-nid").values_list("nid", flat=True).first()
    return found or ""


def _landmarks() -> QuerySet[Namespace]:
    return Namespace.objects.alias(mark=Left(MD5("nid"), len(LANDMARK_PREFIX))).filter(mark=LANDMARK_PREFIX)


# View names by when their pages are rendered again: only if the software changes, at every event …
WITH_SOFTWARE = (
    "guide",
    "urn_scheme",
    "publication:files",
    "publication:style_sheet",
    "publication:schema",
    "api:files",
)
OF_A_SCHEMA = ("api:schema-file",)
AT_EVERY_EVENT = (
    "home",
    "namespaces:list",
    "sightings:list",
    "statistics:overview",
    "publication:feed",
    "audit_log:overview",
)
# … once a head of the audit log has been signed …
OF_A_HEAD = ("audit_log:checkpoint",)
OF_A_CHART = ("statistics:chart_svg", "statistics:chart_csv")
# … if the namespace changes …
OF_A_NAMESPACE = ("namespaces:detail", "publication:namespace_feed", "api:namespace")
OF_A_NAMESPACE_WITH_TEXT = ("api:versions",)
OF_A_NAMESPACE_WITH_PROFILE = ("namespaces:profile",)
OF_A_VERSION = ("namespaces:version", "namespaces:text", "api:version")
# … and, for the files of a large registry, if they are too far behind.
OF_A_FORM = "publication:file"
PUBLISHED = frozenset(
    (
        *WITH_SOFTWARE,
        *OF_A_SCHEMA,
        *AT_EVERY_EVENT,
        *OF_A_HEAD,
        *OF_A_CHART,
        *OF_A_NAMESPACE,
        *OF_A_NAMESPACE_WITH_TEXT,
        *OF_A_NAMESPACE_WITH_PROFILE,
        *OF_A_VERSION,
        OF_A_FORM,
    )
)
SCHEMAS = ("json", "yaml")

NOT_FOUND = "/404.html"


class ToRender(NamedTuple):
    """A namespace with the versions whose text is stored. `has_profile`: one was set, and perhaps removed."""

    nid: str
    versions: list[int]
    has_profile: bool


def file_at(view: str, path: str) -> str:
    """Return the file for a view's page, "" if only the live site has the page."""
    if path in (INDEX, FIRST, NOT_FOUND) or path.startswith(f"{INDEX}from/"):
        return file_of(path, "text/html")
    if view not in PUBLISHED:
        return ""
    return file_of(path, "application/json" if view.startswith("api:") else "text/html")


def file_of(path: str, media_type: str) -> str:
    """Return the file for a path; a path that ends with "/" maps to an index file."""
    name = "index.json" if media_type == "application/json" else "index.html"
    return f"{path[1:]}{name}" if path.endswith("/") else path[1:]


def export_file(name: str) -> str:
    """Return the file of one export format; the path is the same as on the site."""
    return reverse(OF_A_FORM, args=(name,))[1:]


def substitute(view: str, query: str) -> str:
    """Return the snapshot page that replaces a URL with a query, such as the next page of the list."""
    parameters = parse_qs(query[1:])
    if view == "namespaces:list" and set(parameters) == {"after"}:
        return page_containing(parameters["after"][0]).path
    return ""


def with_software() -> Iterator[str]:
    """Yield the paths of pages that change only with the software."""
    yield from map(reverse, WITH_SOFTWARE)
    yield from (reverse(view, args=(suffix,)) for view in OF_A_SCHEMA for suffix in SCHEMAS)


def at_every_event() -> Iterator[str]:
    """Yield the paths of pages that any event, or a new signed head, can change."""
    yield from map(reverse, AT_EVERY_EVENT)
    if SignedHead.objects.exists():
        yield from map(reverse, OF_A_HEAD)
    yield from (reverse(view, args=(chart,)) for view in OF_A_CHART for chart in CHARTS)


def of_namespace(namespace: ToRender) -> Iterator[str]:
    """Yield the paths of all pages of one namespace."""
    nid = namespace.nid
    views: tuple[str, ...] = OF_A_NAMESPACE
    views += OF_A_NAMESPACE_WITH_TEXT if namespace.versions else ()
    views += OF_A_NAMESPACE_WITH_PROFILE if namespace.has_profile else ()
    yield from (reverse(view, args=(nid,)) for view in views)
    for version in namespace.versions:
        yield from (reverse(view, args=(nid, version)) for view in OF_A_VERSION)


def to_render(namespaces: QuerySet[Namespace]) -> Iterator[ToRender]:
    """Stream the namespaces in the order of their NIDs."""
    revisions = Revision.objects.filter(namespace=OuterRef("pk")).order_by("version").values("version")
    profiles = ProfileVersion.objects.filter(namespace=OuterRef("pk"))
    found = namespaces.order_by("nid").annotate(texts=ArraySubquery(revisions), is_described=Exists(profiles))
    rows = found.values_list("nid", "texts", "is_described")
    yield from (ToRender(*row) for row in rows.iterator(chunk_size=1000))
