"""Template tags of registers: the section on the page of a namespace, the link from its list, and the tasks on “My page”."""

from typing import Any

from django import template

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
from registry.registers.models import EntryRequest, Policy, Register, RequestState
from registry.registers.subjects import find_register

MAX_SHOWN = 50
register = template.Library()


@register.inclusion_tag("registers/_section.html")
def register_section(namespace: Namespace, person: Person) -> dict[str, Any]:
    """Render the policy of the register below a namespace, or for the registrant, the link that opens one."""
    found = find_register(namespace)
    may_open = found is None and OPEN_REGISTER.is_allowed_for(person, namespace)
    return {"namespace": namespace, "register": found, "may_open": may_open}


@register.simple_tag
def register_below(namespace: Namespace) -> Register | None:
    """The register below a namespace; None if none was opened."""
    return find_register(namespace)


@register.simple_tag
def entry_requests_of(person: User) -> dict[str, Any]:
    """The undecided requests for entries on which a person decides, and their own ones, oldest first, with what they can do."""
    undecided = (
        EntryRequest.objects.undecided().select_related("register__namespace__registrant").order_by("pk")
    )
    to_decide, own = undecided.reviewed_by(person), undecided.filter(requested_by=person)
    return {
        "to_decide": [(each, _turn_of_reviewer(each)) for each in to_decide[:MAX_SHOWN]],
        "own": [(each, _turn_of_requester(each)) for each in own[:MAX_SHOWN]],
    }


def _turn_of_reviewer(request: EntryRequest) -> str:
    """What a reviewer can do now, as the end of a sentence; "" if they wait for others."""
    if request.state == RequestState.CHANGES_REQUESTED or not REFUSE_REQUEST.is_open(request):
        return ""
    if not ACCEPT_REQUEST.is_open(request):
        return "refuse the request"
    return (
        "accept the request, refuse it, or ask for changes"
        if ASK_FOR_CHANGES.is_open(request)
        else "accept the request, or refuse it"
    )


def _turn_of_requester(request: EntryRequest) -> str:
    """What the requester has to do now, as the end of a sentence; "" if they wait for others."""
    if not REVISE_REQUEST.is_open(request):
        return ""
    if request.register.policy == Policy.FIRST_COME:
        return "send the request again, and it is registered at once"
    return "change the request, or withdraw it" if request.state == RequestState.CHANGES_REQUESTED else ""
