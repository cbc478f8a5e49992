"""Permission predicates for claims and contacts of namespaces.

An administrator decides neither on a claim of their own, nor on one of a namespace of which they are the registrant.
"""

from registry.accounts.models import User
from registry.custody.models import ClaimStatus, NamespaceClaim
from registry.namespaces.models import Namespace
from registry.namespaces.permissions import Person, is_administrator, is_registrant
from registry.organisations.permissions import is_member, was_member_since


def may_claim(user: Person, namespace: Namespace) -> bool:
    return isinstance(user, User) and not is_registrant(user, namespace)


def may_decide_on_claim(user: Person, claim: NamespaceClaim) -> bool:
    """Whether `user` is an administrator who did not make the claim, and was no member of its organisation since."""
    if not isinstance(user, User) or not is_administrator(user, claim.namespace) or claim.is_by(user):
        return False
    return not was_member_since(user, claim.organisation_id, claim.claimed_at)


def _concerns(user: User, claim: NamespaceClaim) -> bool:
    """Whether `user` made the claim, or is a member of the organisation for which it was made."""
    return claim.is_by(user) or is_member(user, claim.organisation_id)


def may_change_contact(user: Person, namespace: Namespace) -> bool:
    return is_registrant(user, namespace) or is_administrator(user, namespace)


def may_announce(user: Person, claim: NamespaceClaim) -> bool:
    has_registrant = claim.namespace.controller.is_known
    return claim.status == ClaimStatus.OPEN and has_registrant and may_decide_on_claim(user, claim)


def may_approve(user: Person, claim: NamespaceClaim) -> bool:
    """Whether `user` can approve the claim now: if it was announced, when it is due, and if another announced it."""
    if not may_decide_on_claim(user, claim):
        return False
    if claim.status == ClaimStatus.OPEN:
        return not claim.namespace.controller.is_known
    return claim.is_due and claim.announced_by_id != user.pk


def may_decline(user: Person, claim: NamespaceClaim) -> bool:
    return claim.is_undecided and may_decide_on_claim(user, claim)


def may_withdraw_claim(user: Person, claim: NamespaceClaim) -> bool:
    return isinstance(user, User) and claim.is_undecided and claim.is_by(user)


def may_object(user: Person, claim: NamespaceClaim) -> bool:
    is_other = isinstance(user, User) and not _concerns(user, claim)
    return claim.is_announced and is_other and is_registrant(user, claim.namespace)


def may_see_evidence(user: Person, claim: NamespaceClaim) -> bool:
    is_claimant = isinstance(user, User) and claim.is_by(user)
    return is_claimant or may_decide_on_claim(user, claim)


def may_see_claim(user: Person, claim: NamespaceClaim) -> bool:
    """Whether `user` is the claimant, could decide, or can object."""
    return may_see_evidence(user, claim) or may_object(user, claim)
