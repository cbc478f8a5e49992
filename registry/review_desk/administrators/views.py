"""What administrators answer for besides cases: the outbox, imports, corrections of the record."""

from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.services.roles import check_is_administrator
from registry.audit_log.models import Event
from registry.cases import corrections as correcting
from registry.cases.models import Case
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.pagination import Keyset, Page, Row, number_of
from registry.mail import outbox as outgoing
from registry.mail.models import Message
from registry.namespaces.history import EVENT_LABELS as NAMESPACE_EVENT_LABELS
from registry.namespaces.history import event_label
from registry.namespaces.models import Namespace
from registry.publication.models import IanaRecord
from registry.review_desk.administrators import mail_actions
from registry.review_desk.administrators.forms import CorrectForm, DiscardForm, HistorySearchForm
from urnsyntax.nid import is_well_formed

PAGE_SIZE = 50
UNPROCESSABLE = HTTPStatus.UNPROCESSABLE_ENTITY
get_or_post = require_http_methods(["GET", "HEAD", "POST"])


OLDEST_MAIL_FIRST, NEWEST_MAIL_FIRST = Keyset("pk"), Keyset("-pk")
OLDEST_EVENT_FIRST, NEWEST_EVENT_FIRST = Keyset("number"), Keyset("-number")
BY_NID = Keyset("nid")


def _page(request: SignedInRequest, keyset: Keyset, rows: "QuerySet[Row]") -> "Page[Row]":
    return keyset.page(rows, request.GET.get("after", ""), PAGE_SIZE)


# ---- The outbox: never a body, for some of them let whoever reads it into an account


def _messages() -> "QuerySet[Message]":
    return Message.objects.defer("body")


@get_or_post
def outbox(request: SignedInRequest) -> HttpResponse:
    """What waits to be sent and why, the oldest first; or what was sent, the newest first. POST tries it all again."""
    check_is_administrator(request.user)
    if request.method == "POST":
        messages.success(request, f"Mails queued for retry: {len(outgoing.retry())}.")
        return redirect("review_desk:outbox")
    is_sent = request.GET.get("show") == "sent"
    if is_sent:
        page = _page(request, NEWEST_MAIL_FIRST, _messages().exclude(sent_at=None))
    else:
        page = _page(request, OLDEST_MAIL_FIRST, _messages().filter(sent_at=None))
    context = {"page": page, "is_sent": is_sent, "unsent_count": Message.objects.unsent().count()}
    context["failed_count"] = Message.objects.unsent().filter(attempts__gt=0).count()
    context["mails"] = page.rows if is_sent else outgoing.delivery_statuses_of(page.rows)
    return render(request, "review_desk/administrators/outbox.html", context)


@get_or_post
def mail(request: SignedInRequest, pk: int) -> HttpResponse:
    """One mail that was not sent: try it again now, or take it back."""
    check_is_administrator(request.user)
    message = get_object_or_404(_messages(), pk=pk)
    form = DiscardForm(request.POST if request.method == "POST" else None)
    context: dict[str, Any] = {"mail": message, "form": form}
    status = HTTPStatus.OK
    if form.is_bound and form.is_valid():
        try:
            if "discard" in request.POST:
                mail_actions.discard_mail(message, by=request.user, reason=form.cleaned_data["reason"])
                messages.success(request, f"Mail {pk} was discarded.")
            else:
                mail_actions.retry_mail(message, by=request.user)
                messages.success(request, f"Mail {pk} is queued for retry.")
        except NotPermitted:
            raise
        except RegistryError as refusal:
            context["refusal"], status = refusal, refusal.status
        else:
            return redirect("review_desk:outbox")
    elif form.is_bound:
        status = UNPROCESSABLE
    if message.sent_at is None:
        context["status"] = outgoing.delivery_statuses_of([message])[0]
    return render(request, "review_desk/administrators/mail.html", context, status=status)


# ---- Imports


