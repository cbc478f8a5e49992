"""`account/webhooks/`: the webhooks of the user, their actions, and the log of their deliveries."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.http.response import HttpResponseBase
from django.views.decorators.debug import sensitive_variables
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Scope
from registry.api.framework.fields import EmptyRequestSerializer, parse_number
from registry.api.framework.pagination import KeysetPagination, PaginatedAPIView
from registry.api.framework.problems import NOT_FOUND
from registry.api.framework.urls import api_url
from registry.api.framework.views import TokenAPIView
from registry.api.schema.operations import POSITIVE_INTEGER, path_parameter
from registry.api.schema.token_operations import OPTIONAL_TEXT_PROBLEMS, token_operation, write_operation
from registry.api.webhooks.serializers import (
    ReplayRequestSerializer,
    WebhookDeliveryPageSerializer,
    WebhookDeliveryQuerySerializer,
    WebhookDeliverySerializer,
    WebhookPageSerializer,
    WebhookQuerySerializer,
    WebhookRequestSerializer,
    WebhookSerializer,
    WebhookWithSecretSerializer,
)
from registry.core.http.urls import TargetNotAllowed
from registry.core.pagination import Keyset
from registry.webhooks import actions
from registry.webhooks.models import REPLY_SECONDS, Delivery, Webhook
from registry.webhooks.queries import KEPT_FOR, own_webhook

WEBHOOK_NUMBER = path_parameter("number", "WebhookNumber", "The number of a webhook.", 1, **POSITIVE_INTEGER)
CHOICE_PROBLEMS = (
    TargetNotAllowed,
    actions.UnknownEventType,
    actions.InvalidNIDChoice,
    *OPTIONAL_TEXT_PROBLEMS,
)
OF_WEBHOOK = {"number": "$response.body#/number"}
LINKS = {
    "webhook": ("getWebhook", OF_WEBHOOK),
    "deliveries": ("listWebhookDeliveries", OF_WEBHOOK),
    "test": ("testWebhook", OF_WEBHOOK),
}


class WebhookAPIView(TokenAPIView):
    """A resource below one webhook of the user."""

    def webhook(self, number: str) -> Webhook:
        """Raises Http404 for a webhook of another person."""
        return own_webhook(self.user, parse_number(number))


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

    @write_operation(
        "createWebhook",
        "Register a webhook",
        action=actions.register_webhook,
        request=WebhookRequestSerializer,
        response=WebhookWithSecretSerializer,
        status=HTTPStatus.CREATED,
        about=(
            "Each public event from now on is sent to the address in a POST, as `events/` lists it, in the order of the "
            f"log and at least once. A reply with a status from 200 to 299 within {REPLY_SECONDS} seconds accepts it. Otherwise it "
            "is sent again, with growing waits, and later events wait; after five days, or a reply 410, the webhook is "
            "paused. Verify the headers `webhook-id`, `webhook-timestamp` and `webhook-signature` by [Standard Webhooks]"
            "(https://www.standardwebhooks.com/) with the secret, which only this response contains. `webhook-id` is "
            f"the same whenever an event is sent again. A person can have {actions.MAX_WEBHOOKS} webhooks."
        ),
        refusals=(actions.TooManyWebhooks, *CHOICE_PROBLEMS),
        links=LINKS,
    )
    @sensitive_variables("secret")
    def post(self, request: Request) -> Response:
        body = self.validated_data(WebhookRequestSerializer)
        webhook, secret = actions.register_webhook(by=self.user, **body)
        headers = {"Location": api_url("webhook", number=webhook.pk)}
        shown = WebhookWithSecretSerializer(webhook, context={"secret": secret}).data
        return Response(shown, HTTPStatus.CREATED, headers=headers)


class WebhookDetailView(WebhookAPIView):
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
        return Response(WebhookSerializer(self.webhook(number)).data)

    @write_operation(
        "changeWebhook",
        "Change a webhook",
        action=actions.change_webhook,
        request=WebhookRequestSerializer,
        response=WebhookSerializer,
        about="Replaces the address and the choice of events. The secret and the last delivered event stay.",
        refusals=CHOICE_PROBLEMS,
        parameters=(WEBHOOK_NUMBER,),
        links=LINKS,
        is_once=False,
        is_conditional=True,
        is_body_needed=True,
    )
    def put(self, request: Request, number: str) -> Response:
        webhook, body = self.webhook(number), self.validated_data(WebhookRequestSerializer)
        return Response(WebhookSerializer(actions.change_webhook(webhook, by=self.user, **body)).data)

    @write_operation(
        "deleteWebhook",
        "Delete a webhook",
        scope=Scope.WRITE,
        request=None,
        response=None,
        status=HTTPStatus.NO_CONTENT,
        about="Deletes the log of its deliveries, too.",
        parameters=(WEBHOOK_NUMBER,),
        is_once=False,
        is_conditional=True,
    )
    def delete(self, request: Request, number: str) -> Response:
        actions.delete_webhook(self.webhook(number), by=self.user)
        return Response(status=HTTPStatus.NO_CONTENT)


class DeliveryPagination(KeysetPagination):
    """The newest first."""

    keyset = Keyset("-pk")


class DeliveryListView(PaginatedAPIView, WebhookAPIView):
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
        log = Delivery.objects.filter(webhook=self.webhook(number))
        return self.paginated(request, log, WebhookDeliverySerializer)


class RotateSecretView(WebhookAPIView):
    """Replace the secret of a webhook."""

    @write_operation(
        "rotateWebhookSecret",
        "Replace the secret of a webhook",
        action=actions.rotate_secret,
        request=EmptyRequestSerializer,
        response=WebhookWithSecretSerializer,
        about="For a day, messages have a signature by each of both secrets. Only this response contains the new one.",
        parameters=(WEBHOOK_NUMBER,),
        links=LINKS,
    )
    @sensitive_variables("secret")
    def post(self, request: Request, number: str) -> Response:
        webhook = self.webhook(number)
        self.validated_data(EmptyRequestSerializer)
        webhook, secret = actions.rotate_secret(webhook, by=self.user)
        return Response(WebhookWithSecretSerializer(webhook, context={"secret": secret}).data)


def _action_view(
    name: str, summary: str, about: str, action: Callable[..., Webhook], body: Any, *refusals: Any
) -> type[WebhookAPIView]:
    """The view of an action without a page of its own."""
    operation = write_operation(
        f"{name}Webhook",
        summary,
        scope=Scope.WRITE,
        request=body,
        response=WebhookSerializer,
        about=about,
        refusals=refusals,
        parameters=(WEBHOOK_NUMBER,),
        links=LINKS,
    )

    def post(self: WebhookAPIView, request: Request, number: str) -> Response:
        changed = action(self.webhook(number), by=self.user, **self.validated_data(body))
        return Response(WebhookSerializer(changed).data)

    attributes = {"post": operation(post), "__doc__": f"{summary}."}
    return type(f"{name.title()}WebhookView", (WebhookAPIView,), attributes)


ACTION_VIEWS = {
    "pause": _action_view(
        "pause",
        "Pause a webhook",
        "Events wait until the webhook is resumed.",
        actions.pause_webhook,
        EmptyRequestSerializer,
    ),
    "resume": _action_view(
        "resume",
        "Resume a webhook",
        "Continues after the last delivered event, at once: also if the webhook fails and waits for its next attempt.",
        actions.resume_webhook,
        EmptyRequestSerializer,
        actions.SecretInvalid,
    ),
    "test": _action_view(
        "test",
        "Test a webhook",
        'Sends a signed message with the member `"verb": "webhook.test"` once, within a minute. `deliveries` shows the '
        "result.",
        actions.request_test,
        EmptyRequestSerializer,
    ),
    "replay": _action_view(
        "replay",
        "Send events again",
        "Sends the events after event `since` again, with the same `webhook-id`.",
        actions.replay,
        ReplayRequestSerializer,
        actions.BeyondLog,
    ),
}
