"""Organisations, their members and invitations in requests and responses."""

from functools import cached_property
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from registry.api.framework.fields import NullableCharField
from registry.api.framework.pagination import page_of, page_query
from registry.api.framework.urls import LinkField, PageLinkField, api_url
from registry.api.namespaces.serializers import OrganisationLinkSerializer
from registry.audit_log.models import Event
from registry.domains.models import Method, OrganisationDomain
from registry.organisations.history import event_label, event_types
from registry.organisations.models import (
    MemberRole,
    Membership,
    MembershipInvitation,
    Organisation,
    organisations_of,
)


class VerifiedDomainSerializer(serializers.ModelSerializer[OrganisationDomain]):
    """A domain that an organisation proves to control."""

    method = serializers.ChoiceField(choices=Method.choices)

    class Meta:
        model = OrganisationDomain
        fields = ("domain", "verified_at", "method")
        read_only_fields = fields


class OrganisationLinksSerializer(serializers.Serializer[Organisation]):
    """Addresses related to an organisation."""

    self = LinkField("organisation", organisation="pk")
    html = PageLinkField()
    namespaces = serializers.SerializerMethodField(
        help_text="The address of the namespaces that belong to it."
    )
    cases = serializers.SerializerMethodField(help_text="The address of the public cases that belong to it.")

    @extend_schema_field(serializers.URLField())
    def get_namespaces(self, organisation: Organisation) -> str:
        return f"{api_url('namespaces')}?organisation={organisation.pk}"

    @extend_schema_field(serializers.URLField())
    def get_cases(self, organisation: Organisation) -> str:
        return f"{api_url('cases')}?organisation={organisation.pk}"


class OrganisationSerializer(serializers.ModelSerializer[Organisation]):
    """An organisation. Its name proves nothing; its verified domains do."""

    number = serializers.IntegerField(source="pk")
    homepage = NullableCharField()
    domains = serializers.SerializerMethodField()
    links = OrganisationLinksSerializer(source="*")

    class Meta:
        model = Organisation
        fields = ("number", "name", "homepage", "domains", "links")
        read_only_fields = fields

    @extend_schema_field(VerifiedDomainSerializer(many=True))
    def get_domains(self, organisation: Organisation) -> Any:
        verified = [each for each in organisation.domains.all() if each.is_verified]
        return VerifiedDomainSerializer(verified, many=True).data


OrganisationPageSerializer = page_of(OrganisationSerializer, "A page of organisations.")
OrganisationQuerySerializer = page_query(OrganisationSerializer, always="number")


class OfUserSerializer(serializers.BaseSerializer[Any]):
    """What the user of the context represents."""

    @cached_property
    def represented(self) -> set[int]:
        """The keys of the organisations that the user represents."""
        return set(organisations_of(self.context["user"], [MemberRole.REPRESENTATIVE]))


class MembershipLinksSerializer(serializers.Serializer[Membership], OfUserSerializer):
    """Addresses related to a member. Those that the user can't read are null: of the domains, and of other members, if the
    user is not a representative.
    """

    self = LinkField("member", organisation="organisation_id", number="pk", allow_null=True)
    members = LinkField("members", organisation="organisation_id")
    domains = LinkField("domains", organisation="organisation_id", allow_null=True)

    def to_representation(self, instance: Membership) -> dict[str, Any]:
        links: dict[str, Any] = super().to_representation(instance)
        if instance.organisation_id in self.represented:
            return links
        is_own = instance.user_id == self.context["user"].pk
        return links | {"self": links["self"] if is_own else None, "domains": None}


class MembershipSerializer(serializers.ModelSerializer[Membership]):
    """A member of an organisation, as members see them."""

    number = serializers.IntegerField(source="pk")
    name = serializers.CharField(source="user")
    organisation = OrganisationLinkSerializer()
    links = MembershipLinksSerializer(source="*")

    class Meta:
        model = Membership
        fields = ("number", "name", "organisation", "part", "began_at", "links")
        read_only_fields = fields


MembershipPageSerializer = page_of(
    MembershipSerializer, "A page of members, in the order in which they joined."
)
MembershipQuerySerializer = page_query(MembershipSerializer, always="number")


class MembershipInvitationSerializer(serializers.ModelSerializer[MembershipInvitation], OfUserSerializer):
    """An invitation to become a member of an organisation, until it is accepted, declined or withdrawn."""

    number = serializers.IntegerField(source="pk")
    organisation = OrganisationLinkSerializer()
    invited_by = serializers.CharField()
    actions = serializers.SerializerMethodField()

    class Meta:
        model = MembershipInvitation
        fields = (
            "number",
            "organisation",
            "email",
            "part",
            "invited_by",
            "invited_at",
            "expires_at",
            "is_open",
            "actions",
        )
        read_only_fields = fields

    @extend_schema_field(serializers.DictField(child=serializers.URLField()))
    def get_actions(self, invitation: MembershipInvitation) -> dict[str, str]:
        arguments = {"organisation": invitation.organisation_id, "number": invitation.pk}
        may_answer = invitation.is_open and invitation.pk in self.addressed
        names = ["accept", "decline"] if may_answer else []
        names += ["withdraw"] if invitation.organisation_id in self.represented else []
        return {name: api_url(f"{name}-membership", **arguments) for name in names}

    @cached_property
    def addressed(self) -> set[int]:
        """The keys of the invitations that the user may answer."""
        return set(MembershipInvitation.objects.to(self.context["user"]).values_list("pk", flat=True))


MembershipInvitationPageSerializer = page_of(MembershipInvitationSerializer, "A page of invitations.")
MembershipInvitationQuerySerializer = page_query(MembershipInvitationSerializer, always="number")


VERB_CHOICES = tuple((verb, verb) for verb in event_types())


class OrganisationEventSerializer(serializers.ModelSerializer[Event]):
    """An event in the history of an organisation, which only its members can read."""

    verb = serializers.ChoiceField(choices=VERB_CHOICES)
    actor = serializers.CharField(allow_null=True, help_text="Null if the registry itself acted.")
    summary = serializers.SerializerMethodField()

    class Meta:
        model = Event
        fields = ("number", "at", "verb", "actor", "summary")
        read_only_fields = fields

    @extend_schema_field(serializers.CharField())
    def get_summary(self, event: Event) -> str:
        return event_label(event, self.context["names"])


OrganisationEventPageSerializer = page_of(
    OrganisationEventSerializer, "A page of the history of an organisation, the latest event first."
)
OrganisationEventQuerySerializer = page_query(OrganisationEventSerializer, always="number")
