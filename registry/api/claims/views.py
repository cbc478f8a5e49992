"""`claims/` and `namespaces/{nid}/claims/`: make, see and decide on claims of namespaces."""

from http import HTTPStatus
from typing import Any

from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Scope, User
from registry.api.claims.serializers import (
    ClaimPageSerializer,
    ClaimQuerySerializer,
    ClaimRequestSerializer,
    ClaimSerializer,
)
from registry.api.framework.actions import action_view
from registry.api.framework.fields import parse_number
from registry.api.framework.pagination import PaginatedAPIView
from registry.api.framework.problems import NOT_FOUND
from registry.api.framework.urls import api_url
from registry.api.framework.views import TokenAPIView
from registry.api.namespaces.views import OF_NAMESPACE, NamespaceUnknown, registered_or_404
from registry.api.organisations.fields import with_organisation
from registry.api.schema.operations import NID, POSITIVE_INTEGER, path_parameter
from registry.api.schema.token_operations import TEXT_PROBLEMS, token_operation, write_operation
from registry.core.text_limits import BodySize
from registry.custody.exceptions import ClaimPending, InvalidEvidence
from registry.custody.models import NamespaceClaim
from registry.custody.queries import get_visible_claim, visible_claims
from registry.custody.services.claims import (
    CLAIM_NAMESPACE,
    DECISIONS,
    RECOVER_ORGANISATION,
    claim_namespace,
    recover_organisation,
)

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
        response=ClaimPageSerializer,
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
    return get_visible_claim(user, parse_number(number))


def rendered(claim: NamespaceClaim, user: User) -> Any:
    return ClaimSerializer(claim, context={"user": user}).data


DECISION_VIEWS = {
    name: action_view(
        action,
        _found,
        rendered,
        response=ClaimSerializer,
        summary=f"{action.label} of a namespace",
        parameters=(CLAIM_NUMBER,),
        links=LINKS,
    )
    for name, action in DECISIONS.items()
}
