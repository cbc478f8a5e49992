"""Webhooks, and the log of their deliveries, in requests and responses."""

from rest_framework import serializers

from registry.api.account import NewSecretField
from registry.api.framework.fields import (
    NullableCharField,
    NullableChoiceField,
)
from registry.api.framework.pagination import page_of, page_query
from registry.api.framework.urls import LinkField, PageLinkField
from registry.events.events import VERB_CHOICES
from registry.webhooks.models import Delivery, PauseReason, Webhook

STATES = ("unconfirmed", "active", "failing", "paused")


class WebhookLinksSerializer(serializers.Serializer[Webhook]):
    """Addresses related to a webhook."""

    self = LinkField("webhook", number="pk")
    deliveries = LinkField(
        "webhook-deliveries", number="pk", help_text="The address of the log of deliveries."
    )
    html = PageLinkField()


class WebhookSerializer(serializers.ModelSerializer[Webhook]):
    """A webhook, without its secret. Empty `verbs` or `nids` stand for all."""

    number = serializers.IntegerField(source="pk", help_text="The number, counted from 1.")
    verbs = serializers.ListField(
        child=serializers.ChoiceField(choices=VERB_CHOICES),
        help_text="The types of the events that are delivered; empty for all.",
    )
    nids = serializers.ListField(
        child=serializers.CharField(), help_text="The namespaces whose events are delivered; empty for all."
    )
    state = serializers.ChoiceField(
        choices=STATES,
        help_text="Whether its address has not answered a challenge, or events are delivered, fail to arrive, or wait until "
        "it is resumed.",
    )
    pause_reason = NullableChoiceField(
        choices=PauseReason.values,
        help_text="Why it is paused: by its owner, because deliveries failed for days, because the address replied 410 "
        "Gone, or because its secret is no longer valid.",
    )
    last_event = serializers.IntegerField(
        help_text="The number of the last event that was delivered, or that the webhook does not ask for."
    )
    failures = serializers.IntegerField(help_text="Failed attempts since the last delivery.")
    previous_secret_until = serializers.DateTimeField(
        source="previous_until",
        allow_null=True,
        help_text="Until then, messages have a second signature, by the secret before the last rotation.",
    )
    links = WebhookLinksSerializer(source="*", help_text="Related addresses.")

    class Meta:
        model = Webhook
        fields: tuple[str, ...] = (
            "number",
            "url",
            "verbs",
            "nids",
            "state",
            "pause_reason",
            "created_at",
            "confirmed_at",
            "last_event",
            "failures",
            "failing_since",
            "next_attempt_at",
            "paused_at",
            "previous_secret_until",
            "links",
        )
        read_only_fields = fields
        extra_kwargs = {
            "url": {"help_text": "The address to which events are sent."},
            "created_at": {"help_text": "The time of the creation."},
            "confirmed_at": {
                "help_text": "The time at which the address answered a challenge; null until then."
            },
            "failing_since": {
                "help_text": "The time of the first failed attempt since the last delivery; null if it succeeded."
            },
            "next_attempt_at": {"help_text": "The time of the next attempt; null unless deliveries fail."},
            "paused_at": {"help_text": "The time at which it was paused; null while it is active."},
        }


class WebhookWithSecretSerializer(WebhookSerializer):
    """A webhook with its new secret, which is shown once."""

    secret = NewSecretField(
        "The key of the signatures by Standard Webhooks: `whsec_` and 32 bytes in base64."
    )

    class Meta(WebhookSerializer.Meta):
        fields = (*WebhookSerializer.Meta.fields, "secret")
        read_only_fields = fields


WebhookPageSerializer = page_of(WebhookSerializer, "A page of webhooks.")
WebhookQuerySerializer = page_query(WebhookSerializer, always="number")


class WebhookDeliverySerializer(serializers.ModelSerializer[Delivery]):
    """One attempt to deliver a message."""

    number = serializers.IntegerField(source="pk", help_text="The number, counted from 1.")
    message_id = serializers.CharField(help_text="The header `webhook-id`.")
    event = serializers.IntegerField(
        source="event_number",
        allow_null=True,
        help_text="The number of the event; null for a challenge or a test.",
    )
    attempt = serializers.IntegerField(help_text="Which attempt for this message it was.")
    milliseconds = serializers.IntegerField(help_text="The time that the attempt took, in milliseconds.")
    status = serializers.IntegerField(
        source="status_code", allow_null=True, help_text="The status of the reply; null without one."
    )
    response = NullableCharField(help_text="The beginning of the body of the reply.")
    error = NullableCharField(help_text="Why the message was not delivered.")

    class Meta:
        model = Delivery
        fields = (
            "number",
            "message_id",
            "event",
            "attempt",
            "at",
            "milliseconds",
            "is_delivered",
            "status",
            "response",
            "error",
        )
        read_only_fields = fields
        extra_kwargs = {
            "at": {"help_text": "The time at which it was recorded."},
            "is_delivered": {"help_text": "Whether the receiver took the message."},
        }


WebhookDeliveryPageSerializer = page_of(WebhookDeliverySerializer, "A page of deliveries, the newest first.")
WebhookDeliveryQuerySerializer = page_query(WebhookDeliverySerializer, always="number")
