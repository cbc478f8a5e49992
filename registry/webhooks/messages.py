"""Messages: what is sent to a webhook, its signature by Standard Webhooks, and the secrets.

A secret is an HMAC of a random salt under SECRET_KEY, so it is stored nowhere (docs/decisions/0021-webhooks.md). Those that
were made with a key of SECRET_KEY_FALLBACKS stay valid.
"""

import base64
import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet
from django.utils.crypto import salted_hmac
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer
from standardwebhooks import Webhook as Signer

from registry.audit_log.models import Event
from registry.core.digests import secret_keys
from registry.events.events import event_without_leaf, with_publicity
from registry.webhooks.models import CHALLENGE_PREFIX, Webhook

PREFIX = "whsec_"
KEY_SALT = "registry.webhooks"


def new_salt() -> str:
    return secrets.token_hex(16)


def secret_from(salt: str, key: str | None = None) -> str:
    """The secret of 32 bytes that belongs to a salt and a key, by default SECRET_KEY, as `whsec_` and base64."""
    secret = salted_hmac(KEY_SALT, salt, secret=key, algorithm="sha256").digest()
    return PREFIX + base64.b64encode(secret).decode()


def digest_of(secret: str) -> str:
    """What is stored of a secret, to tell with which key it was made."""
    return hashlib.sha256(secret.encode()).hexdigest()


def has_valid_secret(webhook: Webhook) -> bool:
    return bool(_secrets_of(webhook))


def _secrets_of(webhook: Webhook) -> list[str]:
    """The secret of a webhook; none if it was made with a key that is no longer known."""
    return [
        each for each in _candidates(webhook.salt) if hmac.compare_digest(webhook.digest, digest_of(each))
    ]


def _candidates(salt: str) -> list[str]:
    return [secret_from(salt, key) for key in secret_keys()]


def signature_headers(webhook: Webhook, message_id: str, body: bytes, at: datetime) -> dict[str, str]:
    """The three headers of a message. For a day after a rotation, the signature of the previous secret comes second.

    Of that secret no digest is stored: there is one signature for each key with which it may have been made.
    """
    signers = _secrets_of(webhook)
    if webhook.previous_until and at < webhook.previous_until:
        signers += _candidates(webhook.previous_salt)
    signatures = (Signer(secret).sign(message_id, at, body.decode()) for secret in signers)
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": " ".join(signatures),
    }


TEST_VERB = "webhook.test"
CHALLENGE_VERB = "webhook.challenge"


@dataclass(frozen=True, slots=True)
class Message:
    """A message. `id` is the same whenever it is sent again; `event_number` is None for a test or a challenge.

    `answer` is what the body of the reply to a challenge must be, "" of other messages.
    """

    id: str
    body: bytes
    event_number: int | None = None
    answer: str = ""


def message_of(event: Event) -> Message:
    """The message about an event, as the API lists it. The event has the annotation `is_public`.

    The ID contains the beginning of the digest: if a log is restored from an older copy, another event gets the number.
    """
    body: bytes = JSONRenderer().render(event_without_leaf(event))
    return Message(f"evt_{event.number}_{event.digest[:16]}", body, event.number)


def test_message(webhook: Webhook, at: datetime) -> Message:
    message = {"verb": TEST_VERB, "at": at, "webhook": webhook.pk}
    body: bytes = JSONRenderer().render(WebhookTestSerializer(message).data)
    return Message(webhook.test_id, body)


def challenge_message(webhook: Webhook, at: datetime) -> Message:
    """The message with which an address is asked whether it wants the others. Its ID does not reveal the answer."""
    message = {"verb": CHALLENGE_VERB, "at": at, "webhook": webhook.pk, "challenge": webhook.challenge}
    body: bytes = JSONRenderer().render(WebhookChallengeSerializer(message).data)
    number = digest_of(webhook.challenge)[:16]
    return Message(f"{CHALLENGE_PREFIX}{number}", body, answer=webhook.challenge)


def events_for(webhook: Webhook, head: int) -> QuerySet[Event, Event]:
    """The public events that a webhook asks for and that were not delivered, up to event `head`, in order."""
    wanted = Q(is_public=True, number__gt=webhook.last_event, number__lte=head)
    if webhook.verbs:
        wanted &= Q(verb__in=webhook.verbs)
    if webhook.nids:
        wanted &= Q(nid__in=webhook.nids)
    return with_publicity(Event.objects.select_related("actor")).filter(wanted).order_by("number")


@extend_schema_field({"type": "string", "const": TEST_VERB})
class TestVerbField(serializers.CharField):
    """What tells a test from an event."""


class WebhookTestSerializer(serializers.Serializer[dict[str, Any]]):
    """The body of a test message."""

    verb = TestVerbField(help_text="Not the type of an event.")
    at = serializers.DateTimeField(help_text="The time of the test.")
    webhook = serializers.IntegerField(help_text="The number of the webhook.")


@extend_schema_field({"type": "string", "const": CHALLENGE_VERB})
class ChallengeVerbField(serializers.CharField):
    """What tells a challenge from an event."""


class WebhookChallengeSerializer(serializers.Serializer[dict[str, Any]]):
    """The body of a challenge."""

    verb = ChallengeVerbField(help_text="Not the type of an event.")
    at = serializers.DateTimeField(help_text="The time of the challenge.")
    webhook = serializers.IntegerField(help_text="The number of the webhook.")
    challenge = serializers.CharField(help_text="The body of the reply: these characters, and nothing else.")
