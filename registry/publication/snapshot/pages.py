"""The pages of the snapshot and the file of each, and the paginated lists of all namespaces and of sub-namespaces.

A page of a list extends from one landmark to the next. A landmark is a key whose MD5 begins with two zeros, on average
one in 256. A new namespace therefore changes only its own page, and page boundaries need not be stored.
"""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import parse_qs, quote

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef, Q, QuerySet
from django.db.models.functions import MD5, Left
from django.urls import resolve, reverse

from registry.audit_log.models import SignedHead, Timestamp
from registry.audit_log.tiles import tiles_after
from registry.namespaces.models import Namespace, ProfileVersion, Revision
from registry.namespaces.queries import add_titles, find_namespace
from registry.statistics.queries import CHARTS
from registry.subnamespaces.queries import NoSuchSubNamespace, get_subnamespace, list_of

INDEX = "/browse/"
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


@dataclass(frozen=True, eq=False)
class DividedList:
    """Rows in the order of a column of unique texts, in pages below the path `root`.

    `name_of` makes the last part of the path of a page from the landmark with which it begins.
    """

    rows: QuerySet[Any]
    column: str
    root: str
    name_of: Callable[[str], str] = str

    def pages(self) -> Iterator["BrowsePage"]:
        """Yield all pages in order."""
        start = ""
        for end in self._landmarks().order_by(self.column).iterator():
            yield BrowsePage(self, start, end)
            start = end
        yield BrowsePage(self, start, "")

    def page_containing(self, key: str) -> "BrowsePage":
        """Return the page to which the row with this key belongs."""
        return self.page_from(self._last("lte", key))

    def page_from(self, start: str) -> "BrowsePage":
        later = self._landmarks().filter(**{f"{self.column}__gt": start}).order_by(self.column)
        return BrowsePage(self, start, later.first() or "")

    def last_before(self, key: str) -> str:
        return self._last("lt", key)

    def path_of(self, start: str) -> str:
        return f"{self.root}from/{self.name_of(start)}/" if start else f"{self.root}first/"

    def between(self, start: str, end: str) -> QuerySet[Any]:
        found = self.rows.filter(**{f"{self.column}__gte": start})
        found = found.filter(**{f"{self.column}__lt": end}) if end else found
        return found.order_by(self.column)

    def _last(self, comparison: str, key: str) -> str:
        found = self._landmarks().filter(**{f"{self.column}__{comparison}": key})
        return found.order_by(f"-{self.column}").first() or ""

    def _landmarks(self) -> QuerySet[Any, Any]:
        marked = self.rows.alias(mark=Left(MD5(self.column), len(LANDMARK_PREFIX)))
        found: QuerySet[Any, Any] = marked.filter(mark=LANDMARK_PREFIX).values_list(self.column, flat=True)
        return found


@dataclass(frozen=True, slots=True)
class BrowsePage:
    """One page of a list, from `start` ("" for the first page) to the landmark `end` ("" for the last page)."""

    of: DividedList
    start: str
    end: str

    @property
    def path(self) -> str:
        return self.of.path_of(self.start)

    @property
    def previous(self) -> str:
        return self.of.path_of(self.of.last_before(self.start)) if self.start else ""

    @property
    def next(self) -> str:
        return self.of.path_of(self.end) if self.end else ""

    @property
    def rows(self) -> QuerySet[Any]:
        return self.of.between(self.start, self.end)


NAMESPACES = DividedList(Namespace.objects.all(), "nid", INDEX)


def namespaces_on(page: BrowsePage) -> dict[str, object]:
    """The context of the template of a page of namespaces."""
    namespaces = list(page.rows.only(*IN_A_ROW))
    add_titles(namespaces)
    ends = {"first": namespaces[0], "last": namespaces[-1]} if namespaces else {}
    return {"page": page, "namespaces": namespaces, "index": INDEX, **ends}


