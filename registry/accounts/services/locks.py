"""Locks of accounts, so that an account is not closed while it gets something. They are taken before all other locks."""

from registry.accounts.models import User
from registry.core.exceptions import NotPermitted


def lock_account(account: User) -> bool:
    """Lock an account until the end of the transaction, and return whether it is open.

    Rows that refer to the account, such as events, can still be written.
    """
    rows = User.objects.select_for_update(no_key=True).filter(pk=account.pk)
    return bool(rows.values_list("is_active", flat=True).get())


def lock_open_account(account: User) -> None:
    """Lock an account as `lock_account` does. Raises NotPermitted if it was closed."""
    if not lock_account(account):
        raise NotPermitted("Your account was closed.")
