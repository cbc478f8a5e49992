"""`claims/` and `namespaces/{nid}/claims/`: make, see and decide on claims of namespaces."""

from http import HTTPStatus
from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Scope, User
from registry.actions.declarations import offered
from registry.api.framework.actions import action_views
from registry.api.framework.fields import (
    NullableCharField,
    QueryBooleanField,
    StrictBooleanField,
    StrictCharField,
    body_choice,
    nid_field,
    parse_number,
)
from registry.api.framework.methods import token_operation, write_operation
from registry.api.framework.pagination import (
    FieldsField,
    PageQuerySerializer,
    PaginatedAPIView,
    page_of,
)
from registry.api.framework.problems import NOT_FOUND
from registry.api.framework.urls import LinkField, PageLinkField, api_url
from registry.api.framework.views import TokenAPIView
from registry.api.namespaces.serializers import OrganisationLinkSerializer
from registry.api.namespaces.views import OF_NAMESPACE, NamespaceUnknown, registered_or_404
from registry.api.organisations.fields import OrganisationChoiceSerializer, with_organisation
from registry.api.schema.operations import NID, POSITIVE_INTEGER, path_parameter
from registry.api.schema.token_operations import TEXT_PROBLEMS
from registry.core.validators import BodySize
from registry.custody.actions.claims import (
    CLAIM_NAMESPACE,
    DECISIONS,
    RECOVER_ORGANISATION,
    claim_namespace,
    recover_organisation,
)
from registry.custody.exceptions import ClaimPending, InvalidEvidence
from registry.custody.models import ClaimStatus, Ground, NamespaceClaim
from registry.custody.permissions import may_see_evidence
from registry.custody.queries import get_claim, visible_claims


class ClaimLinksSerializer(serializers.Serializer[NamespaceClaim]):
    """Addresses related to a claim."""

    self = LinkField("claim", number="pk")
    namespace = LinkField("namespace", nid="namespace.nid", help_text="The address of the namespace.")
    html = PageLinkField()


class ClaimEvidenceSerializer(serializers.Serializer[NamespaceClaim]):
    """What is to prove a claim."""

    ground = serializers.ChoiceField(choices=Ground.choices, help_text="The kind of the evidence.")
    statement = serializers.CharField(help_text="Who the claimant is, and what an administrator can check.")
    links = serializers.ListField(
        child=serializers.URLField(), help_text="Web addresses of pages that support the claim."
    )


class ClaimSerializer(serializers.ModelSerializer[NamespaceClaim]):
    """A claim of a namespace, as the owner of the token sees it."""

    number = serializers.IntegerField(source="pk", help_text="The number of the claim.")
    nid = nid_field(source="namespace.nid")
    claimant = serializers.CharField(help_text="The display name of the claimant.")
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
    status = serializers.ChoiceField(
        choices=ClaimStatus.choices,
        help_text="Whether the claim is under consideration, announced, or how it ended.",
    )
    reason = NullableCharField(
        help_text="The reason of the decision, with the evidence; null without a decision."
    )
    actions = serializers.SerializerMethodField(
        help_text="The addresses of the actions that the user may take; empty after the decision."
    )
    links = ClaimLinksSerializer(source="*", help_text="Related addresses.")

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
        extra_kwargs = {
            "claimed_at": {"help_text": "The time of the claim."},
            "announced_at": {"help_text": "The time of the announcement; null without one."},
            "objections_until": {
                "help_text": "The registrant can object until then; null without an announcement."
            },
            "ended_at": {"help_text": "The time of the decision; null before."},
        }

    def to_representation(self, instance: NamespaceClaim) -> dict[str, Any]:
        shown = super().to_representation(instance)
        if not may_see_evidence(self.context["user"], instance):
            shown |= {"evidence": None, "reason": None}
        return shown

    @extend_schema_field(serializers.DictField(child=serializers.URLField()))
    def get_actions(self, claim: NamespaceClaim) -> dict[str, str]:
        user = self.context["user"]
        return {name: api_url(f"{name}-claim", number=claim.pk) for name in offered(DECISIONS, user, claim)}


