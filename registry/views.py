"""The home page, the guide and the page of the scheme. They use several apps, so they belong to none."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from registry.cases.models import Case
from registry.core.http.page_cache import cached_until_changed
from registry.namespaces.models import Kind, Namespace
from registry.namespaces.search import KEYSETS, Order, SearchQuery, titled_page
from registry.search.views import search_results
from urnsyntax.profiles.profile import SUBJECTS

SHOWN = 6
COUNTED = (
    10_000  # above this, the page shows "10,000+", because counting a million rows takes longer than the page
)


@login_not_required
@require_safe
@cached_until_changed
def home(request: HttpRequest) -> HttpResponse:
    """The home page; with words in the parameter `q`, the results of a search."""
    if request.GET.get("q", "").strip():
        return search_results(request)
    under_review = Case.objects.open().public().select_related("namespace")
    at_a_glance = {
        "formal": _tally(Kind.FORMAL),
        "informal": _tally(Kind.INFORMAL),
        "newest": [each for each in _first(Order.NEWEST) if each.registered_on],
        "revised": [each for each in _first(Order.UPDATED) if each.updated_on],
        "under_review": under_review.order_by("-state_since")[:SHOWN],
        "subjects": SUBJECTS,
    }
    return render(request, "home.html", at_a_glance)


@login_not_required
@require_safe
def guide(request: HttpRequest) -> HttpResponse:
    """The guide to the kinds of namespaces."""
    return render(request, "guide.html")


@login_not_required
@require_safe
def urn_scheme(request: HttpRequest) -> HttpResponse:
    """The registration of the scheme "urn" (RFC 8141, Section 7.1)."""
    return render(request, "urn_scheme.html")


def _tally(kind: Kind) -> str:
    # One query per status, because there is an index for each.
    of_kind = Namespace.objects.filter(kind=kind).order_by("nid")
    lists = [of_kind.filter(deprecated_at__isnull=is_active) for is_active in (True, False)]
    counted = sum(each[: COUNTED + 1].count() for each in lists)
    return f"{COUNTED:,}+" if counted > COUNTED else f"{counted:,}"


def _first(order: Order) -> list[Namespace]:
    return list(titled_page(SearchQuery(keyset=KEYSETS[order]), SHOWN).rows)
