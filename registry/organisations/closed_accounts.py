"""The memberships of an account end when it is closed."""

from typing import Any

from registry.accounts.closing import account_closed
from registry.accounts.models import User
from registry.organisations.actions.members import end_memberships_of


def _end_memberships(account: User, **_signal: Any) -> None:
    end_memberships_of(account, by=None, reason="The account was closed.")


def connect() -> None:
    account_closed.connect(_end_memberships, dispatch_uid="organisations")