def pages_changed_by(nid: str) -> list[BrowsePage]:
    """Return the pages that a change or registration of this namespace can affect."""
    page = NAMESPACES.page_containing(nid)
    if page.start != nid:
        return [page]
    following = [NAMESPACES.page_from(page.end)] if page.end else []
    return [NAMESPACES.page_from(NAMESPACES.last_before(nid)), page, *following]


def subnamespaces_of(namespace: Namespace) -> DividedList:
    """The pages of the list of a namespace. A key can be longer than the name of a file, and contain slashes."""
    return DividedList(list_of(namespace), "key", f"{INDEX}subnamespaces/{namespace.nid}/", _digest)


def _digest(key: str) -> str:
    return hashlib.md5(key.encode(), usedforsecurity=False).hexdigest()


def anchor_of(prefix: str) -> str:
    """The fragment of the address of a sub-namespace on its page."""
    return f"prefix-{quote(prefix, safe='!$()*+,-./:;=@_~')}"


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
OF_A_HEAD = ("audit_log:checkpoint", "audit_log:tiled-checkpoint")
OF_A_TIMESTAMP = ("audit_log:note", "audit_log:timestamp")
OF_THE_TREE = ("audit_log:tile", "audit_log:entries")
OF_A_CHART = ("statistics:chart_svg", "statistics:chart_csv")
# … if the namespace changes …
OF_A_NAMESPACE = ("namespaces:detail", "publication:namespace_feed", "api:namespace")
OF_A_NAMESPACE_WITH_TEXT = ("api:versions",)
OF_A_NAMESPACE_WITH_PROFILE = ("namespaces:profile",)
OF_A_NAMESPACE_WITH_LEVELS = ("subnamespaces:list",)
OF_A_LIST = "publication:subnamespaces"
OF_A_VERSION = ("namespaces:version", "namespaces:text", "api:version")
# … and, for the files of a large registry, if they are too far behind.
OF_A_FORM = "publication:file"
PUBLISHED = frozenset(
    (
        *WITH_SOFTWARE,
        *OF_A_SCHEMA,
        *AT_EVERY_EVENT,
        *OF_A_HEAD,
        *OF_A_TIMESTAMP,
        *OF_THE_TREE,
        *OF_A_CHART,
        *OF_A_NAMESPACE,
        *OF_A_NAMESPACE_WITH_TEXT,
        *OF_A_NAMESPACE_WITH_PROFILE,
        *OF_A_NAMESPACE_WITH_LEVELS,
        OF_A_LIST,
        *OF_A_VERSION,
        OF_A_FORM,
    )
)
SCHEMAS = ("json", "yaml")

NOT_FOUND = "/404.html"


class ToRender(NamedTuple):
    """A namespace with the versions whose text is stored. `has_profile`: one was set, and perhaps removed.

    `has_levels`: its profile states how it is divided, or it has a list of sub-namespaces.
    """

    nid: str
    versions: list[int]
    has_profile: bool
    has_levels: bool


def file_at(view: str, path: str) -> str:
    """Return the file for a view's page, "" if only the live site has the page."""
    if path == NOT_FOUND or path.startswith(INDEX):
        return file_of(path, "text/html")
    if view not in PUBLISHED:
        return ""
    return file_of(path, "application/json" if view.startswith("api:") else "text/html")


def file_of(path: str, media_type: str) -> str:
    """Return the file for a path; a path that ends with "/" maps to an index file."""
    name = "index.json" if media_type == "application/json" else "index.html"
    return f"{path[1:]}{name}" if path.endswith("/") else path[1:]


def checkpoint_file() -> str:
    """Return the file of the newest signed head."""
    return file_of(reverse("audit_log:tiled-checkpoint"), "text/plain")


def export_file(name: str) -> str:
    """Return the file of one export format; the path is the same as on the site."""
    return reverse(OF_A_FORM, args=(name,))[1:]


def list_file(nid: str, name: str) -> str:
    """Return the file of one format of the list of a namespace; the path is the same as on the site."""
    return reverse(OF_A_LIST, args=(nid, name))[1:]


