"""`account/webhooks/`: the webhooks of the user, their actions, and the log of their deliveries."""

from http import HTTPStatus
from typing import Any

from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Scope, User
from registry.api.framework.actions import action_method, action_view, action_views
from registry.api.framework.fields import parse_number
from registry.api.framework.methods import token_operation
from registry.api.framework.pagination import KeysetPagination, PaginatedAPIView
from registry.api.framework.problems import NOT_FOUND
from registry.api.framework.urls import api_url
from registry.api.framework.views import TokenAPIView
from registry.api.schema.operations import POSITIVE_INTEGER, path_parameter
from registry.api.webhooks.serializers import (
    WebhookDeliveryPageSerializer,
    WebhookDeliveryQuerySerializer,
    WebhookDeliverySerializer,
    WebhookPageSerializer,
    WebhookQuerySerializer,
    WebhookSerializer,
    WebhookWithSecretSerializer,
)
from registry.core.new_secrets import WithSecret
from registry.core.pagination import Keyset
from registry.webhooks import actions
from registry.webhooks.models import REPLY_SECONDS, Delivery, Webhook
from registry.webhooks.queries import KEPT_FOR, own_webhook

WEBHOOK_NUMBER = path_parameter("number", "WebhookNumber", "The number of a webhook.", 1, **POSITIVE_INTEGER)
OF_WEBHOOK = {"number": "$response.body#/number"}
LINKS = {
    "webhook": ("getWebhook", OF_WEBHOOK),
    "deliveries": ("listWebhookDeliveries", OF_WEBHOOK),
    "challenge": ("challengeWebhook", OF_WEBHOOK),
    "test": ("testWebhook", OF_WEBHOOK),
}


def _found(user: User, number: str) -> Webhook:
    """Raises Http404 for a webhook of another person."""
    return own_webhook(user, parse_number(number))


def _rendered(webhook: Webhook, user: User) -> Any:
    return WebhookSerializer(webhook).data


def _with_secret(made: WithSecret[Webhook], user: User) -> Any:
    return WebhookWithSecretSerializer(made.record, context={"made": made}).data


class WebhookListView(PaginatedAPIView, TokenAPIView):
    """The webhooks of the user, to which public events are sent."""

    query = WebhookQuerySerializer

    @token_operation(
        "listWebhooks",
        "The webhooks of the user",
        scope=Scope.READ,
        response=WebhookPageSerializer,
        about="The addresses to which public events are sent, in the order in which they were registered.",
        links={"webhook": ("getWebhook", {"number": "$response.body#/results/0/number"})},
    )
    def get(self, request: Request) -> HttpResponseBase:
        return self.paginated(request, Webhook.objects.filter(owner=self.user), WebhookSerializer)

    post = action_method(
        actions.CREATE_WEBHOOK,
        lambda user: user,
        _with_secret,
        response=WebhookWithSecretSerializer,
        status=HTTPStatus.CREATED,
        location=lambda made: api_url("webhook", number=made.record.pk),
        about=(
            "The registry first challenges the address: the reply to a message with the verb `webhook.challenge` must be its member "
            "`challenge`, and nothing else. Once it is, each public event from now on is sent to the address in a POST, as `events/` lists it, in the order of the "
            f"log and at least once. A reply with a status from 200 to 299 within {REPLY_SECONDS} seconds accepts it. Otherwise it "
            "is sent again, with growing waits, and later events wait; after five days, or a reply 410, the webhook is "
            "paused. Verify the headers `webhook-id`, `webhook-timestamp` and `webhook-signature` by [Standard Webhooks]"
            "(https://www.standardwebhooks.com/) with the secret, which only this response contains. `webhook-id` is "
            f"the same whenever an event is sent again. A person can have {actions.MAX_WEBHOOKS} webhooks."
        ),
        links=LINKS,
    )


class WebhookDetailView(TokenAPIView):
    """A webhook of the user."""

    @token_operation(
        "getWebhook",
        "A webhook",
        scope=Scope.READ,
        response=WebhookSerializer,
        about="What is sent, how far, and whether it fails.",
        refusals=(NOT_FOUND,),
        parameters=(WEBHOOK_NUMBER,),
        links=LINKS,
        has_etag=True,
    )
    def get(self, request: Request, number: str) -> Response:
        return Response(_rendered(_found(self.user, number), self.user))

    put = action_method(
        actions.CHANGE_WEBHOOK,
        _found,
        _rendered,
        response=WebhookSerializer,
        about=f"Replaces the address and the choice of events. {actions.CHANGE_WEBHOOK.effect}",
        parameters=(WEBHOOK_NUMBER,),
        links=LINKS,
        is_once=False,
        is_conditional=True,
        is_body_needed=True,
    )
    delete = action_method(
        actions.DELETE_WEBHOOK,
        _found,
        request=None,
        parameters=(WEBHOOK_NUMBER,),
        is_once=False,
        is_conditional=True,
    )


class DeliveryPagination(KeysetPagination):
    """The newest first."""

    keyset = Keyset("-pk")


class DeliveryListView(PaginatedAPIView, TokenAPIView):
    """The log of the deliveries of a webhook."""

    query = WebhookDeliveryQuerySerializer
    pagination_class = DeliveryPagination

    @token_operation(
        "listWebhookDeliveries",
        "The deliveries of a webhook",
        scope=Scope.READ,
        response=WebhookDeliveryPageSerializer,
        about=f"Each attempt of the last {KEPT_FOR.days} days, the newest first.",
        refusals=(NOT_FOUND,),
        parameters=[WEBHOOK_NUMBER],
    )
    def get(self, request: Request, number: str) -> HttpResponseBase:
        log = Delivery.objects.filter(webhook=_found(self.user, number))
        return self.paginated(request, log, WebhookDeliverySerializer)


RotateSecretView = action_view(
    actions.ROTATE_SECRET,
    _found,
    _with_secret,
    response=WebhookWithSecretSerializer,
    about=f"{actions.ROTATE_SECRET.effect} Only this response contains the new secret.",
    parameters=(WEBHOOK_NUMBER,),
    links=LINKS,
)
ACTION_VIEWS = action_views(
    actions.BUTTONS, _found, _rendered, response=WebhookSerializer, parameters=(WEBHOOK_NUMBER,), links=LINKS
)
