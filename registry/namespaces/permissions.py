"""Is this person X for this namespace? Predicates, the only place that answers.

Nobody administers a namespace of their own, whatever roles they hold.
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
    """Its registrant; an administrator where it has none, such as an import."""
    if namespace.registrant_id is None:
        return is_administrator(user, namespace)
    return is_registrant(user, namespace)


def may_answer_transfer(user: Person, transfer: Transfer) -> bool:
    return user.is_authenticated and transfer.to_id == user.pk


def may_take_back_transfer(user: Person, transfer: Transfer) -> bool:
    """Whoever offered it, and whoever could offer the namespace now."""
    if not user.is_authenticated or may_answer_transfer(user, transfer):
        return False
    return transfer.offered_by_id == user.pk or may_offer_transfer(user, transfer.namespace)


def may_see_transfer(user: Person, transfer: Transfer) -> bool:
    """Those whom the offer concerns; what became of it everyone reads in the history."""
    return may_answer_transfer(user, transfer) or may_take_back_transfer(user, transfer)
