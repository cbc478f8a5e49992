"""The messages to webhooks in the OpenAPI document: its section `webhooks`, which drf-spectacular writes."""

from typing import Any

from drf_spectacular.utils import OpenApiResponse, OpenApiWebhook, extend_schema

from registry.api.schema.examples import recorded_operation
from registry.events.events import EventSerializer
from registry.webhooks.messages import WebhookChallengeSerializer, WebhookTestSerializer
from registry.webhooks.models import REPLY_SECONDS

# By Standard Webhooks.
HEADERS = {
    "webhook-id": "The ID of the message, which is the same whenever it is sent again. Ignore a message that you know.",
    "webhook-timestamp": "The time of this attempt in seconds since 1970. Refuse one that is minutes away from your clock.",
    "webhook-signature": (
        "The version `v1`, a comma and the signature in base64: the HMAC-SHA-256 of ID, timestamp and body, joined by dots. "
        "For a day after the secret was replaced, a second one follows after a space."
    ),
}


def headers_of(operation_id: str) -> list[dict[str, Any]]:
    """The headers of a message, with the recorded ones as examples.

    drf-spectacular describes no parameters of a webhook; a hook adds these.
    """
    recorded = recorded_operation(operation_id).get("headers", {})
    return [
        {
            "name": name,
            "in": "header",
            "required": True,
            "description": description,
            "schema": {"type": "string"},
            "examples": {"example": {"value": recorded.get(name)}},
        }
        for name, description in HEADERS.items()
    ]


RESPONSES = {
    204: OpenApiResponse(
        description=f"Any status from 200 to 299 within {REPLY_SECONDS} seconds accepts the message. Otherwise it is sent again later."
    ),
    410: OpenApiResponse(description="Pauses the webhook."),
}
ANSWER = (200, "text/plain")
CHALLENGE = OpenApiWebhook(
    "challenge",
    extend_schema(
        operation_id="receiveChallenge",
        summary="The registry asks whether the address wants events",
        description=(
            "A signed message without an event, which is sent once: after the registration of a webhook, after a change of its "
            "address, and when its owner asks for it. The body of the reply is the member `challenge`, and nothing else. Until "
            "then, nothing more is sent to the address. Verify the signature before you answer."
        ),
        tags=["events"],
        request=WebhookChallengeSerializer,
        responses={
            ANSWER: OpenApiResponse(
                {"type": "string"},
                description=f"Confirms the address, within {REPLY_SECONDS} seconds, if the body is the challenge. A line end "
                "after it does not count.",
            ),
            404: OpenApiResponse(
                description="Refuses, as each other reply does: the address gets no events."
            ),
        },
    ),
)
EVENT = OpenApiWebhook(
    "event",
    extend_schema(
        operation_id="receiveEvent",
        summary="An event has occurred",
        description=(
            "The registry sends each public event that a webhook asks for to its address, in the order of the log and at "
            "least once. The body is the event as `events/` lists it. Verify the signature before you use it."
        ),
        tags=["events"],
        request=EventSerializer,
        responses=RESPONSES,
    ),
)
TEST = OpenApiWebhook(
    "test",
    extend_schema(
        operation_id="receiveTest",
        summary="The owner requested a test",
        description="A signed message without an event, which is sent once.",
        tags=["events"],
        request=WebhookTestSerializer,
        responses=RESPONSES,
    ),
)
