"""Messages: what is sent to a webhook."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer

from registry.audit_log.models import Event
from registry.events.queries import with_publicity
from registry.events.serializers import EventSerializer
from registry.webhooks.models import Webhook

TEST_VERB = "webhook.test"


@dataclass(frozen=True, slots=True)
class Message:
    """A message. `id` is the same whenever it is sent again; `event_number` is None for a test."""

    id: str
    body: bytes
    event_number: int | None = None


def message_of(event: Event) -> Message:
    """The message about an event, as the API lists it. The event has the annotation `is_public`.

    The ID contains the beginning of the digest: if a log is restored from an older copy, another event gets the number.
    """
    body: bytes = JSONRenderer().render(EventSerializer(event).data)
    return Message(f"evt_{event.number}_{event.digest[:16]}", body, event.number)


def test_message(webhook: Webhook, at: datetime) -> Message:
    message = {"verb": TEST_VERB, "at": at, "webhook": webhook.pk}
    body: bytes = JSONRenderer().render(WebhookTestSerializer(message).data)
    return Message(webhook.test_id, body)


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
