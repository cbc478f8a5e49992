"""`claims/` and `namespaces/{nid}/claims/`: make, see and decide on claims of namespaces."""

from http import HTTPStatus
from typing import Any, ClassVar

from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Scope
from registry.api.claims.serializers import (
    ClaimDecisionRequestSerializer,
    ClaimPageSerializer,
    ClaimQuerySerializer,
    ClaimRequestSerializer,
    ClaimSerializer,
)
from registry.api.framework.fields import EmptyRequestSerializer, StrictSerializer, parse_number
from registry.api.framework.pagination import PaginatedAPIView
from registry.api.framework.problems import NOT_FOUND
from registry.api.framework.urls import api_url
from registry.api.framework.views import TokenAPIView
from registry.api.namespaces.views import OF_NAMESPACE, NamespaceUnknown, registered_or_404
from registry.api.organisations.fields import with_organisation
from registry.api.schema.operations import NID, POSITIVE_INTEGER, path_parameter
from registry.api.schema.token_operations import TEXT_PROBLEMS, token_operation, write_operation
from registry.core.text_limits import BodySize
from registry.custody.decisions import DECISIONS, ClaimDecision
from registry.custody.exceptions import ClaimPending, InvalidEvidence
from registry.custody.models import NamespaceClaim
from registry.custody.queries import get_visible_claim, visible_claims
from registry.custody.services.claims import check_may_claim, claim_namespace, recover_organisation

CLAIM_NUMBER = path_parameter("number", "ClaimNumber", "The number of a claim.", 1, **POSITIVE_INTEGER)
OF_CLAIM = {"number": "$response.body#/number"}
LINKS = {"claim": ("getClaim", OF_CLAIM), "namespace": ("getNamespace", OF_NAMESPACE)}


class ClaimAPIView(TokenAPIView):
    """A resource that responds with a claim."""

    def rendered(self, claim: NamespaceClaim) -> Any:
        return ClaimSerializer(claim, context={"user": self.user}).data


class ClaimListView(PaginatedAPIView, TokenAPIView):
    """The claims that the user may see."""

    query = ClaimQuerySerializer

    @token_operation(
        "listClaims",
        "The claims of the user",
        scope=Scope.READ,
        response=ClaimPageSerializer,
        about="The claims by the user, and those to which they can object. Administrators get those of others, too.",
        links={"claim": ("getClaim", {"number": "$response.body#/results/0/number"})},
    )
    def get(self, request: Request) -> HttpResponseBase:
        claims = visible_claims(self.user)
        if "is_undecided" in self.parameters:
            claims = claims.filter(ended_at__isnull=self.parameters["is_undecided"])
        return self.paginated(request, claims, ClaimSerializer, context={"user": self.user})


class ClaimDetailView(ClaimAPIView):
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
        return Response(self.rendered(get_visible_claim(self.user, parse_number(number))))


class ClaimNamespaceView(ClaimAPIView):
    """`namespaces/{nid}/claims/`: claim a namespace."""

    max_body = BodySize.TEXTS

    @write_operation(
        "claimNamespace",
        "Claim a namespace",
        action=(claim_namespace, recover_organisation),
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
        check_may_claim(namespace, by=self.user)
        values = with_organisation(self.validated_data(ClaimRequestSerializer), self.user)
        organisation = values.pop("organisation")
        if values.pop("is_recovery"):
            claim = recover_organisation(namespace, by=self.user, **values)
        else:
            claim = claim_namespace(namespace, by=self.user, organisation=organisation, **values)
        headers = {"Location": api_url("claim", number=claim.pk)}
        return Response(self.rendered(claim), HTTPStatus.CREATED, headers=headers)


class ClaimDecisionView(ClaimAPIView):
    """Decide on a claim."""

    decision: ClassVar[ClaimDecision]
    body: ClassVar[type[StrictSerializer]]
    max_body = BodySize.TEXTS

    def perform(self, number: str) -> Response:
        claim = get_visible_claim(self.user, parse_number(number))
        # The response contains the claim even if the user cannot see it any longer, such as after an objection.
        claim = self.decision.action(claim, by=self.user, **self.validated_data(self.body))
        return Response(self.rendered(claim))


def _decision_view(decision: ClaimDecision) -> type[ClaimDecisionView]:
    body = ClaimDecisionRequestSerializer if decision.takes_reason else EmptyRequestSerializer
    operation = write_operation(
        decision.operation_id or f"{decision.name}Claim",
        f"{decision.label} of a namespace",
        action=decision.action,
        request=body,
        response=ClaimSerializer,
        about=decision.effect,
        refusals=(*decision.refusals, *(TEXT_PROBLEMS if decision.takes_reason else ())),
        parameters=(CLAIM_NUMBER,),
        links=LINKS,
    )

    def post(self: ClaimDecisionView, request: Request, number: str) -> Response:
        return self.perform(number)

    attributes = {
        "decision": decision,
        "body": body,
        "post": operation(post),
        "__doc__": f"{decision.label}.",
    }
    return type(f"{decision.name.title()}ClaimView", (ClaimDecisionView,), attributes)


DECISION_VIEWS = {name: _decision_view(decision) for name, decision in DECISIONS.items()}
