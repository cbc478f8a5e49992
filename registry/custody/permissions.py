"""Permission predicates for claims and contacts of namespaces.

An administrator decides neither on a claim of their own, nor on one of a namespace in which they have an interest.
"""

from registry.accounts.models import RoleName, User
from registry.custody.models import ClaimStatus, NamespaceClaim, is_in_conflict_with
from registry.namespaces.models import Namespace
from registry.namespaces.permissions import Person, is_administrator, is_held_up_by_offer, is_registrant
from registry.organisations.permissions import is_held_up_by_invitation, is_member


def may_claim(user: Person, namespace: Namespace) -> bool:
    return isinstance(user, User) and not is_registrant(user, namespace)


def may_recover(user: Person, namespace: Namespace) -> bool:
    """Whether `user` can ask to represent the organisation of the namespace."""
    return namespace.organisation_id is not None and may_claim(user, namespace)


def has_conflict(user: User, claim: NamespaceClaim) -> bool:
    return NamespaceClaim.objects.filter(is_in_conflict_with(user), pk=claim.pk).exists()


def may_decide_on_claim(user: Person, claim: NamespaceClaim) -> bool:
    """Whether `user` is an administrator without a conflict of interest."""
    return isinstance(user, User) and RoleName.ADMINISTRATOR in user.roles and not has_conflict(user, claim)


def obstacle_of_invitation(user: Person, claim: NamespaceClaim) -> str:
    """What an administrator must decline before they decide on the claim, as a sentence; "" if nothing.

    An invitation takes no permission away: it would keep administrators from a claim that they are invited to.
    """
    concerned = {claim.organisation_id, claim.former_organisation_id, claim.namespace.organisation_id}
    what = ""
    if any(is_held_up_by_invitation(user, each) for each in concerned):
        what = "You are invited to an organisation that it concerns"
    elif is_held_up_by_offer(user, claim.namespace):
        what = "The namespace is offered to you"
    return what and f"You can't decide on this claim of “{claim.namespace.nid}” yet. {what}: decline first."


def _concerns(user: User, claim: NamespaceClaim) -> bool:
    """Whether `user` made the claim, or is a member of the organisation for which it was made."""
    return claim.is_by(user) or (not claim.is_recovery and is_member(user, claim.organisation_id))


def may_change_contact(user: Person, namespace: Namespace) -> bool:
    return is_registrant(user, namespace) or is_administrator(user, namespace)


def can_announce(user: Person, claim: NamespaceClaim) -> bool:
    """Whether `user`, who may decide on the claim, can announce it now."""
    return claim.status == ClaimStatus.OPEN and claim.namespace.controller.is_known


def can_approve(user: Person, claim: NamespaceClaim) -> bool:
    """Whether `user`, who may decide on the claim, can approve it now: if it was announced, when it is due, and if another
    announced it.
    """
    if claim.status == ClaimStatus.OPEN:
        return not claim.is_recovery and not claim.namespace.controller.is_known
    return claim.is_due and claim.announced_by_id != user.pk and stands_announced(claim)


def stands_announced(claim: NamespaceClaim) -> bool:
    """Whether the person who announced the claim could decide on it now."""
    return claim.announced_by is not None and may_decide_on_claim(claim.announced_by, claim)


def is_claimant(user: Person, claim: NamespaceClaim) -> bool:
    return isinstance(user, User) and claim.is_by(user)


def can_object(user: Person, claim: NamespaceClaim) -> bool:
    """Whether `user` can object if the claim is announced."""
    is_other = isinstance(user, User) and not _concerns(user, claim)
    return is_other and is_registrant(user, claim.namespace)


def may_object(user: Person, claim: NamespaceClaim) -> bool:
    return claim.is_announced and can_object(user, claim)


def may_see_evidence(user: Person, claim: NamespaceClaim) -> bool:
    return is_claimant(user, claim) or may_decide_on_claim(user, claim)
