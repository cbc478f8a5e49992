"""All namespaces in order, on pages that stay where they are while others are registered.

A page reaches from one landmark to the next. A landmark is a NID whose MD5 begins with two zeros: one in 256,
wherever it stands. So a new namespace changes the one page on which it belongs, and nothing has to remember
where pages begin.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import QuerySet
from django.db.models.functions import MD5, Left

from registry.namespaces.models import Namespace

INDEX = "/browse/"
FIRST = "/browse/first/"
LANDMARK_PREFIX = "00"


@dataclass(frozen=True, slots=True)
class BrowsePage:
    """One page: from `start` on, "" at the very beginning, up to the landmark `end`, "" at the very end."""

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

    def namespaces(self) -> QuerySet[Namespace]:
        found = Namespace.objects.filter(nid__gte=self.start)
        found = found.filter(nid__lt=self.end) if self.end else found
        return found.only("nid", "kind", "holder", "purpose", "registered_on", "deprecated_at").order_by(
            "nid"
        )


def all_pages() -> Iterator[BrowsePage]:
    """All of them, in order."""
    start = ""
    for end in _landmarks().order_by("nid").values_list("nid", flat=True).iterator():
        yield BrowsePage(start, end)
        start = end
    yield BrowsePage(start, "")


def page_containing(nid: str) -> BrowsePage:
    """The page on which the NID stands, or would stand."""
    start = _landmarks().filter(nid__lte=nid).order_by("-nid").values_list("nid", flat=True).first()
    return _page_from(start or "")


def pages_changed_by(nid: str) -> list[BrowsePage]:
    """The pages that may look otherwise since this namespace changed, or was registered."""
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
