"""The claims of an account are withdrawn when it is closed."""

from typing import Any

from registry.accounts.models import User
from registry.accounts.services.closing import account_closed
from registry.accounts.services.locks import account_locked
from registry.custody.services.claims import lock_namespaces_of, withdraw_claims_of
from registry.organisations.services.members import lock_organisations_of


def _lock_what_changes(account: User, **_signal: Any) -> None:
    """Lock namespaces before organisations, as other actions do."""
    lock_namespaces_of(account)
    lock_organisations_of(account)


def _withdraw_claims(account: User, **_signal: Any) -> None:
    withdraw_claims_of(account, reason="The account was closed.")


def connect() -> None:
    account_locked.connect(_lock_what_changes, dispatch_uid="custody")
    account_closed.connect(_withdraw_claims, dispatch_uid="custody")
