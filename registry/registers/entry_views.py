"""Pages of entries: changes of them, recalls, offers to other holders, and opening a register below one."""

from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import User
from registry.actions.declarations import Person, by_name, events_in
from registry.actions.forms import ActionForm
from registry.actions.pages import action_page, decisions_page
from registry.audit_log.history import HistoryLine
from registry.audit_log.models import Event
from registry.namespaces.queries import get_namespace, redirect_to_lower_case
from registry.namespaces.views import find_for_action
from registry.registers.actions import entries as actions
from registry.registers.actions.changes import CHANGE_ENTRY
from registry.registers.actions.recalls import KEEP_ENTRY, RECALL_ENTRY
from registry.registers.changes import texts_of
from registry.registers.fields import shown_values
from registry.registers.forms import ChangeForm, values_for_form
from registry.registers.models import Entry, EntryOffer, EntryRequest
from registry.registers.permissions import changes_at_once, may_answer_offer
from registry.registers.places import place_below
from registry.registers.subjects import get_entry, get_entry_offer
from registry.registers.views import asks_before_retiring, show_policies

CHANGE_PAGE = "registers/change_entry.html"


@login_not_required
@require_safe
@redirect_to_lower_case
def entry(request: HttpRequest, nid: str, entry: int) -> HttpResponse:
    """Lead from the number of an entry to its page."""
    return redirect(get_entry(get_namespace(nid), entry))


def _find(user: Person, nid: str, entry: int, **_: Any) -> Entry:
    return get_entry(find_for_action(user, nid), entry)


def _find_offer(user: Person, nid: str, entry: int, pk: int) -> EntryOffer:
    return get_entry_offer(user, _find(user, nid, entry), pk)


def _show_place(request: SignedInRequest, form: ActionForm) -> dict[str, Any]:
    """The policies, and what the profile says of the names below the entry."""
    found: Entry = form.subject
    place = place_below(found.register.namespace, found.subnamespace)
    return {**show_policies(request, form), "place": place, "register": found.register}


def _show_register(request: SignedInRequest, form: ActionForm) -> dict[str, Any]:
    return {"register": form.subject.register}


def _show_change(request: SignedInRequest, form: ActionForm) -> dict[str, Any]:
    """What becomes of the change, and what the entry says now."""
    found: Entry = form.subject
    return {
        "register": found.register,
        "is_at_once": changes_at_once(request.user, found),
        "content": found.content,
        "values": shown_values(found.register.declared, dict(found.content.fields)),
    }


def _initial(entry: Entry) -> dict[str, Any]:
    texts = texts_of(entry)
    return texts | values_for_form(texts.pop("fields"))


def _after_change(request: EntryRequest) -> str:
    """The page of the request if it waits, or else that of the entry."""
    if request.entry is None or request.is_undecided:
        return request.get_absolute_url()
    return request.entry.get_absolute_url()


change = action_page(
    CHANGE_ENTRY,
    _find,
    template=CHANGE_PAGE,
    show=_show_change,
    initial=_initial,
    form_class=ChangeForm,
    instead=asks_before_retiring(CHANGE_ENTRY, CHANGE_PAGE, _show_change),
    to=_after_change,
)
recall = action_page(RECALL_ENTRY, _find, template="registers/on_entry.html", show=_show_register)
keep = action_page(KEEP_ENTRY, _find, template="registers/on_entry.html", show=_show_register)
offer = action_page(actions.OFFER_ENTRY, _find, template="registers/on_entry.html", show=_show_register)
open_page = action_page(actions.OPEN_BRANCH, _find, template="registers/open_branch.html", show=_show_place)


def _history_of(offer: EntryOffer) -> list[HistoryLine]:
    """The events of an offer, in order. But for its acceptance, they are not public."""
    types = by_name(events_in(actions))
    # By their verbs, because a namespace with a long register has an event for each entry.
    events = Event.objects.of_namespace(offer.entry.register.namespace.nid).filter(verb__in=types)
    found = events.filter(details__entry_offer=offer.pk).select_related("actor").order_by("number")
    return [HistoryLine(each, types[each.verb].line_of(each), ()) for each in found]


def _show_offer(request: SignedInRequest, offer: EntryOffer) -> dict[str, Any]:
    register = offer.entry.register
    return {
        "offer": offer,
        "entry": offer.entry,
        "register": register,
        "namespace": register.namespace,
        "is_recipient": may_answer_offer(request.user, offer),
        "history": _history_of(offer),
    }


def _after_answer(user: User, offer: EntryOffer) -> str:
    """The page of the offer, or that of the entry for those who may not see an offer that has ended."""
    may_see = EntryOffer.objects.visible_to(user).filter(pk=offer.pk).exists()
    return str((offer if may_see else offer.entry).get_absolute_url())


# An offer, for both sides: its terms, and the buttons that accept, decline or withdraw it.
entry_offer = decisions_page(
    actions.ANSWERS, _find_offer, "registers/entry_offer.html", show=_show_offer, to=_after_answer
)
