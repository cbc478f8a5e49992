"""The account and the tokens of the user in requests and responses."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from registry.accounts.models import RoleName, Scope, Token
from registry.accounts.services.tokens import DEFAULT_DAYS, MOST_DAYS
from registry.api.framework.fields import StrictCharField, StrictIntegerField, StrictSerializer, body_choice
from registry.api.framework.pagination import PageSerializer, page_query
from registry.api.framework.throttling import policies
from registry.api.framework.urls import LinkField
from registry.api.namespaces.transfers import TransferSerializer
from registry.api.organisations.serializers import MembershipInvitationSerializer, MembershipSerializer
from registry.cases.models import Case, State
from registry.cases.workflow.action_table import ACCEPT_INVITATION, DECLINE_INVITATION
from registry.namespaces.models import Namespace


class CaseSummarySerializer(serializers.Serializer[Case]):
    """The most important members of a case."""

    number = serializers.IntegerField(source="pk")
    subject = serializers.CharField()
    state = serializers.ChoiceField(choices=State.choices)
    state_since = serializers.DateTimeField()
    actions = LinkField("actions", number="pk")


class InvitationSerializer(serializers.Serializer[Case]):
    """The invitation of the user to be a co-editor of a case, and the addresses that answer it."""

    case = serializers.IntegerField(source="pk")
    subject = serializers.CharField()
    registrant = serializers.CharField(source="change_controller")
    accept = LinkField(ACCEPT_INVITATION.slug, number="pk")
    decline = LinkField(DECLINE_INVITATION.slug, number="pk")


class OwnNamespaceSerializer(serializers.Serializer[Namespace]):
    """A namespace of the user."""

    nid = serializers.CharField()
    version = serializers.IntegerField()
    url = LinkField("namespace", nid="nid")


class AccountSerializer(serializers.Serializer[Any]):
    """The cases, namespaces, organisations, invitations and offers of the user. `waiting` has the cases that wait for them, by role."""

    waiting = serializers.DictField(child=serializers.ListField(child=CaseSummarySerializer()))
    drafts = CaseSummarySerializer(many=True)
    cases = CaseSummarySerializer(many=True)
    namespaces = OwnNamespaceSerializer(many=True)
    invitations = InvitationSerializer(many=True)
    transfers = TransferSerializer(many=True)
    memberships = MembershipSerializer(many=True)
    membership_invitations = MembershipInvitationSerializer(many=True)


class RateLimitSerializer(serializers.Serializer[Any]):
    """The number of requests that a client may make in a window of seconds."""

    name = serializers.CharField()
    quota = serializers.IntegerField()
    window = serializers.IntegerField()


class TokenSerializer(serializers.ModelSerializer[Token]):
    """A token, without its secret."""

    owner = serializers.CharField()
    roles = serializers.SerializerMethodField()
    scopes = serializers.ListField(child=serializers.ChoiceField(choices=Scope.choices))
    limits = serializers.SerializerMethodField()

    class Meta:
        model = Token
        fields = ("name", "owner", "roles", "scopes", "created_at", "expires_at", "limits")
        read_only_fields = fields

    @extend_schema_field(serializers.ListField(child=serializers.ChoiceField(choices=RoleName.values)))
    def get_roles(self, token: Token) -> list[str]:
        return sorted(token.owner.roles)

    @extend_schema_field(RateLimitSerializer(many=True))
    def get_limits(self, token: Token) -> Any:
        return RateLimitSerializer(policies(token), many=True).data


class OwnTokenLinksSerializer(serializers.Serializer[Token]):
    """Addresses related to a token."""

    self = LinkField("own-token", number="pk")
    rotate = LinkField("rotate-token", number="pk")


class OwnTokenSerializer(serializers.ModelSerializer[Token]):
    """A token of the user, without its secret."""

    number = serializers.IntegerField(source="pk", help_text="The number of the token.")
    scopes = serializers.ListField(child=serializers.ChoiceField(choices=Scope.choices))
    last_used_at = serializers.DateTimeField(
        allow_null=True, help_text="The time of its last use, to the minute; null before the first."
    )
    links = OwnTokenLinksSerializer(source="*")

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


class NewSecretField(serializers.CharField):
    """A new secret, which is stored nowhere: the `secret` of the serializer's context."""

    def __init__(self, help_text: str) -> None:
        super().__init__(source="*", read_only=True, help_text=help_text)

    def to_representation(self, value: object) -> str:
        secret: str = self.context["secret"]
        return secret


class TokenWithSecretSerializer(OwnTokenSerializer):
    """A token with its new secret, which is shown once."""

    secret = NewSecretField("What programs send in the header Authorization.")

    class Meta(OwnTokenSerializer.Meta):
        fields = (*OwnTokenSerializer.Meta.fields, "secret")
        read_only_fields = fields


class OwnTokenPageSerializer(PageSerializer):
    """A page of tokens."""

    results = OwnTokenSerializer(many=True)


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
