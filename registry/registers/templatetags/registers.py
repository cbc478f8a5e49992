"""Template tags of registers: the section on the page of a namespace, the link from its list, and the tasks on “My page”."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django import template
from django.utils.text import get_text_list

from registry.accounts.models import User
from registry.namespaces.models import Namespace
from registry.namespaces.permissions import Person
from registry.registers.actions.registers import OPEN_REGISTER
from registry.registers.actions.requests import (
    ACCEPT_REQUEST,
    ASK_FOR_CHANGES,
    REFUSE_REQUEST,
    REVISE_REQUEST,
)
from registry.registers.fields import ShownValue, shown_values
from registry.registers.models import EntryRequest, Policy, Register, RequestState
from registry.registers.subjects import find_register

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
def register_below(namespace: Namespace) -> Register | None:
    """The register below a namespace; None if none was opened."""
    return find_register(namespace)


@register.simple_tag
def entry_values(namespace: Namespace, stored: Mapping[str, str]) -> list[ShownValue]:
    """The values of an entry, with the labels of the fields that the register below the namespace declares."""
    found = find_register(namespace)
    return shown_values(found.declared if found else (), stored)


@register.simple_tag
def entry_requests_of(person: User) -> dict[str, Any]:
    """The undecided requests for entries on which a person decides, and their own ones, oldest first, with what they can do."""
    undecided = (
        EntryRequest.objects.undecided().select_related("register__namespace__registrant").order_by("pk")
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
    if request.state == RequestState.CHANGES_REQUESTED and REVISE_REQUEST.is_open(request):
        return ""
    can = {"accept it": ACCEPT_REQUEST, "refuse it": REFUSE_REQUEST, "ask for changes": ASK_FOR_CHANGES}
    words = get_text_list([text for text, action in can.items() if action.is_open(request)], "or")
    return f"read the request, and {words}" if words else ""


def _turn_of_requester(request: EntryRequest) -> str:
    """What the requester has to do now, as the end of a sentence; "" if they wait for others."""
    if not REVISE_REQUEST.is_open(request):
        return ""
    if request.register.policy == Policy.FIRST_COME:
        return "send the request again, and it is registered at once"
    if request.lacks_specification:
        return "add a specification, which the policy needs"
    if request.fault_of_fields:
        return "change the request, which lacks what the register asks for now"
    return "change the request, or withdraw it" if request.state == RequestState.CHANGES_REQUESTED else ""
