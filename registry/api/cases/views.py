"""`cases/`: the cases that are public, for everybody to read."""

from typing import Any

from django.db.models import Q, QuerySet
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.cases.public import PUBLIC_STATES, CaseUnknown, public_case
from registry.api.cases.serializers import CaseDetailSerializer, CaseSerializer
from registry.api.framework.fields import NIDField, QueryBooleanField, QueryDateField, query_choice, start_of
from registry.api.framework.pagination import (
    KeyField,
    KeysetPagination,
    PageSerializer,
    PageSizeField,
    PaginatedAPIView,
)
from registry.api.framework.views import PublicAPIView
from registry.api.schema.operations import NUMBER, operation
from registry.cases.models import OPEN_STATES, Case, Procedure
from registry.core.pagination import Keyset
from registry.namespaces.models import Kind

OF_CASE = {"number": "$response.body#/number"}


class CaseQuerySerializer(serializers.Serializer[Any]):
    """Which cases. `updated_since` asks since when they are in their state."""

    state = query_choice("state", PUBLIC_STATES)
    kind = query_choice("kind", tuple(Kind.values))
    procedure = query_choice("procedure", tuple(Procedure.values))
    is_open = QueryBooleanField(required=False)
    is_revision = QueryBooleanField(required=False)
    nid = NIDField(required=False, help_text="The NID that is asked for, revised or registered.")
    updated_since = QueryDateField(required=False)
    ordering = query_choice("ordering", ("-number", "number"), default="-number")
    after = KeyField(required=False)
    page_size = PageSizeField()


class CasePageSerializer(PageSerializer):
    """Some cases."""

    results = CaseSerializer(many=True)


class CasePagination(KeysetPagination):
    """Pages in the order of the parameter `ordering`."""

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        self.keyset = Keyset(view.parameters["ordering"].replace("number", "pk"))
        return super().paginate_queryset(queryset, request, view)


class PublicCaseListView(PaginatedAPIView):
    """The cases that are public: from their first submission on. The latest come first."""

    query = CaseQuerySerializer
    pagination_class = CasePagination

    @operation(
        "listCases",
        "All cases",
        answers=CasePageSerializer,
        parameters=[CaseQuerySerializer],
        links={
            "case": ("getCase", {"number": "$response.body#/results/0/number"}),
            "next page": ("listCases", {"after": "$response.body#/results/0/number"}),
        },
    )
    def get(self, request: Request) -> Response:
        return self.paginated(request, _filtered(self.parameters), CaseSerializer)


def _filtered(parameters: dict[str, Any]) -> QuerySet[Case, Case]:
    cases = Case.objects.public().select_related("namespace", "body", "registrant").defer("draft")
    exact = ("state", "kind", "procedure", "is_revision")
    cases = cases.filter(**{name: parameters[name] for name in exact if name in parameters})
    if "is_open" in parameters:
        is_open = Q(state__in=sorted(OPEN_STATES))
        cases = cases.filter(is_open if parameters["is_open"] else ~is_open)
    if nid := parameters.get("nid"):
        cases = cases.filter(Q(requested_nid=nid) | Q(namespace__nid=nid))
    if since := parameters.get("updated_since"):
        cases = cases.filter(state_since__gte=start_of(since))
    return cases


class CaseDetailView(PublicAPIView):
    """One case, with its rounds and with the cases that want the same."""

    @operation(
        "getCase",
        "One case",
        answers=CaseDetailSerializer,
        refusals=[CaseUnknown],
        parameters=[NUMBER],
        links={
            "round": ("getRound", {**OF_CASE, "round": "$response.body#/rounds/0/round"}),
            "rounds": ("listRounds", OF_CASE),
            "reviews": ("listReviews", OF_CASE),
            "comments": ("listComments", OF_CASE),
            "events": ("listCaseEvents", OF_CASE),
            "namespace": ("getNamespace", {"nid": "$response.body#/namespace"}),
        },
    )
    def get(self, request: Request, number: str) -> Response:
        return Response(CaseDetailSerializer(public_case(number)).data)
