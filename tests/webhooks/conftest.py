"""Fixtures: receivers on loopback under names of the DNS, which verify signatures, and webhooks for them."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.db import transaction
from standardwebhooks import Webhook as Verifier

from registry.accounts.models import User
from registry.audit_log import log
from registry.audit_log.models import Event
from registry.core.outgoing.https_requests import RequestLimits
from registry.webhooks import actions, delivery
from registry.webhooks.models import Webhook
from tests.support.https_servers import (
    LOOPBACK,
    Authority,
    Exchange,
    FakeDNS,
    Respond,
    Server,
    authority,
    dns,
    https_server,
    loopback_allowed,
)
from tests.support.webhooks import confirmed

__all__ = ["authority", "dns", "loopback_allowed"]

HOST = "hooks.example"


@dataclass
class Receiver:
    """A server that answers challenges; other messages with the statuses in `replies` in turn, then with 204."""

    server: Server = field(init=False)
    replies: list[str] = field(default_factory=list)
    body: bytes = b""

    @property
    def url(self) -> str:
        return f"https://{HOST}:{self.server.port}/hook"

    @property
    def received(self) -> list[Exchange]:
        return self.server.received

    @property
    def ids(self) -> list[str]:
        return [each.headers["webhook-id"] for each in self.received]

    @property
    def numbers(self) -> list[int]:
        return [json.loads(each.body)["number"] for each in self.received]

    def respond(self, exchange: Exchange) -> None:
        if challenge := json.loads(exchange.body).get("challenge"):
            exchange.reply("200 OK", challenge.encode())
        else:
            exchange.reply(self.replies.pop(0) if self.replies else "204 No Content", self.body)


Serve = Callable[[Respond], Server]


@pytest.fixture
def serve(authority: Authority, dns: FakeDNS, loopback_allowed: None) -> Iterator[Serve]:
    """Starts servers for `hooks.example` with a valid certificate."""
    dns[HOST] = LOOPBACK
    with ExitStack() as running:
        yield lambda respond: running.enter_context(https_server(authority.certificate(HOST), respond))


@pytest.fixture
def receiver(serve: Serve) -> Receiver:
    made = Receiver()
    made.server = serve(made.respond)
    return made


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delivery, "LIMITS", RequestLimits(connect=1, wait=1, total=2, body=4096))


def a_webhook_with_secret(owner: User, url: str, **choice: Any) -> tuple[Webhook, str]:
    """A confirmed webhook."""
    webhook, secret = actions.register_webhook(by=owner, url=url, **choice)
    return confirmed(webhook), secret


def a_webhook(owner: User, url: str, **choice: Any) -> Webhook:
    return a_webhook_with_secret(owner, url, **choice)[0]


def an_event(nid: str = "isbn", verb: str = "deprecate", **fields: Any) -> Event:
    """An event of a namespace, which is public."""
    with transaction.atomic():
        return log.append(verb, by=None, nid=nid, **fields)


def verified(exchange: Exchange, secret: str) -> Any:
    """The content of a message, whose signature a library of Standard Webhooks verifies."""
    return Verifier(secret).verify(exchange.body, exchange.headers)
