"""The account and the token of the user in responses."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from registry.accounts.models import RoleName, Scope, Token
from registry.api.framework.throttling import policies
from registry.api.framework.urls import LinkField
from registry.api.namespaces.transfers import TransferSerializer
from registry.cases.models import Case, State
from registry.cases.workflow.action_table import ACCEPT_INVITATION, REFUSE_INVITATION
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
    registrant = serializers.CharField()
    accept = LinkField(ACCEPT_INVITATION.slug, number="pk")
    refuse = LinkField(REFUSE_INVITATION.slug, number="pk")


class OwnNamespaceSerializer(serializers.Serializer[Namespace]):
    """A namespace of the user."""

    nid = serializers.CharField()
    version = serializers.IntegerField()
    url = LinkField("namespace", nid="nid")


class AccountSerializer(serializers.Serializer[Any]):
    """The cases, namespaces, invitations and offers of the user. `waiting` has the cases that wait for them, by role."""

    waiting = serializers.DictField(child=serializers.ListField(child=CaseSummarySerializer()))
    drafts = CaseSummarySerializer(many=True)
    cases = CaseSummarySerializer(many=True)
    namespaces = OwnNamespaceSerializer(many=True)
    invitations = InvitationSerializer(many=True)
    transfers = TransferSerializer(many=True)


class RateLimitSerializer(serializers.Serializer[Any]):
    """The number of requests that a client may make in a window of seconds."""

    name = serializers.CharField()
    quota = serializers.IntegerField()
    window = serializers.IntegerField()


class TokenSerializer(serializers.ModelSerializer[Token]):
    """A token, without its secret."""

    owner = serializers.CharField()
    roles = serializers.SerializerMethodField()
    scopes = serializers.ListField(child=serializers.ChoiceField(choices=Scope.values))
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
        return RateLimitSerializer(policies(), many=True).data