def substitute(view: str, path: str, query: str) -> str:
    """Return the snapshot page that replaces a URL with a query, such as the next page of a list."""
    parameters = parse_qs(query[1:])
    if view == "namespaces:list" and set(parameters) == {"after"}:
        return NAMESPACES.page_containing(parameters["after"][0]).path
    namespace = find_namespace(resolve(path).kwargs["nid"]) if view == "subnamespaces:list" else None
    if namespace and namespace.has_subnamespaces:
        return _page_of_list(namespace, parameters)
    return ""


def _page_of_list(namespace: Namespace, parameters: dict[str, list[str]]) -> str:
    """Return the page that continues a list, or the place of a sub-namespace on its page."""
    divided = subnamespaces_of(namespace)
    if set(parameters) == {"after"}:
        return divided.page_containing(parameters["after"][0]).path
    if set(parameters) == {"prefix"}:
        with suppress(NoSuchSubNamespace):
            row = get_subnamespace(namespace, parameters["prefix"][0])
            return f"{divided.page_containing(row.key).path}#{anchor_of(row.prefix)}"
    return ""


def with_software() -> Iterator[str]:
    """Yield the paths of pages that change only with the software."""
    yield from map(reverse, WITH_SOFTWARE)
    yield from (reverse(view, args=(suffix,)) for view in OF_A_SCHEMA for suffix in SCHEMAS)


def at_every_event() -> Iterator[str]:
    """Yield the paths of pages that any event, a new signed head, or a cosignature of it can change."""
    yield from map(reverse, AT_EVERY_EVENT)
    if SignedHead.objects.exists():
        yield from map(reverse, OF_A_HEAD)
    yield from (reverse(view, args=(chart,)) for view in OF_A_CHART for chart in CHARTS)


def of_timestamps(after: int) -> Iterator[str]:
    """Yield the paths of the time stamps whose key is larger, and of the notes that they are about."""
    for each in Timestamp.objects.filter(pk__gt=after).order_by("pk").iterator():
        yield reverse("audit_log:note", args=(each.head_id,))
        yield each.get_absolute_url()


def of_tree(before: int, size: int) -> Iterator[str]:
    """Yield the paths of the tiles and bundles of a head of `size` events that a head of `before` events lacks."""
    for level, place in tiles_after(before, size):
        yield reverse("audit_log:tile", args=(level, place))
        if level == 0:
            yield reverse("audit_log:entries", args=(place,))


def of_namespace(namespace: ToRender) -> Iterator[str]:
    """Yield the paths of all pages of one namespace."""
    nid = namespace.nid
    views: tuple[str, ...] = OF_A_NAMESPACE
    views += OF_A_NAMESPACE_WITH_TEXT if namespace.versions else ()
    views += OF_A_NAMESPACE_WITH_PROFILE if namespace.has_profile else ()
    views += OF_A_NAMESPACE_WITH_LEVELS if namespace.has_levels else ()
    yield from (reverse(view, args=(nid,)) for view in views)
    for version in namespace.versions:
        yield from (reverse(view, args=(nid, version)) for view in OF_A_VERSION)


def to_render(namespaces: QuerySet[Namespace]) -> Iterator[ToRender]:
    """Stream the namespaces in the order of their NIDs."""
    revisions = Revision.objects.filter(namespace=OuterRef("pk")).order_by("version").values("version")
    profiles = ProfileVersion.objects.filter(namespace=OuterRef("pk"))
    # The page of a namespace links the list in the same cases. Levels that were removed stay until the next whole run.
    divided = Q(has_subnamespaces=True) | Exists(profiles.filter(content__has_key="levels"))
    found = namespaces.order_by("nid").annotate(
        texts=ArraySubquery(revisions),
        is_described=Exists(profiles),
        is_divided=ExpressionWrapper(divided, BooleanField()),
    )
    rows = found.values_list("nid", "texts", "is_described", "is_divided")
    yield from (ToRender(*row) for row in rows.iterator(chunk_size=1000))
