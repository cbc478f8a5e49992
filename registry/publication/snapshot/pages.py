"""Which pages of the site make up the snapshot, and under which file each stands."""

from collections.abc import Iterable, Iterator
from urllib.parse import parse_qs

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, QuerySet
from django.urls import reverse

from registry.namespaces.models import Namespace, Revision
from registry.publication.exporting import FILES
from registry.publication.snapshot import browsing

# Views by name, each with how often it is published.
ONCE = ("home", "namespaces:list")
OF_A_NAMESPACE = ("namespaces:detail", "api:namespace")
OF_A_NAMESPACE_WITH_TEXT = ("api:versions",)
OF_A_VERSION = ("namespaces:version", "namespaces:text", "api:version")
PUBLISHED = frozenset((*ONCE, *OF_A_NAMESPACE, *OF_A_NAMESPACE_WITH_TEXT, *OF_A_VERSION))

NOT_FOUND = "/404.html"
FORMS = "exports"


def file_at(view: str, path: str) -> str:
    """The file that holds a view's page; "" when it is not published, and the living site answers alone."""
    if path in (browsing.INDEX, browsing.FIRST) or path.startswith(f"{browsing.INDEX}from/"):
        return file_of(path, "text/html")
    if path == NOT_FOUND or path in {f"/{form_file(name)}" for name in FILES}:
        return path[1:]
    if view not in PUBLISHED:
        return ""
    return file_of(path, "application/json" if view.startswith("api:") else "text/html")


def file_of(path: str, media_type: str) -> str:
    """A folder's address is answered with the index in it, as web servers do."""
    name = "index.json" if media_type == "application/json" else "index.html"
    return f"{path[1:]}{name}" if path.endswith("/") else path[1:]


def form_file(name: str) -> str:
    """The file of one form of the whole registry."""
    return f"{FORMS}/{name}"


def elsewhere(view: str, query: str) -> str:
    """Where an address with a query leads without the site: the next page of the list to where it goes on."""
    asked = parse_qs(query[1:])
    if view == "namespaces:list" and set(asked) == {"after"}:
        return browsing.page_with(asked["after"][0]).path
    return ""


def once() -> list[str]:
    return [reverse(view) for view in ONCE]


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
