"""Sending one message: a signed POST to a public address, without redirects. Does not use the database."""

import time
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus

from django.conf import settings

from registry.core.characters import UNSTORABLE
from registry.core.http.urls import TargetNotAllowed
from registry.core.outgoing.https_requests import Reply, RequestFailed, RequestLimits, request
from registry.core.outgoing.public_addresses import AddressNotPublic, HostNotFound
from registry.core.shortening import shortened
from registry.webhooks.messages import Message
from registry.webhooks.models import MAX_ERROR_LENGTH, MAX_RESPONSE_LENGTH, REPLY_SECONDS, Webhook
from registry.webhooks.signing import signature_headers

LIMITS = RequestLimits(connect=5, wait=REPLY_SECONDS, total=REPLY_SECONDS, body=4 * 1024)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of an attempt. `error` is "" if the receiver accepted the message."""

    at: datetime
    milliseconds: int
    error: str
    status_code: int | None = None
    response: str = ""

    @property
    def is_delivered(self) -> bool:
        return not self.error

    @property
    def is_gone(self) -> bool:
        return self.status_code == HTTPStatus.GONE


def send(webhook: Webhook, message: Message, at: datetime) -> Outcome:
    """Send a message. Each failure is an outcome."""
    headers = {
        "Content-Type": "application/json",
        "User-Agent": settings.USER_AGENT,
        "Accept-Encoding": "identity",
        **signature_headers(webhook, message.id, message.body, at),
    }
    began = time.monotonic()
    try:
        reply = request("POST", webhook.url, headers, LIMITS, message.body)
    except (TargetNotAllowed, HostNotFound, AddressNotPublic, RequestFailed) as failure:
        return Outcome(at, _since(began), shortened(str(failure), MAX_ERROR_LENGTH - 1))
    return Outcome(at, _since(began), _error_in(reply), reply.status, _text_of(reply.body))


def _since(began: float) -> int:
    return round((time.monotonic() - began) * 1000)


def _error_in(reply: Reply) -> str:
    if HTTPStatus.OK <= reply.status < HTTPStatus.MULTIPLE_CHOICES:
        return ""
    if reply.location:
        return f"The reply is {reply.status}. Redirects are not followed."
    return f"The reply is {reply.status}; a status from 200 to 299 is needed."


def _text_of(body: bytes) -> str:
    """The beginning of a reply, as a text that the database stores."""
    return UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", body.decode("utf-8", "replace"))[:MAX_RESPONSE_LENGTH]
