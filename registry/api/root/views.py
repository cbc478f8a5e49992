"""The API's entrance: what there is, what each problem means, and the answer to every other address."""

from http import HTTPStatus
from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.framework.problems import METHOD_NOT_ALLOWED, SERVER_ERROR, ProblemType, all_types
from registry.api.framework.urls import absolute_url, api_url
from registry.api.framework.views import PublicAPIView
from registry.api.schema.operations import DESCRIBED_TYPES, operation
from registry.core.exceptions import RegistryError


class AddressUnknown(RegistryError):
    """The API has nothing at this address."""

    status = HTTPStatus.NOT_FOUND
    title = "Nothing is here"


class RootSerializer(serializers.Serializer[Any]):
    """Addresses, and URI templates of addresses."""

    namespaces = serializers.CharField()
    namespace = serializers.CharField()
    versions = serializers.CharField()
    version = serializers.CharField()
    template = serializers.CharField()
    rules = serializers.CharField()
    cases = serializers.CharField()
    case = serializers.CharField()
    transitions = serializers.CharField()
    transition = serializers.CharField()
    draft = serializers.CharField()
    check = serializers.CharField()
    account = serializers.CharField()
    token = serializers.CharField()
    events = serializers.CharField()
    nid = serializers.CharField()
    urn = serializers.CharField()
    check_urns = serializers.CharField()
    compare_urns = serializers.CharField()
    files = serializers.CharField()
    problems = serializers.CharField()
    schema = serializers.CharField()


class ProblemTypeSerializer(serializers.Serializer[Any]):
    """What a type of problem means."""

    type = serializers.URLField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    explanation = serializers.CharField()
    url = serializers.URLField()


class ProblemTypeListSerializer(serializers.Serializer[Any]):
    """Every type of problem."""

    results = ProblemTypeSerializer(many=True)


SLUG = OpenApiParameter(
    "slug",
    {"type": "string", "minLength": 1},
    OpenApiParameter.PATH,
    description="The last part of a problem's `type`.",
    examples=[OpenApiExample("nothing is there", "not-found")],
)


class RootView(PublicAPIView):
    """Where everything is, as addresses and as URI templates (RFC 6570)."""

    @operation("getRoot", "Where everything is", answers=RootSerializer)
    def get(self, request: Request) -> Response:
        here = absolute_url("/api/v1/")
        return Response(
            {
                "namespaces": f"{here}namespaces/"
                "{?kind,status,has_rules,registrant,q,updated_since,ordering,after,page_size}",
                "namespace": f"{here}namespaces/{{nid}}/",
                "versions": f"{here}namespaces/{{nid}}/versions/",
                "version": f"{here}namespaces/{{nid}}/versions/{{version}}/",
                "template": f"{here}namespaces/{{nid}}/template.txt",
                "rules": f"{here}namespaces/{{nid}}/rules/",
                "cases": f"{here}cases/"
                "{?state,kind,procedure,is_open,is_revision,nid,updated_since,ordering,after,page_size}",
                "case": f"{here}cases/{{number}}/",
                "transitions": f"{here}cases/{{number}}/transitions/",
                "transition": f"{here}cases/{{number}}/{{transition}}/",
                "draft": f"{here}cases/{{number}}/draft/",
                "check": f"{here}cases/{{number}}/check/",
                "account": f"{here}account/",
                "token": f"{here}token/",
                "events": f"{here}events/{{?since,page_size}}",
                "nid": f"{here}nids/{{nid}}/",
                "urn": f"{here}urns/{{?urn}}",
                "check_urns": f"{here}urns/check/",
                "compare_urns": f"{here}urns/compare/",
                "files": f"{here}files/",
                "problems": f"{here}problems/",
                "schema": f"{here}schema/",
            }
        )


class ProblemTypeListView(PublicAPIView):
    """What this API may refuse, and why."""

    @operation(
        "listProblemTypes",
        "What may be refused, and why",
        answers=ProblemTypeListSerializer,
        links={"problem type": ("getProblemType", {"slug": "not-found"})},
    )
    def get(self, request: Request) -> Response:
        # What no operation foresees: that there is no such operation, or that it was written wrongly.
        types = {*DESCRIBED_TYPES.values(), METHOD_NOT_ALLOWED, SERVER_ERROR}
        return Response(
            {"results": [_problem_type_json(each) for each in sorted(types, key=lambda each: each.slug)]}
        )


class ProblemTypeDetailView(PublicAPIView):
    """One type of problem: its address is the `type` of every such problem."""

    @operation(
        "getProblemType",
        "What a type of problem means",
        answers=ProblemTypeSerializer,
        refusals=[AddressUnknown],
        parameters=[SLUG],
    )
    def get(self, request: Request, slug: str) -> Response:
        problem_type = all_types().get(slug)
        if problem_type is None:
            raise AddressUnknown(f"There is no such type of problem. {api_url('problems')} lists all.")
        return Response(_problem_type_json(problem_type))


@extend_schema(exclude=True)
class NotFoundView(PublicAPIView):
    """Every address that is none."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        self.check_throttles(request)
        raise AddressUnknown(f"The API has nothing at this address. {api_url('root')} says what there is.")


def _problem_type_json(problem_type: ProblemType) -> dict[str, Any]:
    return {
        "type": problem_type.uri,
        "title": problem_type.title,
        "status": int(problem_type.status),
        "explanation": problem_type.explanation,
        "url": api_url("problem", slug=problem_type.slug),
    }
