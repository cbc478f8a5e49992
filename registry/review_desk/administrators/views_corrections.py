"""/desk/corrections/: corrections of public events."""

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import User
from registry.accounts.recent_sign_in import recent_sign_in_for
from registry.accounts.roles import check_is_administrator
from registry.actions.parameters import Text
from registry.audit_log.models import Event
from registry.cases import corrections as correcting
from registry.cases.models import Case
from registry.core.form_views import form_page, get_or_post, posted, process_form
from registry.core.pagination import Keyset, number_of
from registry.core.validators import MAX_REFERENCE_LENGTH
from registry.namespaces.history import event_types
from registry.namespaces.models import Namespace
from registry.namespaces.queries import nid_in
from urnsyntax.nid import is_well_formed

PAGE_SIZE = 50
NEWEST_FIRST = Keyset("-number")


class CorrectForm(forms.Form):
    wrong = Text("wrong", "Error", "The error in the entry. This is public.", lines=4).form_field()
    right = Text("right", "Correction", "The correct information. This is public.", lines=4).form_field()
    reference = forms.CharField(
        label="Reference",
        help_text="A public source for the correction.",
        max_length=MAX_REFERENCE_LENGTH,
        required=False,
    )

    def perform(self, event: Event, *, by: User) -> Event:
        return correcting.correct(event, by=by, **self.cleaned_data)


class HistorySearchForm(forms.Form):
    """The case or namespace whose history to show."""

    of = forms.CharField(
        label="Case number or namespace identifier",
        max_length=40,
        widget=forms.TextInput({"autocapitalize": "none", "spellcheck": "false"}),
    )


@require_safe
def corrections(request: SignedInRequest) -> HttpResponse:
    """A search for a case or a namespace, and the entries of its history."""
    check_is_administrator(request.user)
    form = HistorySearchForm(request.GET if "of" in request.GET else None)
    page = None
    if form.is_valid():
        events = _entries(form.cleaned_data["of"])
        page = NEWEST_FIRST.page(events, request.GET.get("after", ""), PAGE_SIZE)
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


@get_or_post
@recent_sign_in_for(correcting.correct)
def correct(request: SignedInRequest, number: int) -> HttpResponse:
    """A form to correct one public event."""
    check_is_administrator(request.user)
    event = get_object_or_404(Event.objects.select_related("actor"), number=number)
    try:
        correcting.check_may_correct(event, by=request.user)
    except correcting.NotCorrectable as refusal:
        raise Http404(str(refusal)) from refusal
    form = CorrectForm(posted(request))

    def perform() -> HttpResponse:
        form.perform(event, by=request.user)
        messages.success(request, "The correction is published. The people concerned were notified.")
        return redirect(_page_of(event))

    page = form_page(request, "review_desk/administrators/correct.html", {"event": event, "form": form})
    return process_form(form, perform, page)


def _page_of(event: Event) -> Case | Namespace:
    if event.case_number is not None:
        return Case.objects.get(pk=event.case_number)
    return Namespace.objects.get(nid=event.nid)
