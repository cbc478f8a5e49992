"""`account/`: the account of the person, and the mail that they get."""

from typing import Any, cast

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import RoleName, Scope, Token
from registry.accounts.tokens import DEFAULT_DAYS, MOST_DAYS
from registry.api.framework.fields import (
    StrictCharField,
    StrictIntegerField,
    StrictSerializer,
    body_choice,
    nid_field,
)
from registry.api.framework.methods import token_operation, write_operation
from registry.api.framework.pagination import page_of, page_query
from registry.api.framework.throttling import policies
from registry.api.framework.urls import LinkField
from registry.api.framework.views import TokenAPIView
from registry.api.namespaces.actions import TransferSerializer
from registry.api.namespaces.entries import EntryOfferSerializer
from registry.api.organisations.serializers import MembershipInvitationSerializer, MembershipSerializer
from registry.cases.inbox import cases_waiting_for
from registry.cases.models import WAITING_FOR, Case, State
from registry.cases.workflow.declarations.actions import ACCEPT_INVITATION, DECLINE_INVITATION
from registry.mail.kinds import ALWAYS_SENT, KINDS
from registry.mail.preferences import choose, deliveries_of
from registry.namespaces.models import Namespace, Transfer
from registry.organisations.queries import invitations_to, memberships_of
from registry.registers.models import EntryOffer


class CaseSummarySerializer(serializers.Serializer[Case]):
    """The most important members of a case."""

    number = serializers.IntegerField(source="pk", help_text="The number of the case.")
    subject = serializers.CharField(help_text="A short description of the case.")
    state = serializers.ChoiceField(choices=State.choices, help_text="The state of the case in the process.")
    state_since = serializers.DateTimeField(help_text="The time since which the case has been in its state.")
    actions = LinkField(
        "actions", number="pk", help_text="The address of the actions that the user may take."
    )


class InvitationSerializer(serializers.Serializer[Case]):
    """The invitation of the user to be a co-editor of a case, and the addresses that answer it."""

    case = serializers.IntegerField(source="pk", help_text="The number of the case.")
    subject = serializers.CharField(help_text="A short description of the case.")
    registrant = serializers.CharField(
        source="change_controller", help_text="The display name of the registrant, or of the organisation."
    )
    accept = LinkField(
        ACCEPT_INVITATION.slug, number="pk", help_text="The address that accepts the invitation."
    )
    decline = LinkField(
        DECLINE_INVITATION.slug, number="pk", help_text="The address that declines the invitation."
    )


class OwnNamespaceSerializer(serializers.Serializer[Namespace]):
    """A namespace of the user."""

    nid = nid_field()
    version = serializers.IntegerField(help_text="The number of the version, from 1.")
    url = LinkField("namespace", nid="nid", help_text="The address.")


class AccountSerializer(serializers.Serializer[Any]):
    """The cases, namespaces, organisations, invitations and offers of the user. `waiting` has the cases that wait for them, by role."""

    waiting = serializers.DictField(
        child=serializers.ListField(child=CaseSummarySerializer()),
        help_text="The cases that wait for the user, by role.",
    )
    drafts = CaseSummarySerializer(many=True, help_text="Cases that the user has not submitted yet.")
    cases = CaseSummarySerializer(many=True, help_text="Cases, the newest first.")
    namespaces = OwnNamespaceSerializer(
        many=True, help_text="Namespaces of which the user is the registrant."
    )
    invitations = InvitationSerializer(
        many=True, help_text="Invitations to be a co-editor that the user has not answered."
    )
    transfers = TransferSerializer(
        many=True, help_text="Offers of namespaces that the user made or received."
    )
    entry_offers = EntryOfferSerializer(
        many=True, help_text="Open offers of entries of registers that the user made or received."
    )
    memberships = MembershipSerializer(many=True, help_text="The parts that the user has in organisations.")
    membership_invitations = MembershipInvitationSerializer(
        many=True, help_text="Invitations to organisations that the user has not answered."
    )


class RateLimitSerializer(serializers.Serializer[Any]):
    """The number of requests that a client may make in a window of seconds."""

    name = serializers.CharField(help_text="The name of the limit, as in RateLimit-Policy.")
    quota = serializers.IntegerField(help_text="The number of requests in a window.")
    window = serializers.IntegerField(help_text="The length of the window in seconds.")


class TokenSerializer(serializers.ModelSerializer[Token]):
    """A token, without its secret."""

    owner = serializers.CharField(help_text="The display name of the owner.")
    roles = serializers.SerializerMethodField(help_text="The roles of the owner.")
    scopes = serializers.ListField(
        child=serializers.ChoiceField(choices=Scope.choices), help_text="What the token may be used for."
    )
    limits = serializers.SerializerMethodField(help_text="The limits that apply to requests with this token.")

    class Meta:
        model = Token
        fields = ("name", "owner", "roles", "scopes", "created_at", "expires_at", "limits")
        read_only_fields = fields
        extra_kwargs = {
            "name": {"help_text": "The name that the owner gave the token."},
            "created_at": {"help_text": "The time of the creation."},
            "expires_at": {"help_text": "The time at which the token stops working."},
        }

    @extend_schema_field(serializers.ListField(child=serializers.ChoiceField(choices=RoleName.values)))
    def get_roles(self, token: Token) -> list[str]:
        return sorted(token.owner.roles)

    @extend_schema_field(RateLimitSerializer(many=True))
    def get_limits(self, token: Token) -> Any:
        return RateLimitSerializer(policies(token), many=True).data


