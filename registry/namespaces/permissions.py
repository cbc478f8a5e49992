"""Permission predicates for namespaces.

An administrator cannot administer a namespace of which they are the registrant.
"""

from django.contrib.auth.models import AnonymousUser

from registry.accounts.models import RoleName, User
from registry.namespaces.models import Namespace, Transfer

Person = User | AnonymousUser


def is_registrant(user: Person, namespace: Namespace) -> bool:
    return user.is_authenticated and namespace.registrant_id == user.pk


def is_administrator(user: Person, namespace: Namespace) -> bool:
    has_role = isinstance(user, User) and RoleName.ADMINISTRATOR in user.roles
    return has_role and not is_registrant(user, namespace)


def may_offer_transfer(user: Person, namespace: Namespace) -> bool:
    """Whether `user` is the registrant, or an administrator if the namespace has no registrant (as after an import)."""
    if namespace.registrant_id is None:
        return is_administrator(user, namespace)
    return is_registrant(user, namespace)


def may_answer_transfer(user: Person, transfer: Transfer) -> bool:
    """Whether the namespace is offered to the address of `user`, who confirmed it."""
    if not isinstance(user, User) or not user.has_address(transfer.email):
        return False
    return user.pk != transfer.offered_by_id and user.is_verified


def may_withdraw_transfer(user: Person, transfer: Transfer) -> bool:
    """Whether `user` made the offer, or could make one now."""
    if not user.is_authenticated or may_answer_transfer(user, transfer):
        return False
    return transfer.offered_by_id == user.pk or may_offer_transfer(user, transfer.namespace)


def may_see_transfer(user: Person, transfer: Transfer) -> bool:
    """Whether `user` is a party to the offer. Its outcome is public in the history of the namespace."""
    return may_answer_transfer(user, transfer) or may_withdraw_transfer(user, transfer)
