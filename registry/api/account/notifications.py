"""`account/notifications/`: the mail that the user gets."""

from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Scope
from registry.api.framework.fields import StrictSerializer, body_choice
from registry.api.framework.views import TokenAPIView
from registry.api.schema.token_operations import token_operation, write_operation
from registry.mail.kinds import ALWAYS_SENT, KINDS
from registry.mail.preferences import choose, deliveries_of

NotificationSettingsSerializer = type(
    "NotificationSettingsSerializer",
    (StrictSerializer,),
    {
        "__doc__": "How the user gets each kind of mail.",
        **{
            kind.name: body_choice(
                [(each.value, each.value) for each in kind.deliveries],
                required=False,
                help_text=kind.description,
            )
            for kind in KINDS
        },
    },
)


class NotificationsView(TokenAPIView):
    """The mail that the user gets: at once, once a day, or not at all."""

    @token_operation(
        "getNotificationSettings",
        "The mail that the user gets",
        scope=Scope.READ,
        response=NotificationSettingsSerializer,
        about=f"The kinds of mail that the user can turn off, and how they get them. {ALWAYS_SENT}",
        has_etag=True,
    )
    def get(self, request: Request) -> Response:
        return self._response()

    @write_operation(
        "updateNotificationSettings",
        "Choose the mail that the user gets",
        scope=Scope.WRITE,
        request=NotificationSettingsSerializer,
        response=NotificationSettingsSerializer,
        about="Kinds that are left out do not change.",
        is_once=False,
        is_conditional=True,
        is_body_needed=True,
    )
    def patch(self, request: Request) -> Response:
        choose(self.user, self.validated_data(NotificationSettingsSerializer))
        return self._response()

    def _response(self) -> Response:
        chosen = {kind.name: delivery.value for kind, delivery in deliveries_of(self.user).items()}
        return Response(NotificationSettingsSerializer(chosen).data)
