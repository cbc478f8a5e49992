"""Permission predicates for namespaces.

For a namespace of an organisation, its representatives are the registrant. An administrator cannot administer a
namespace of which they are the registrant, or which belongs to an organisation of which they are a member.
"""

from django.contrib.auth.models import AnonymousUser

from registry.accounts.models import RoleName, User
from registry.namespaces.models import Namespace, Transfer
from registry.organisations.permissions import has_declined, is_controller, is_member, may_edit_for

Person = User | AnonymousUser


def is_registrant(user: Person, namespace: Namespace) -> bool:
    """Whether `user` is the registrant, or represents the organisation to which the namespace belongs."""
    return is_controller(user, namespace.controller)


def has_interest(user: Person, namespace: Namespace) -> bool:
    """Whether `user` is the registrant, or a member of the organisation, with any part."""
    return is_registrant(user, namespace) or is_member(user, namespace.organisation_id)


def may_revise(user: Person, namespace: Namespace) -> bool:
    """Whether `user` may begin a revision: the registrant, or an editor of the organisation."""
    return is_registrant(user, namespace) or may_edit_for(user, namespace.organisation_id)


def is_administrator(user: Person, namespace: Namespace) -> bool:
    has_role = isinstance(user, User) and RoleName.ADMINISTRATOR in user.roles
    return has_role and not has_interest(user, namespace)


def may_offer_transfer(user: Person, namespace: Namespace) -> bool:
    """Whether `user` is the registrant, or an administrator if the namespace has no registrant (as after an import)."""
    if not namespace.controller.is_known:
        return is_administrator(user, namespace)
    return is_registrant(user, namespace)


def may_answer_transfer(user: Person, transfer: Transfer) -> bool:
    """Whether the namespace is offered to the address of `user`, who confirmed it."""
    return transfer.is_to(user)


def is_held_up_by_offer(user: Person, namespace: Namespace) -> bool:
    """Whether `user` must decline an offer of the namespace before they decide on it; after they declined one, others do not
    count.
    """
    offers = (each for each in namespace.transfers.waiting() if may_answer_transfer(user, each))
    return (
        any(offers)
        and isinstance(user, User)
        and not has_declined(user, "decline_transfer", nid=namespace.nid)
    )


def may_withdraw_transfer(user: Person, transfer: Transfer) -> bool:
    """Whether `user` made the offer, or could make one now."""
    if not user.is_authenticated or may_answer_transfer(user, transfer):
        return False
    return transfer.offered_by_id == user.pk or may_offer_transfer(user, transfer.namespace)