@require_safe
def imports(request: SignedInRequest) -> HttpResponse:
    """The files of IANA's registry that changed something, the newest first."""
    check_is_administrator(request.user)
    page = _page(request, NEWEST_EVENT_FIRST, Event.objects.filter(verb="import_iana"))
    context = {"page": page, "has_removed": IanaRecord.objects.exclude(removed_on="").exists()}
    return render(request, "review_desk/administrators/imports.html", context)


@require_safe
def import_detail(request: SignedInRequest, number: int) -> HttpResponse:
    """What one file changed, entry by entry."""
    check_is_administrator(request.user)
    import_event = get_object_or_404(Event, number=number, verb="import_iana")
    earlier = Event.objects.filter(verb="import_iana", number__lt=number).order_by("-number")
    before = earlier.values_list("number", flat=True).first() or 0
    entries = Event.objects.filter(verb="import", number__gt=before, number__lt=number)
    entries = entries.filter(text_digest=import_event.text_digest)
    page = _page(request, OLDEST_EVENT_FIRST, entries)
    lines = [(event, event_label(event)) for event in page.rows]
    return render(
        request,
        "review_desk/administrators/import_detail.html",
        {"import_event": import_event, "page": page, "lines": lines},
    )


@require_safe
def removed_namespaces(request: SignedInRequest) -> HttpResponse:
    """The entries that IANA lists no more; they stay registered here."""
    check_is_administrator(request.user)
    records = IanaRecord.objects.exclude(removed_on="").select_related("namespace")
    page = _page(request, BY_NID, records)
    return render(request, "review_desk/administrators/removed_namespaces.html", {"page": page})


# ---- Corrections


@require_safe
def corrections(request: SignedInRequest) -> HttpResponse:
    """Whose history is to be corrected, and its entries; below, the corrections made so far."""
    check_is_administrator(request.user)
    form = HistorySearchForm(request.GET if "of" in request.GET else None)
    page = _page(request, NEWEST_EVENT_FIRST, _entries(form.cleaned_data["of"])) if form.is_valid() else None
    return render(request, "review_desk/administrators/corrections.html", {"form": form, "page": page})


def _entries(of: str) -> "QuerySet[Event]":
    """The public entries about a case or a namespace."""
    of = of.strip().lower()
    # A NID can be a number too: where a case has it, "urn:" tells which of the two is meant.
    case = Case.objects.public().filter(pk=number_of(of) or 0).first()
    nid = of.removeprefix("urn:").removesuffix(":")
    if case is not None:
        events = Event.objects.of_case(case.pk)
    elif is_well_formed(nid) and Namespace.objects.filter(nid=nid).exists():
        events = Event.objects.of_namespace(nid).filter(verb__in=NAMESPACE_EVENT_LABELS)
    else:
        events = Event.objects.none()
    return events.select_related("actor")


@get_or_post
def correct(request: SignedInRequest, number: int) -> HttpResponse:
    """Say what is wrong in one event of a public history, and what is right."""
    check_is_administrator(request.user)
    event = get_object_or_404(Event.objects.select_related("actor"), number=number)
    try:
        correcting.check_may_correct(event, by=request.user)
    except correcting.NotCorrectable as refusal:
        raise Http404(str(refusal)) from refusal
    form = CorrectForm(request.POST if request.method == "POST" else None)
    context = {"event": event, "form": form}
    status = HTTPStatus.OK if not form.is_bound else UNPROCESSABLE
    if form.is_bound and form.is_valid():
        try:
            form.make(event, by=request.user)
        except NotPermitted:
            raise
        except RegistryError as refusal:
            context["refusal"], status = refusal, refusal.status
        else:
            messages.success(request, "The correction is published. The people concerned were notified.")
            return redirect(_page_of(event))
    return render(request, "review_desk/administrators/correct.html", context, status=status)


def _page_of(event: Event) -> Case | Namespace:
    if event.case_number is not None:
        return Case.objects.get(pk=event.case_number)
    return Namespace.objects.get(nid=event.nid)
