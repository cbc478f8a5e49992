"""/desk/corrections/: corrections of public events."""

from django import forms
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.recent_sign_in import recent_sign_in_for
from registry.accounts.roles import check_is_administrator
from registry.actions.forms import ActionForm
from registry.actions.pages import process
from registry.audit_log.models import Event
from registry.cases.corrections import CORRECT
from registry.cases.models import Case
from registry.core.form_views import form_page, get_or_post, posted
from registry.core.pagination import Keyset, number_of
from registry.namespaces.history import event_types
from registry.namespaces.models import Namespace
from registry.namespaces.queries import nid_in
from urnsyntax.nid import is_well_formed

PAGE_SIZE = 50
NEWEST_FIRST = Keyset("-number")


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
@recent_sign_in_for(CORRECT)
def correct(request: SignedInRequest, number: int) -> HttpResponse:
    """A form to correct one public event."""
    event = get_object_or_404(Event.objects.select_related("actor"), number=number)
    CORRECT.check_permission(request.user, event)
    if not CORRECT.is_open(event):
        raise Http404(f"Event {number} can't be corrected.")
    form = ActionForm(posted(request), action=CORRECT, subject=event, by=request.user)
    page = form_page(request, "review_desk/administrators/correct.html", {"event": event, "form": form})
    return process(request, form, page, to=lambda _: _page_of(event).get_absolute_url())


def _page_of(event: Event) -> Case | Namespace:
    if event.case_number is not None:
        return Case.objects.get(pk=event.case_number)
    return Namespace.objects.get(nid=event.nid)