class ClaimQuerySerializer(PageQuerySerializer):
    """The page, and a filter."""

    is_undecided = QueryBooleanField(
        required=False, help_text="Only claims that are not decided (`true`), or that have ended (`false`)."
    )
    fields = FieldsField(ClaimSerializer, always="number")  # type: ignore[assignment]  # a parameter


class ClaimRequestSerializer(OrganisationChoiceSerializer):
    """The evidence of a new claim, and for whom it is made."""

    ground = body_choice(Ground.choices, help_text="The kind of the evidence.")
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


CLAIM_NUMBER = path_parameter("number", "ClaimNumber", "The number of a claim.", 1, **POSITIVE_INTEGER)
OF_CLAIM = {"number": "$response.body#/number"}
LINKS = {"claim": ("getClaim", OF_CLAIM), "namespace": ("getNamespace", OF_NAMESPACE)}


class ClaimListView(PaginatedAPIView, TokenAPIView):
    """The claims that the user may see."""

    query = ClaimQuerySerializer

    @token_operation(
        "listClaims",
        "The claims of the user",
        scope=Scope.READ,
        response=page_of(ClaimSerializer, "A page of claims."),
        about="The claims by the user, and those to which they can object. Administrators get those of others, too.",
        links={"claim": ("getClaim", {"number": "$response.body#/results/0/number"})},
    )
    def get(self, request: Request) -> HttpResponseBase:
        claims = visible_claims(self.user)
        if "is_undecided" in self.parameters:
            claims = claims.filter(ended_at__isnull=self.parameters["is_undecided"])
        return self.paginated(request, claims, ClaimSerializer, context={"user": self.user})


class ClaimDetailView(TokenAPIView):
    """One claim."""

    @token_operation(
        "getClaim",
        "A claim of a namespace",
        scope=Scope.READ,
        response=ClaimSerializer,
        about="The claim with the actions that are open to the owner of the token now.",
        refusals=(NOT_FOUND,),
        parameters=(CLAIM_NUMBER,),
        links=LINKS,
    )
    def get(self, request: Request, number: str) -> Response:
        return Response(rendered(_found(self.user, number), self.user))


class ClaimNamespaceView(TokenAPIView):
    """`namespaces/{nid}/claims/`: claim a namespace."""

    max_body = BodySize.TEXTS

    @write_operation(
        "claimNamespace",
        "Claim a namespace",
        action=(CLAIM_NAMESPACE, RECOVER_ORGANISATION),
        request=ClaimRequestSerializer,
        response=ClaimSerializer,
        status=HTTPStatus.CREATED,
        about=(
            "Asks to become the registrant of a namespace, or for an organisation to become it. An administrator checks "
            "the evidence. If the namespace has a registrant, the claim is announced first, and ends if the registrant "
            "objects. With `is_recovery`, asks to represent the organisation that has the namespace."
        ),
        refusals=(NamespaceUnknown, ClaimPending, InvalidEvidence, *TEXT_PROBLEMS),
        parameters=(NID,),
        links=LINKS,
    )
    def post(self, request: Request, nid: str) -> Response:
        namespace = registered_or_404(nid)
        CLAIM_NAMESPACE.check_permission(self.user, namespace)
        values = with_organisation(self.validated_data(ClaimRequestSerializer), self.user)
        organisation = values.pop("organisation")
        if values.pop("is_recovery"):
            claim = recover_organisation(namespace, by=self.user, **values)
        else:
            claim = claim_namespace(namespace, by=self.user, organisation=organisation, **values)
        headers = {"Location": api_url("claim", number=claim.pk)}
        return Response(rendered(claim, self.user), HTTPStatus.CREATED, headers=headers)


def _found(user: User, number: str) -> NamespaceClaim:
    return get_claim(user, parse_number(number))


def rendered(claim: NamespaceClaim, user: User) -> Any:
    return ClaimSerializer(claim, context={"user": user}).data


DECISION_VIEWS = action_views(
    DECISIONS,
    _found,
    rendered,
    response=ClaimSerializer,
    summary="{} of a namespace",
    parameters=(CLAIM_NUMBER,),
    links=LINKS,
)
