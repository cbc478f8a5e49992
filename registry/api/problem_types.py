"""`problems/`: the problem types of the API and their explanations."""

from drf_spectacular.utils import OpenApiExample, OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.framework.pagination import chosen_entries, list_of, sparse_query
from registry.api.framework.problems import (
    METHOD_NOT_ALLOWED,
    SERVER_ERROR,
    AddressUnknown,
    ProblemType,
    all_types,
)
from registry.api.framework.urls import LinkField, api_url
from registry.api.framework.views import PublicAPIView
from registry.api.schema.operations import DESCRIBED_TYPES, operation


class ProblemTypeSerializer(serializers.Serializer[ProblemType]):
    """A problem type and its explanation."""

    type = serializers.URLField(
        source="uri", help_text="The address of the explanation of this problem type."
    )
    title = serializers.CharField(help_text="The problem type in words.")
    status = serializers.IntegerField(help_text="The status of the response.")
    explanation = serializers.CharField(help_text="When a problem of this type occurs, and what to do.")
    url = LinkField("problem", slug="slug", help_text="The address.")


ProblemTypeListSerializer = list_of(ProblemTypeSerializer, "All problem types.")


ProblemTypeQuerySerializer = sparse_query(ProblemTypeSerializer, always="type")


SLUG = OpenApiParameter(
    "slug",
    {"type": "string", "minLength": 1},
    OpenApiParameter.PATH,
    description="The last part of a problem's `type`.",
    examples=[OpenApiExample("nothing is there", "not-found")],
)


def listed_types() -> list[ProblemType]:
    """The problem types that the API returns, by slug."""
    types = {*DESCRIBED_TYPES, METHOD_NOT_ALLOWED, SERVER_ERROR}  # no operation declares the last two
    return sorted(types, key=lambda each: each.slug)


class ProblemTypeListView(PublicAPIView):
    """The problem types that the API returns."""

    query = ProblemTypeQuerySerializer

    @operation(
        "listProblemTypes",
        "The problem types of the API",
        response=ProblemTypeListSerializer,
        links={"problem type": ("getProblemType", {"slug": "not-found"})},
    )
    def get(self, request: Request) -> Response:
        return Response(
            chosen_entries(ProblemTypeListSerializer({"results": listed_types()}), self.parameters)
        )


class ProblemTypeDetailView(PublicAPIView):
    """One problem type. Its address is the `type` of the problems of this type."""

    @operation(
        "getProblemType",
        "One problem type",
        response=ProblemTypeSerializer,
        refusals=[AddressUnknown],
        parameters=[SLUG],
    )
    def get(self, request: Request, slug: str) -> Response:
        problem_type = all_types().get(slug)
        if problem_type is None:
            raise AddressUnknown(f"There is no such problem type. {api_url('problems')} lists all.")
        return Response(ProblemTypeSerializer(problem_type).data)
