"""Template tags of registers: the section on the page of a namespace, the link from its list, and the tasks on “My page”."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django import template
from django.urls import reverse
from django.utils.text import get_text_list

from registry.accounts.models import User
from registry.actions.declarations import Action, offered
from registry.audit_log.models import Event
from registry.namespaces.models import Namespace
from registry.namespaces.permissions import Person
from registry.registers.actions.changes import ACTIONS as CHANGE_ACTIONS
from registry.registers.actions.changes import REVISE_CHANGE
from registry.registers.actions.entries import ACTIONS as ENTRY_ACTIONS
from registry.registers.actions.recalls import ACTIONS as RECALL_ACTIONS
from registry.registers.actions.recalls import RECALL_ENTRY
from registry.registers.actions.registers import OPEN_REGISTER
from registry.registers.actions.requests import (
    ACCEPT_REQUEST,
    ASK_FOR_CHANGES,
    REFUSE_REQUEST,
    REVISE_REQUEST,
)
from registry.registers.differences import difference_of
from registry.registers.fields import ShownValue, shown_values
from registry.registers.models import Entry, EntryOffer, EntryRequest, Register, RequestState
from registry.registers.permissions import changes_at_once, may_answer_offer, reads_contact
from registry.registers.policies import Policy
from registry.registers.subjects import find_register
from registry.subnamespaces.models import SubNamespace

MAX_SHOWN = 50
register = template.Library()


@register.inclusion_tag("registers/_section.html")
def register_section(namespace: Namespace, person: Person) -> dict[str, Any]:
    """Render the policy of the register below a namespace, or for the registrant, the link that opens one."""
    found = find_register(namespace)
    # Its conditions read the database; most readers may not.
    is_registrant = found is None and OPEN_REGISTER.permission(person, namespace)
    may_open = is_registrant and OPEN_REGISTER.is_allowed_for(person, namespace)
    return {"namespace": namespace, "register": found, "may_open": may_open}


@register.simple_tag
def register_page(found: Register, name: str) -> str:
    """The address of a page of a register, by the name of its URL."""
    return reverse(f"registers:{name}", kwargs=found.address)


@register.simple_tag
def register_below(namespace: Namespace) -> Register | None:
    """The register below a namespace; None if none was opened."""
    return find_register(namespace)


@register.simple_tag
def entry_of(row: SubNamespace, person: Person) -> dict[str, Any]:
    """Who holds the entry of a sub-namespace, and what the person can do with it; nothing if it is in no register.

    Other people than the holders get no names of people.
    """
    entry = Entry.objects.with_places().filter(subnamespace=row).first()
    if entry is None:
        return {}
    entry.register.namespace = entry.subnamespace.namespace = row.namespace
    is_known = reads_contact(person, entry)
    offer = _offer_for(person, entry)
    return {
        "entry": entry,
        "register": entry.register,
        "below": find_register(row.namespace, entry.pk),
        "is_own": entry.person_id is not None and entry.person_id == person.pk,
        "person": entry.person if is_known else None,
        "contact": entry.contact if is_known else None,
        "recall": _recall_of(entry) if entry.recall_ends_at else None,
        "offer": offer,
        "is_recipient": offer is not None and may_answer_offer(person, offer),
        # Their conditions read the database; most readers may not.
        "actions": (
            offered({**CHANGE_ACTIONS, **ENTRY_ACTIONS, **RECALL_ACTIONS}, person, entry).values()
            if is_known
            else ()
        ),
        "is_at_once": is_known and changes_at_once(person, entry),
        "change": _change_for(person, entry) if is_known else None,
    }


def _recall_of(entry: Entry) -> Event | None:
    """The event of a recall, which has its reason."""
    events = Event.objects.of_namespace(entry.register.namespace.nid).filter(verb=RECALL_ENTRY.name)
    return events.filter(details__entry=entry.subnamespace.prefix).order_by("number").last()


@register.simple_tag
def with_holders(rows: Sequence[SubNamespace]) -> list[tuple[SubNamespace, str]]:
    """Sub-namespaces, each with who holds it, as its list says, or else the register that it is in; "" if neither does."""
    unstated = [each.pk for each in rows if not each.holder]
    entries = Entry.objects.filter(subnamespace__in=unstated).select_related("organisation")
    held_by = {each.subnamespace_id: each.held_by for each in entries}
    return [(each, each.holder or held_by.get(each.pk, "")) for each in rows]


def _change_for(person: Person, entry: Entry) -> EntryRequest | None:
    """The undecided change of an entry, if the person may see it."""
    change = EntryRequest.objects.visible_to(person).undecided().filter(entry=entry).first()
    if change is not None:
        change.register = entry.register
    return change


@register.simple_tag
def change_of(request: EntryRequest, person: Person) -> list[tuple[str, str, str]]:
    """What a request for a change changes; see `difference_of`. Who reads the contact of the entry sees another one, too, while the
    request waits: the former contact is not kept.
    """
    found, entry = difference_of(request), request.entry
    if entry is None or not request.is_undecided or request.contact == entry.contact:
        return found
    contact = ("contact", entry.contact, request.contact)
    return [*found, contact] if reads_contact(person, entry) else found


def _offer_for(person: Person, entry: Entry) -> EntryOffer | None:
    """The open offer of an entry, if the person is a party to it."""
    if not isinstance(person, User):
        return None
    offer = EntryOffer.objects.waiting().visible_to(person).filter(entry=entry).first()
    if offer is not None:
        offer.entry = entry
    return offer


@register.simple_tag
def entries_held_by(person: User) -> dict[str, Any]:
    """The entries that a person holds beside registers, alone or as a representative, the newest first, with what is below them."""
    held = Entry.objects.held_by(person).with_places().select_related("below").order_by("-pk")
    found = list(held[: MAX_SHOWN + 1])
    return {"rows": found[:MAX_SHOWN], "has_more": len(found) > MAX_SHOWN}


@register.simple_tag
def entry_offers_of(person: User) -> list[tuple[EntryOffer, bool]]:
    """The open offers of entries to or by a person, or of entries that they hold, with whether they are to the person."""
    offers = EntryOffer.objects.waiting().visible_to(person)
    received = set(offers.to(person).values_list("pk", flat=True))
    return [(each, each.pk in received) for each in offers.with_places().order_by("pk")[:MAX_SHOWN]]


@register.simple_tag
def entry_values(below: Register | str, stored: Mapping[str, str]) -> list[ShownValue]:
    """The values of an entry, with the labels of the fields that its register declares; "" if it is in none."""
    return shown_values(below.declared if isinstance(below, Register) else (), stored)


@register.simple_tag
def entry_requests_of(person: User) -> dict[str, Any]:
    """The undecided requests for entries on which a person decides, and their own ones, oldest first, with what they can do."""
    undecided = EntryRequest.objects.undecided().order_by("pk")
    undecided = undecided.select_related(
        "register__namespace__registrant",
        "register__entry__subnamespace",
        "register__branch",
        "entry__subnamespace",
    )
    to_decide, own = undecided.reviewed_by(person), undecided.filter(requested_by=person)
    return {
        "to_decide": [
            (each, _turn_of_reviewer(each)) for each in _with_shared_registers(to_decide[:MAX_SHOWN])
        ],
        "own": [(each, _turn_of_requester(each)) for each in _with_shared_registers(own[:MAX_SHOWN])],
    }


def _with_shared_registers(requests: Iterable[EntryRequest]) -> Iterator[EntryRequest]:
    """The requests, those of one register with one object of it, which reads its holders once."""
    registers = dict[int, Register]()
    for each in requests:
        each.register = registers.setdefault(each.register_id, each.register)
        yield each


def _turn_of_reviewer(request: EntryRequest) -> str:
    """What a reviewer can do now, as the end of a sentence; "" if they wait for others."""
    if request.state == RequestState.CHANGES_REQUESTED and _revision_of(request).is_open(request):
        return ""
    can = {"accept it": ACCEPT_REQUEST, "refuse it": REFUSE_REQUEST, "ask for changes": ASK_FOR_CHANGES}
    words = get_text_list([text for text, action in can.items() if action.is_open(request)], "or")
    return f"read the request, and {words}" if words else ""


def _revision_of(request: EntryRequest) -> Action[EntryRequest]:
    """How its author changes a request."""
    return REVISE_CHANGE if request.is_change else REVISE_REQUEST


def _turn_of_requester(request: EntryRequest) -> str:
    """What the requester has to do now, as the end of a sentence; "" if they wait for others."""
    if not _revision_of(request).is_open(request):
        return ""
    if request.register.policy == Policy.FIRST_COME:
        return "send the request again, and it is registered at once"
    if request.lacks_specification:
        return "add a specification, which the policy needs"
    if request.fault_of_fields:
        return "change the request, which lacks what the register asks for now"
    return "change the request, or withdraw it" if request.state == RequestState.CHANGES_REQUESTED else ""