class OwnTokenLinksSerializer(serializers.Serializer[Token]):
    """Addresses related to a token."""

    self = LinkField("own-token", number="pk")
    rotate = LinkField("rotate-token", number="pk", help_text="The address that replaces the secret.")


class OwnTokenSerializer(serializers.ModelSerializer[Token]):
    """A token of the user, without its secret."""

    number = serializers.IntegerField(source="pk", help_text="The number of the token.")
    scopes = serializers.ListField(
        child=serializers.ChoiceField(choices=Scope.choices), help_text="What the token may be used for."
    )
    last_used_at = serializers.DateTimeField(
        allow_null=True, help_text="The time of its last use, to the minute; null before the first."
    )
    links = OwnTokenLinksSerializer(source="*", help_text="Related addresses.")

    class Meta:
        model = Token
        fields: tuple[str, ...] = (
            "number",
            "name",
            "scopes",
            "requests_an_hour",
            "created_at",
            "expires_at",
            "last_used_at",
            "links",
        )
        read_only_fields = fields
        extra_kwargs = {
            "name": {"help_text": "The name that the owner gave the token."},
            "requests_an_hour": {"help_text": "The quota of the token; null if it has none."},
            "created_at": {"help_text": "The time of the creation."},
            "expires_at": {"help_text": "The time at which the token stops working."},
        }


class NewSecretField(serializers.CharField):
    """A new secret, which is stored nowhere: the `secret` of the serializer's context."""

    def __init__(self, help_text: str) -> None:
        super().__init__(source="*", read_only=True, help_text=help_text)

    def to_representation(self, value: object) -> str:
        secret: str = self.context["made"].secret
        return secret


class TokenWithSecretSerializer(OwnTokenSerializer):
    """A token with its new secret, which is shown once."""

    secret = NewSecretField("What programs send in the header Authorization.")

    class Meta(OwnTokenSerializer.Meta):
        fields = (*OwnTokenSerializer.Meta.fields, "secret")
        read_only_fields = fields


OwnTokenPageSerializer = page_of(OwnTokenSerializer, "A page of tokens.")
OwnTokenQuerySerializer = page_query(OwnTokenSerializer, always="number")


class TokenRequestSerializer(StrictSerializer):
    """A new token."""

    name = StrictCharField(help_text="What it is used for. No other token of the user may have the name.")
    scopes = serializers.ListField(
        child=body_choice(Scope.choices), help_text="What the token may be used for. At least one."
    )
    days = StrictIntegerField(
        required=False, help_text=f"The days until it expires: 1 to {MOST_DAYS}, by default {DEFAULT_DAYS}."
    )
    requests_an_hour = StrictIntegerField(
        required=False,
        allow_null=True,
        help_text="A quota of the token: at least 1, and at most the requests an hour that the limits for all clients allow "
        "for reading and writing together. Null or none: no quota.",
    )


MAX_CASES = 200


class AccountView(TokenAPIView):
    """The account of the user: drafts, cases, namespaces, organisations, offers, and the cases that wait for them in each role."""

    @token_operation(
        "getAccount",
        "The account of the user",
        scope=Scope.READ,
        response=AccountSerializer,
        about=(
            "Drafts, cases, namespaces, organisations, invitations and offers of the user, and the cases that wait for "
            "them in each role."
        ),
        links={
            "draft": ("getDraft", {"number": "$response.body#/drafts/0/number"}),
            "case": ("getCaseActions", {"number": "$response.body#/cases/0/number"}),
            "namespace": ("getNamespace", {"nid": "$response.body#/namespaces/0/nid"}),
            "organisation": (
                "listMembers",
                {"organisation": "$response.body#/memberships/0/organisation/number"},
            ),
            "revise": ("reviseNamespace", {"nid": "$response.body#/namespaces/0/nid"}),
        },
    )
    def get(self, request: Request) -> Response:
        user = self.user
        cases = Case.objects.select_related("namespace", "body")
        edited = cases.edited_by(user)
        waiting = {"registrant": cases.waiting_for_registrant(user)} | {
            role: cases_waiting_for(RoleName(role), user)
            .select_related("namespace", "body")
            .order_by("state_since")
            for role in sorted(WAITING_FOR.keys() & user.roles)
        }
        account = {
            "waiting": {role: found[:MAX_CASES] for role, found in waiting.items()},
            "drafts": edited.drafts()[:MAX_CASES],
            "cases": edited.public().open_first()[:MAX_CASES],
            "namespaces": Namespace.objects.run_by(user).with_latest(),
            "invitations": cases.open()
            .inviting(user)
            .select_related("organisation", "registrant")[:MAX_CASES],
            "transfers": Transfer.objects.waiting().concerning(user),
            "entry_offers": EntryOffer.objects.waiting()
            .visible_to(user)
            .with_places()
            .order_by("pk")[:MAX_CASES],
            "memberships": memberships_of(user).select_related("user"),
            "membership_invitations": invitations_to(user),
        }
        return Response(AccountSerializer(account, context={"user": user}).data)


class TokenView(TokenAPIView):
    """The token of the request: its owner, scopes and expiry."""

    @token_operation(
        "getCurrentToken",
        "The token of the request",
        scope=None,
        response=TokenSerializer,
        about="The owner, scopes and expiry of the token, and its rate limits.",
    )
    def get(self, request: Request) -> Response:
        return Response(TokenSerializer(cast("Token", request.auth)).data)


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
