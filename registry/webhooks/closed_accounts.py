"""The webhooks of an account are deleted when it is closed."""

from typing import Any

from registry.accounts.closing import account_closed
from registry.accounts.models import User
from registry.webhooks.models import Webhook


def _delete_webhooks(account: User, **_signal: Any) -> None:
    Webhook.objects.filter(owner=account).delete()


def connect() -> None:
    account_closed.connect(_delete_webhooks, dispatch_uid="webhooks")
