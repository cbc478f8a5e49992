"""The claims of an account are withdrawn when it is closed."""

from typing import Any

from registry.accounts.models import User
from registry.accounts.services.closing import account_closed
from registry.custody.services.claims import withdraw_claims_of


def _withdraw_claims(account: User, **_signal: Any) -> None:
    withdraw_claims_of(account, reason="The account was closed.")


def connect() -> None:
    account_closed.connect(_withdraw_claims, dispatch_uid="custody")
