"""Locks of accounts, so that none is closed while it gets a role, a part or an offer, and the check that its address is
confirmed. Locks of accounts are taken before all others.
"""

from http import HTTPStatus

from registry.accounts.models import User
from registry.core.exceptions import NotPermitted, RegistryError


def lock_account(account: User) -> bool:
    """Lock an account until the end of the transaction, and return whether it is open.

    Rows that refer to the account, such as events, can still be written.
    """
    rows = User.objects.select_for_update(no_key=True).filter(pk=account.pk)
    return bool(rows.values_list("is_active", flat=True).get())


def lock_accounts(*keys: int) -> None:
    """Lock several accounts, in the order of their keys."""
    rows = User.objects.select_for_update(no_key=True).filter(pk__in=keys).order_by("pk")
    list(rows.values_list("pk"))


def lock_open_account(account: User) -> None:
    """Lock an account as `lock_account` does. Raises NotPermitted if it was closed."""
    if not lock_account(account):
        raise NotPermitted("Your account was closed.")


class AddressNotConfirmed(RegistryError):
    """The account has no confirmed address, so it can't act, and gets no role, part or offer."""

    status = HTTPStatus.FORBIDDEN
    title = "The address is not confirmed"


def check_is_verified(person: User) -> None:
    """Raise AddressNotConfirmed unless the owner of the account has confirmed its address."""
    if not person.is_verified:
        raise AddressNotConfirmed(
            f"The e-mail address of {person} has not been confirmed. "
            "The owner confirms it with the link that the registry mailed, on the page “E-mail addresses”."
        )
