"""Permission predicates for registers and requests for entries.

The holder of a register is who controls the namespace now: the registrant, or the representatives of its organisation.
"""

from registry.accounts.models import User
from registry.actions.declarations import Person
from registry.namespaces import permissions
from registry.registers.models import TAKE_ENTRIES, EntryRequest, Register
from registry.registers.subjects import reviewers_of

REVIEWERS_ONLY = "Only the holder and the reviewers of the register can do this."


def holds(user: Person, register: Register) -> bool:
    return register.is_held_by(user)


def administers(user: Person, register: Register) -> bool:
    return permissions.is_administrator(user, register.namespace)


def may_request(user: Person, register: Register) -> bool:
    return isinstance(user, User) and user.is_active


def may_review(user: Person, register: Register) -> bool:
    """Whether `user` holds the register, or is one of its reviewers."""
    return isinstance(user, User) and user.is_active and register.is_reviewed_by(user)


def is_requester(user: Person, request: EntryRequest) -> bool:
    return user.pk is not None and user.pk == request.requested_by_id


def reviews(user: Person, request: EntryRequest) -> bool:
    return may_review(user, request.register)


def may_comment(user: Person, request: EntryRequest) -> bool:
    return is_requester(user, request) or reviews(user, request)


def own_request(user: Person, request: EntryRequest) -> str:
    """Why a reviewer can't decide; "" if they can."""
    if not is_requester(user, request):
        return ""
    register = request.register
    who = (
        "Another reviewer of the register decides on it."
        if reviewers_of(request)
        else "No one else decides on it."
    )
    can_register = holds(user, register) and register.policy in TAKE_ENTRIES
    instead = " You can withdraw it, and register the entry yourself." if can_register else ""
    return f"This is your own request. {who}{instead}"
