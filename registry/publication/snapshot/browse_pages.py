"""The paginated list of all namespaces, with page boundaries that stay stable when namespaces are added.

A page extends from one landmark to the next. A landmark is a NID whose MD5 begins with two zeros, on average
one in 256. A new namespace therefore changes only its own page, and page boundaries need not be stored.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import QuerySet
from django.db.models.functions import MD5, Left

from registry.namespaces.models import Namespace
from registry.namespaces.queries import add_titles

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

    def namespaces(self) -> list[Namespace]:
        """The namespaces of the page in order, with their titles."""
        found = Namespace.objects.filter(nid__gte=self.start)
        found = found.filter(nid__lt=self.end) if self.end else found
        namespaces = list(found.only(*IN_A_ROW).order_by("nid"))
        add_titles(namespaces)
        return namespaces


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
