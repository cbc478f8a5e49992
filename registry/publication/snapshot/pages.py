"""Which pages of the site make up the snapshot, and under which file each stands."""

from collections.abc import Iterable, Iterator
from urllib.parse import parse_qs

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, QuerySet
from django.urls import reverse

from registry.namespaces.models import Namespace, Revision
from registry.publication.snapshot import browse_pages
from registry.statistics.queries import CHARTS

# Views by name, each with when it is rendered again: with other software alone, at every event …
WITH_SOFTWARE = ("guide", "publication:files", "publication:style_sheet", "api:files")
OF_A_SCHEMA = ("api:schema-file",)
AT_EVERY_EVENT = ("home", "namespaces:list", "statistics:overview", "publication:feed")
OF_A_FIGURE = ("statistics:chart_svg", "statistics:chart_csv")
# … when the namespace changes …
OF_A_NAMESPACE = ("namespaces:detail", "publication:namespace_feed", "api:namespace")
OF_A_NAMESPACE_WITH_TEXT = ("api:versions",)
OF_A_VERSION = ("namespaces:version", "namespaces:text", "api:version")
# … and the files of the whole registry, where it is large, when they lag too far behind.
OF_A_FORM = "publication:file"
PUBLISHED = frozenset(
    (
        *WITH_SOFTWARE,
        *OF_A_SCHEMA,
        *AT_EVERY_EVENT,
        *OF_A_FIGURE,
        *OF_A_NAMESPACE,
        *OF_A_NAMESPACE_WITH_TEXT,
        *OF_A_VERSION,
        OF_A_FORM,
    )
)
SCHEMAS = ("json", "yaml")

NOT_FOUND = "/404.html"


def file_at(view: str, path: str) -> str:
    """The file that holds a view's page; "" when it is not published, and the living site answers alone."""
    if path in (browse_pages.INDEX, browse_pages.FIRST) or path.startswith(f"{browse_pages.INDEX}from/"):
        return file_of(path, "text/html")
    if path == NOT_FOUND:
        return path[1:]
    if view not in PUBLISHED:
        return ""
    return file_of(path, "application/json" if view.startswith("api:") else "text/html")


def file_of(path: str, media_type: str) -> str:
    """A folder's address is answered with the index in it, as web servers do."""
    name = "index.json" if media_type == "application/json" else "index.html"
    return f"{path[1:]}{name}" if path.endswith("/") else path[1:]


def form_file(name: str) -> str:
    """The file of one form of the whole registry, where the site has it, too."""
    return reverse(OF_A_FORM, args=(name,))[1:]


def substitute(view: str, query: str) -> str:
    """Where an address with a query leads without the site: the next page of the list to where it goes on."""
    asked = parse_qs(query[1:])
    if view == "namespaces:list" and set(asked) == {"after"}:
        return browse_pages.page_containing(asked["after"][0]).path
    return ""


def with_software() -> Iterator[str]:
    """The addresses of what stays as it is until the software changes."""
    yield from map(reverse, WITH_SOFTWARE)
    yield from (reverse(view, args=(suffix,)) for view in OF_A_SCHEMA for suffix in SCHEMAS)


def at_every_event() -> Iterator[str]:
    """The addresses of what any event may change."""
    yield from map(reverse, AT_EVERY_EVENT)
    yield from (reverse(view, args=(figure,)) for view in OF_A_FIGURE for figure in CHARTS)


def of_namespace(nid: str, versions: Iterable[int]) -> Iterator[str]:
    """The addresses of all pages of one namespace."""
    versions = list(versions)
    views = OF_A_NAMESPACE + (OF_A_NAMESPACE_WITH_TEXT if versions else ())
    yield from (reverse(view, args=(nid,)) for view in views)
    for version in versions:
        yield from (reverse(view, args=(nid, version)) for view in OF_A_VERSION)


def with_versions(namespaces: QuerySet[Namespace]) -> Iterator[tuple[str, list[int]]]:
    """Each NID with the versions of which the text is here, streamed in order."""
    revisions = Revision.objects.filter(namespace=OuterRef("pk")).order_by("version").values("version")
    found = namespaces.order_by("nid").annotate(texts=ArraySubquery(revisions)).values_list("nid", "texts")
    yield from found.iterator(chunk_size=1000)
