"""What administrators answer for besides cases: the outbox, imports, corrections of the record."""

from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from registry.accounts.actions import check_administers
from registry.accounts.middleware import SignedInRequest
from registry.desk import mailroom
from registry.desk.forms_office import CorrectForm, DiscardForm, RecordForm
from registry.errors import NotForYou, RegistryError
from registry.mail import outbox as outgoing
from registry.mail.models import Message
from registry.namespaces.history import WORDS as WORDS_OF_NAMESPACES
from registry.namespaces.history import words_of
from registry.namespaces.models import Namespace
from registry.paging import Page, cut, number_of
from registry.publication.models import IanaRecord
from registry.record.models import Event
from registry.registrations import corrections as correcting
from registry.registrations.models import Registration
from urnsyntax.nid import is_well_formed

PAGE_SIZE = 50
UNPROCESSABLE = HTTPStatus.UNPROCESSABLE_ENTITY
get_or_post = require_http_methods(["GET", "HEAD", "POST"])


def _key(request: SignedInRequest) -> int | None:
    return number_of(request.GET.get("after", ""))


# ---- The outbox: never a body, for some of them let whoever reads it into an account


def _mails() -> "QuerySet[Message]":
    return Message.objects.defer("body")


@get_or_post
def outbox(request: SignedInRequest) -> HttpResponse:
    """What waits to be sent and why, the oldest first; or what was sent, the newest first. POST tries it all again."""
    check_administers(request.user)
    if request.method == "POST":
        messages.success(request, f"Mails that will be tried again now: {len(outgoing.retry())}.")
        return redirect("desk:outbox")
    is_sent, key = request.GET.get("show") == "sent", _key(request)
    if is_sent:
        mails = _mails().exclude(sent_at=None).order_by("-pk")
        mails = mails.filter(pk__lt=key) if key else mails
    else:
        mails = _mails().filter(sent_at=None).order_by("pk")
        mails = mails.filter(pk__gt=key) if key else mails
    page = cut(mails, PAGE_SIZE, key=lambda mail: str(mail.pk), is_later=key is not None)
    context = {"page": page, "is_sent": is_sent, "unsent": Message.objects.unsent().count()}
    context["failing"] = Message.objects.unsent().filter(attempts__gt=0).count()
    context["mails"] = page.rows if is_sent else outgoing.standings_of(page.rows)
    return render(request, "desk/outbox.html", context)


@get_or_post
def mail(request: SignedInRequest, pk: int) -> HttpResponse:
    """One mail that was not sent: try it again now, or take it back."""
    check_administers(request.user)
    message = get_object_or_404(_mails(), pk=pk)
    form = DiscardForm(request.POST if request.method == "POST" else None)
    context: dict[str, Any] = {"mail": message, "form": form}
    status = HTTPStatus.OK
    if form.is_bound and form.is_valid():
        try:
            if "discard" in request.POST:
                mailroom.discard_mail(message, by=request.user, reason=form.cleaned_data["reason"])
                messages.success(request, f"Mail {pk} is discarded.")
            else:
                mailroom.try_again(message, by=request.user)
                messages.success(request, f"Mail {pk} will be tried again now.")
        except NotForYou:
            raise
        except RegistryError as refusal:
            context["refusal"], status = refusal, refusal.status
        else:
            return redirect("desk:outbox")
    elif form.is_bound:
        status = UNPROCESSABLE
    if message.sent_at is None:
        context["standing"] = outgoing.standings_of([message])[0]
    return render(request, "desk/mail.html", context, status=status)


# ---- Imports


@require_safe
def imports(request: SignedInRequest) -> HttpResponse:
    """The files of IANA's registry that brought something, the newest first."""
    check_administers(request.user)
    key, brought = _key(request), Event.objects.filter(verb="import_iana").order_by("-number")
    brought = brought.filter(number__lt=key) if key else brought
    page = cut(brought, PAGE_SIZE, key=lambda event: str(event.number), is_later=key is not None)
    context = {"page": page, "vanished": IanaRecord.objects.exclude(vanished_on="").exists()}
    return render(request, "desk/imports.html", context)


@require_safe
def one_import(request: SignedInRequest, number: int) -> HttpResponse:
    """What one file brought, entry by entry."""
    check_administers(request.user)
    brought = get_object_or_404(Event, number=number, verb="import_iana")
    earlier = Event.objects.filter(verb="import_iana", number__lt=number).order_by("-number")
    before = earlier.values_list("number", flat=True).first() or 0
    key = _key(request)
    entries = Event.objects.filter(verb="import", number__gt=max(before, key or 0), number__lt=number)
    entries = entries.filter(text_digest=brought.text_digest).order_by("number")
    page = cut(entries, PAGE_SIZE, key=lambda event: str(event.number), is_later=key is not None)
    lines = [(event, words_of(event)) for event in page.rows]
    return render(request, "desk/import.html", {"brought": brought, "page": page, "lines": lines})


@require_safe
def vanished(request: SignedInRequest) -> HttpResponse:
    """The entries that IANA lists no more; they stay registered here."""
    check_administers(request.user)
    records = IanaRecord.objects.exclude(vanished_on="").select_related("namespace").order_by("nid")
    last = request.GET.get("after", "")
    records = records.filter(nid__gt=last) if last.isascii() and last.isprintable() else records
    page = cut(records, PAGE_SIZE, key=lambda record: record.nid, is_later=bool(last))
    return render(request, "desk/vanished.html", {"page": page})


# ---- Corrections


@require_safe
def corrections(request: SignedInRequest) -> HttpResponse:
    """Whose history is to be corrected, and its entries; below, the corrections made so far."""
    check_administers(request.user)
    form = RecordForm(request.GET if "of" in request.GET else None)
    context = {
        "form": form,
        "page": _entries(form.cleaned_data["of"], _key(request)) if form.is_valid() else None,
    }
    return render(request, "desk/corrections.html", context)


def _entries(of: str, key: int | None) -> "Page[Event]":
    """The public entries about a case or a namespace, the newest first."""
    of = of.strip().lower()
    # A NID can be a number too: where a case has it, "urn:" tells which of the two is meant.
    case = Registration.objects.public().filter(pk=number_of(of) or 0).first()
    nid = of.removeprefix("urn:").removesuffix(":")
    if case is not None:
        events = Event.objects.of_registration(case.pk)
    elif is_well_formed(nid) and Namespace.objects.filter(nid=nid).exists():
        events = Event.objects.of_namespace(nid).filter(verb__in=WORDS_OF_NAMESPACES)
    else:
        events = Event.objects.none()
    events = events.select_related("actor").order_by("-number")
    events = events.filter(number__lt=key) if key else events
    return cut(events, PAGE_SIZE, key=lambda event: str(event.number), is_later=key is not None)


@get_or_post
def correct(request: SignedInRequest, number: int) -> HttpResponse:
    """Say what is wrong in one event of a public history, and what is right."""
    check_administers(request.user)
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
        except NotForYou:
            raise
        except RegistryError as refusal:
            context["refusal"], status = refusal, refusal.status
        else:
            messages.success(
                request, "The correction stands beside the entry. Those whom it concerns were told."
            )
            return redirect(_page_of(event))
    return render(request, "desk/correct.html", context, status=status)


def _page_of(event: Event) -> Registration | Namespace:
    if event.registration_number is not None:
        return Registration.objects.get(pk=event.registration_number)
    return Namespace.objects.get(nid=event.nid)
