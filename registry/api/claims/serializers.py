"""Claims of namespaces in requests and responses."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from registry.api.framework.fields import (
    NullableCharField,
    QueryBooleanField,
    StrictBooleanField,
    StrictCharField,
    body_choice,
)
from registry.api.framework.pagination import FieldsField, PageQuerySerializer, PageSerializer
from registry.api.framework.urls import LinkField, PageLinkField, api_url
from registry.api.namespaces.serializers import OrganisationLinkSerializer
from registry.api.organisations.fields import OrganisationChoiceSerializer
from registry.custody.models import ClaimStatus, Ground, NamespaceClaim
from registry.custody.permissions import may_see_evidence
from registry.custody.services.claims import DECISIONS


class ClaimLinksSerializer(serializers.Serializer[NamespaceClaim]):
    """Addresses related to a claim."""

    self = LinkField("claim", number="pk")
    namespace = LinkField("namespace", nid="namespace.nid")
    html = PageLinkField()


class ClaimEvidenceSerializer(serializers.Serializer[NamespaceClaim]):
    """What is to prove a claim."""

    ground = serializers.ChoiceField(choices=Ground.choices)
    statement = serializers.CharField()
    links = serializers.ListField(child=serializers.URLField())


class ClaimSerializer(serializers.ModelSerializer[NamespaceClaim]):
    """A claim of a namespace, as the owner of the token sees it."""

    number = serializers.IntegerField(source="pk")
    nid = serializers.CharField(source="namespace.nid")
    claimant = serializers.CharField()
    organisation = OrganisationLinkSerializer(
        allow_null=True,
        help_text="The organisation that is to get the namespace; null if it is the claimant. In a recovery, the one that has it.",
    )
    is_recovery = serializers.BooleanField(
        help_text="Whether the claimant asks to represent the organisation that has the namespace."
    )
    evidence = ClaimEvidenceSerializer(
        source="*",
        allow_null=True,
        help_text="Only the claimant and the administrators get it; null for others.",
    )
    status = serializers.ChoiceField(choices=ClaimStatus.choices)
    reason = NullableCharField(
        help_text="The reason of the decision, with the evidence; null without a decision."
    )
    actions = serializers.SerializerMethodField()
    links = ClaimLinksSerializer(source="*")

    class Meta:
        model = NamespaceClaim
        fields = (
            "number",
            "nid",
            "claimant",
            "organisation",
            "is_recovery",
            "evidence",
            "status",
            "claimed_at",
            "announced_at",
            "objections_until",
            "ended_at",
            "reason",
            "actions",
            "links",
        )
        read_only_fields = fields

    def to_representation(self, instance: NamespaceClaim) -> dict[str, Any]:
        shown = super().to_representation(instance)
        if not may_see_evidence(self.context["user"], instance):
            shown |= {"evidence": None, "reason": None}
        return shown

    @extend_schema_field(serializers.DictField(child=serializers.URLField()))
    def get_actions(self, claim: NamespaceClaim) -> dict[str, str]:
        user = self.context["user"]
        offered = [name for name, action in DECISIONS.items() if action.is_allowed_for(user, claim)]
        return {name: api_url(f"{name}-claim", number=claim.pk) for name in offered}


class ClaimPageSerializer(PageSerializer):
    """A page of claims."""

    results = ClaimSerializer(many=True)


class ClaimQuerySerializer(PageQuerySerializer):
    """The page, and a filter."""

    is_undecided = QueryBooleanField(
        required=False, help_text="Only claims that are not decided (`true`), or that have ended (`false`)."
    )
    fields = FieldsField(ClaimSerializer, always="number")  # type: ignore[assignment]  # a parameter


class ClaimRequestSerializer(OrganisationChoiceSerializer):
    """The evidence of a new claim, and for whom it is made."""

    ground = body_choice(Ground.choices)
    statement = StrictCharField(
        help_text="Who you are, and what an administrator can check. Only administrators can read it."
    )
    links = serializers.ListField(
        child=StrictCharField(), required=False, help_text="Web addresses that prove it."
    )
    is_recovery = StrictBooleanField(
        default=False,
        help_text="Whether to ask to represent the organisation that has the namespace, whose representatives can't be reached.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["is_recovery"] and attrs["organisation"] is not None:
            raise serializers.ValidationError(
                {
                    "organisation": "Leave it out: with `is_recovery`, the claim is for the organisation of the namespace."
                }
            )
        return attrs
