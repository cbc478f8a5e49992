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

    method = serializers.ChoiceField(choices=Method.choices, help_text="How it is proved.")

    class Meta:
        model = OrganisationDomain
        fields = ("domain", "verified_at", "method")
        read_only_fields = fields
        extra_kwargs = {
            "domain": {"help_text": "The name of the domain."},
            "verified_at": {"help_text": "The time since which it is verified."},
        }


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

    number = serializers.IntegerField(source="pk", help_text="The number of the organisation.")
    homepage = NullableCharField(help_text="The homepage; null if none is recorded.")
    domains = serializers.SerializerMethodField(
        help_text="The domains that the organisation proves to control."
    )
    links = OrganisationLinksSerializer(source="*", help_text="Related addresses.")

    class Meta:
        model = Organisation
        fields = ("number", "name", "homepage", "domains", "links")
        read_only_fields = fields
        extra_kwargs = {
            "name": {"help_text": "The name of the organisation. It proves nothing."},
        }

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

    self = LinkField(
        "member",
        organisation="organisation_id",
        number="pk",
        allow_null=True,
        help_text="The address of the member; null if the user can't read it.",
    )
    members = LinkField(
        "members", organisation="organisation_id", help_text="The address of the members of the organisation."
    )
    domains = LinkField(
        "domains",
        organisation="organisation_id",
        allow_null=True,
        help_text="The address of the domains of the organisation; null unless the user is a representative.",
    )

    def to_representation(self, instance: Membership) -> dict[str, Any]:
        links: dict[str, Any] = super().to_representation(instance)
        if instance.organisation_id in self.represented:
            return links
        is_own = instance.user_id == self.context["user"].pk
        return links | {"self": links["self"] if is_own else None, "domains": None}


class MembershipSerializer(serializers.ModelSerializer[Membership]):
    """A member of an organisation, as members see them."""

    number = serializers.IntegerField(source="pk", help_text="The number of the member.")
    name = serializers.CharField(source="user", help_text="The display name of the member.")
    organisation = OrganisationLinkSerializer(help_text="The organisation.")
    links = MembershipLinksSerializer(source="*", help_text="Related addresses.")

    class Meta:
        model = Membership
        fields = ("number", "name", "organisation", "part", "began_at", "links")
        read_only_fields = fields
        extra_kwargs = {
            "part": {"help_text": "What the member may do for the organisation."},
            "began_at": {"help_text": "The time at which the person became a member."},
        }


MembershipPageSerializer = page_of(
    MembershipSerializer, "A page of members, in the order in which they joined."
)
MembershipQuerySerializer = page_query(MembershipSerializer, always="number")


class MembershipInvitationSerializer(serializers.ModelSerializer[MembershipInvitation], OfUserSerializer):
    """An invitation to become a member of an organisation, until it is accepted, declined or withdrawn."""

    number = serializers.IntegerField(source="pk", help_text="The number of the invitation.")
    organisation = OrganisationLinkSerializer(help_text="The organisation.")
    invited_by = serializers.CharField(
        help_text="The display name of the representative who made the invitation."
    )
    actions = serializers.SerializerMethodField(
        help_text="The addresses of the actions that the user may take now, by name."
    )

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
        extra_kwargs = {
            "email": {"help_text": "The address that is invited."},
            "part": {"help_text": "What the member may do for the organisation."},
            "invited_at": {"help_text": "The time of the invitation."},
            "expires_at": {"help_text": "The time until which the invitation can be accepted."},
            "is_open": {"help_text": "Whether the invitation can still be accepted."},
        }

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

    verb = serializers.ChoiceField(choices=VERB_CHOICES, help_text="What happened, such as `submit`.")
    actor = serializers.CharField(allow_null=True, help_text="Null if the registry itself acted.")
    summary = serializers.SerializerMethodField(help_text="The event in words.")

    class Meta:
        model = Event
        fields = ("number", "at", "verb", "actor", "summary")
        read_only_fields = fields
        extra_kwargs = {
            "number": {"help_text": "The number of the event in the audit log."},
            "at": {"help_text": "The time of the event."},
        }

    @extend_schema_field(serializers.CharField())
    def get_summary(self, event: Event) -> str:
        return event_label(event, self.context["names"])


OrganisationEventPageSerializer = page_of(
    OrganisationEventSerializer, "A page of the history of an organisation, the latest event first."
)
OrganisationEventQuerySerializer = page_query(OrganisationEventSerializer, always="number")
