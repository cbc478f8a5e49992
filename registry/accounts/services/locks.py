"""Locks of accounts, so that an account is not closed while it gets something. They are taken before all other locks."""

from django.dispatch import Signal

from registry.accounts.models import User
from registry.core.exceptions import NotPermitted

# Sent in the transaction, with the `account`: other apps lock what ends with it, before the first event, which blocks all
# other writers.
account_locked = Signal()


def lock_account(account: User) -> bool:
    """Lock an account until the end of the transaction, and return whether it is open.

    Rows that refer to the account, such as events, can still be written.
    """
    rows = User.objects.select_for_update(no_key=True).filter(pk=account.pk)
    return bool(rows.values_list("is_active", flat=True).get())


def lock_ending_account(account: User) -> bool:
    """Lock an account that is closed or erased, and what other apps change with it. Returns whether it is open."""
    is_open = lock_account(account)
    account_locked.send(User, account=account)
    return is_open


def lock_open_account(account: User) -> None:
    """Lock an account as `lock_account` does. Raises NotPermitted if it was closed."""
    if not lock_account(account):
        raise NotPermitted("Your account was closed.")
