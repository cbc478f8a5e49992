"""Template tags of registers: the section on the page of a namespace, and the tasks on “My page”."""

from typing import Any

from django import template

from registry.accounts.models import User
from registry.namespaces.models import Namespace
from registry.namespaces.permissions import Person
from registry.registers.actions.registers import OPEN_REGISTER
from registry.registers.models import EntryRequest
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
def entry_requests_of(person: User) -> dict[str, Any]:
    """The undecided requests for entries on which a person decides, and their own ones, oldest first."""
    undecided = EntryRequest.objects.undecided().select_related("register__namespace").order_by("pk")
    return {
        "to_decide": list(undecided.reviewed_by(person)[:MAX_SHOWN]),
        "own": list(undecided.filter(requested_by=person)[:MAX_SHOWN]),
    }
