"""The administrators' pages below /desk/: assignments, claims, corrections, imports and the outbox."""

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import RoleName, User
from registry.accounts.roles import check_is_administrator
from registry.actions.pages import action_page, decisions_page
from registry.actions.parameters import IDENTIFIER
from registry.audit_log.models import Event
from registry.cases.corrections import CORRECT_EVENT
from registry.cases.models import Case
from registry.cases.permissions import is_administrator
from registry.cases.workflow.available import transitions_with
from registry.cases.workflow.declarations.transitions import ASSIGN
from registry.core.form_views import get_or_post, lead_to
from registry.core.pagination import Keyset, Page, Row, number_of
from registry.custody.queries import undecided_claims
from registry.mail import outbox as outgoing
from registry.mail.models import BouncedAddress, Message
from registry.namespaces.history import event_label, event_types
from registry.namespaces.models import Namespace
from registry.namespaces.queries import nid_in
from registry.publication.models import IanaRecord
from registry.review_desk.administrators import mail_actions
from registry.review_desk.administrators.assignments import pending_assignments
from registry.review_desk.decision_lists import DecisionList, decision_page
from urnsyntax.nid import is_well_formed

ASSIGNMENT_LIST = DecisionList(
    RoleName.ADMINISTRATOR,
    "review_desk:assignments",
    "review_desk/administrators/assignments.html",
    # The assignment has a page of its own, which says what will happen.
    tuple(each for each in transitions_with(is_administrator) if each is not ASSIGN),
    pending_assignments,
)


@require_safe
def assignments(request: SignedInRequest) -> HttpResponse:
    """The approved cases, longest waiting first."""
    return decision_page(request, ASSIGNMENT_LIST)


PAGE_SIZE = 50
CLAIMS = Keyset("pk")


@require_safe
def namespace_claims(request: SignedInRequest) -> HttpResponse:
    check_is_administrator(request.user)
    page = CLAIMS.page(undecided_claims(request.user), request.GET.get("after", ""), PAGE_SIZE)
    return render(request, "review_desk/administrators/claims.html", {"page": page})


EVENTS = Keyset("-number")


class HistorySearchForm(forms.Form):
    """The case or namespace whose history to show."""

    of = forms.CharField(
        label="Case number or namespace identifier",
        max_length=40,
        widget=forms.TextInput(IDENTIFIER),
    )


@require_safe
def corrections(request: SignedInRequest) -> HttpResponse:
    """A search for a case or a namespace, and the entries of its history."""
    check_is_administrator(request.user)
    form = HistorySearchForm(request.GET if "of" in request.GET else None)
    page = None
    if form.is_valid():
        events = _entries(form.cleaned_data["of"])
        page = EVENTS.page(events, request.GET.get("after", ""), PAGE_SIZE)
    context = {"form": form, "page": page}
    return render(request, "review_desk/administrators/corrections.html", context)


def _entries(of: str) -> "QuerySet[Event]":
    """The public entries about a case or a namespace."""
    # A NID can be a number. If there is a case with this number, "urn:" before it selects the namespace.
    case = Case.objects.public().filter(pk=number_of(of.strip()) or 0).first()
    nid = nid_in(of)
    if case is not None:
        events = Event.objects.of_case(case.pk)
    elif is_well_formed(nid) and Namespace.objects.filter(nid=nid).exists():
        events = Event.objects.of_namespace(nid).filter(verb__in=[*event_types()])
    else:
        events = Event.objects.none()
    return events.select_related("actor")


def _event_to_correct(user: User, number: int) -> Event:
    event = get_object_or_404(Event.objects.select_related("actor"), number=number)
    if not CORRECT_EVENT.is_open(event):
        raise Http404(f"Event {number} can't be corrected.")
    return event


# A form to correct one public event.
correct = action_page(
    CORRECT_EVENT,
    _event_to_correct,
    template="review_desk/administrators/correct.html",
)


IMPORTS, ENTRIES, BY_NID = Keyset("-number"), Keyset("number"), Keyset("nid")


@require_safe
def imports(request: SignedInRequest) -> HttpResponse:
    """The imports that changed something, newest first."""
    check_is_administrator(request.user)
    page = _page(request, IMPORTS, Event.objects.filter(verb="import_iana"))
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
    page = _page(request, ENTRIES, entries)
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


OLDEST_FIRST, NEWEST_FIRST = Keyset("pk"), Keyset("-pk")


def _messages() -> "QuerySet[Message]":
    return Message.objects.defer("body")


@get_or_post
def outbox(request: SignedInRequest) -> HttpResponse:
    """Unsent mail with its status, oldest first, or sent mail, newest first. POST retries all unsent mail."""
    check_is_administrator(request.user)
    if request.method == "POST":
        return lead_to(request, f"Mails queued for retry: {len(outgoing.retry())}.", "review_desk:outbox")
    is_sent, after = request.GET.get("show") == "sent", request.GET.get("after", "")
    if is_sent:
        page = NEWEST_FIRST.page(_messages().exclude(sent_at=None), after, PAGE_SIZE)
    else:
        page = OLDEST_FIRST.page(_messages().filter(sent_at=None), after, PAGE_SIZE)
    context = {"page": page, "is_sent": is_sent, "unsent_count": Message.objects.unsent().count()}
    context["bounced"] = BouncedAddress.objects.order_by("-bounced_at", "pk")[:PAGE_SIZE]
    context["failed_count"] = Message.objects.unsent().filter(attempts__gt=0).count()
    context["mails"] = page.rows if is_sent else outgoing.delivery_statuses_of(page.rows)
    return render(request, "review_desk/administrators/outbox.html", context)


def _find_mail(user: User, pk: int) -> Message:
    check_is_administrator(user)
    return get_object_or_404(_messages(), pk=pk)


def _show_mail(request: SignedInRequest, message: Message) -> dict[str, Any]:
    status = outgoing.delivery_statuses_of([message])[0] if message.sent_at is None else None
    return {"mail": message, "status": status}


# One mail. If it was not sent, it can be retried or discarded.
mail = decisions_page(
    mail_actions.DECISIONS,
    _find_mail,
    "review_desk/administrators/mail.html",
    show=_show_mail,
    to=lambda *_: reverse("review_desk:outbox"),
)
