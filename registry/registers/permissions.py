"""Permission predicates for registers, entries, and requests for and offers of them.

The holder of a register is who controls the namespace now, or who holds the innermost entry around it that has a holder of its own:
a person, or the representatives of an organisation.
"""

from registry.accounts.models import User
from registry.actions.declarations import Person
from registry.namespaces import permissions
from registry.organisations.permissions import is_member
from registry.registers.models import Entry, EntryOffer, EntryRequest, Register
from registry.registers.policies import TAKE_CHANGES, TAKE_ENTRIES, Policy
from registry.registers.subjects import reviewers_of

REVIEWERS_ONLY = "Only the holder and the reviewers of the register can do this."


def holds(user: Person, register: Register) -> bool:
    return register.is_held_by(user)


def administers(user: Person, register: Register) -> bool:
    """Whether `user` is an administrator without an interest in the namespace or in the register."""
    branch = register.branch
    has_interest = branch is not None and (
        register.is_held_by(user) or is_member(user, branch.organisation_id)
    )
    return permissions.is_administrator(user, register.namespace) and not has_interest


def holds_entry(user: Person, entry: Entry) -> bool:
    """Whether `user` holds the entry: its holder, or if it has none, the holder of the register."""
    return entry.is_held_by(user)


def holds_register_of(user: Person, entry: Entry) -> bool:
    return holds(user, entry.register)


def has_entry(user: Person, entry: Entry) -> bool:
    """Whether `user` holds the entry beside the register, also if they did not answer a recall."""
    return entry.is_with(user)


def reads_contact(user: Person, entry: Entry) -> bool:
    """Whether `user` holds the entry or its register."""
    return has_entry(user, entry) or holds_register_of(user, entry)


def may_offer(user: Person, entry: Entry) -> bool:
    """Whether `user` holds the entry, or holds the register, and the holder of the entry can no longer act."""
    return holds_entry(user, entry) or (holds_register_of(user, entry) and not entry.is_assigned)


def changes_at_once(user: Person, entry: Entry) -> bool:
    """Whether a change by `user`, who holds the entry, needs no review: by the policy, or because they hold the register, too."""
    return entry.register.policy == Policy.FIRST_COME or holds(user, entry.register)


def may_answer_offer(user: Person, offer: EntryOffer) -> bool:
    """Whether the entry is offered to the address of `user`, who confirmed it."""
    return offer.is_to(user)


def may_withdraw_offer(user: Person, offer: EntryOffer) -> bool:
    """Whether `user` made the offer, or could make one now."""
    if not user.is_authenticated or may_answer_offer(user, offer):
        return False
    return offer.offered_by_id == user.pk or may_offer(user, offer.entry)


def may_request(user: Person, register: Register) -> bool:
    return isinstance(user, User) and user.is_active


def may_review(user: Person, register: Register) -> bool:
    """Whether `user` holds the register, or is one of its reviewers."""
    return isinstance(user, User) and user.is_active and register.is_reviewed_by(user)


def is_requester(user: Person, request: EntryRequest) -> bool:
    return user.pk is not None and user.pk == request.requested_by_id


def requested_entry(user: Person, request: EntryRequest) -> bool:
    """Whether `user` made the request, for a new entry."""
    return is_requester(user, request) and not request.is_change


def requested_change(user: Person, request: EntryRequest) -> bool:
    """Whether `user` made the request, for a change of an entry."""
    return is_requester(user, request) and request.is_change


def may_withdraw(user: Person, request: EntryRequest) -> bool:
    """Whether `user` made the request, or holds the entry that it would change beside the register."""
    if is_requester(user, request):
        return True
    entry = request.entry
    if entry is None or not isinstance(user, User):
        return False
    # Read once for a page of requests.
    return entry.person_id == user.pk or entry.organisation_id in request.register.represented_by(user)


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
    if request.is_change:
        is_taken, act = register.policy in TAKE_CHANGES, "change the entry at once"
    else:
        is_taken, act = register.policy in TAKE_ENTRIES, "register the entry yourself"
    instead = f" You can withdraw it, and {act}." if is_taken and holds(user, register) else ""
    return f"This is your own request. {who}{instead}"
