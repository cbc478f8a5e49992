"""/desk/imports/: the imported files of IANA's registry."""

from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.roles import check_is_administrator
from registry.audit_log.models import Event
from registry.core.pagination import Keyset, Page, Row
from registry.namespaces.history import event_label
from registry.publication.models import IanaRecord

PAGE_SIZE = 50
OLDEST_FIRST, NEWEST_FIRST, BY_NID = Keyset("number"), Keyset("-number"), Keyset("nid")


@require_safe
def imports(request: SignedInRequest) -> HttpResponse:
    """The imports that changed something, newest first."""
    check_is_administrator(request.user)
    page = _page(request, NEWEST_FIRST, Event.objects.filter(verb="import_iana"))
    context = {"page": page, "has_removed": IanaRecord.objects.exclude(removed_on="").exists()}
    return render(request, "review_desk/administrators/imports.html", context)


@require_safe
def import_detail(request: SignedInRequest, number: int) -> HttpResponse:
    """The changes made by one import."""
    check_is_administrator(request.user)
    import_event = get_object_or_404(Event, number=number, verb="import_iana")
    earlier = Event.objects.filter(verb="import_iana", number__lt=number).order_by("-number")
    before = earlier.values_list("number", flat=True).first() or 0
    entries = Event.objects.filter(verb="import", number__gt=before, number__lt=number)
    entries = entries.filter(text_digest=import_event.text_digest)
    page = _page(request, OLDEST_FIRST, entries)
    lines = [(event, event_label(event)) for event in page.rows]
    return render(
        request,
        "review_desk/administrators/import_detail.html",
        {"import_event": import_event, "page": page, "lines": lines},
    )


@require_safe
def removed_namespaces(request: SignedInRequest) -> HttpResponse:
    """The entries that IANA no longer lists. They stay registered here."""
    check_is_administrator(request.user)
    records = IanaRecord.objects.exclude(removed_on="").select_related("namespace")
    page = _page(request, BY_NID, records)
    return render(request, "review_desk/administrators/removed_namespaces.html", {"page": page})


def _page(request: SignedInRequest, keyset: Keyset, rows: "QuerySet[Row]") -> "Page[Row]":
    return keyset.page(rows, request.GET.get("after", ""), PAGE_SIZE)
