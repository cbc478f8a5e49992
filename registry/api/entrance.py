"""The API's entrance: what there is, what each problem means, and the answer to every other address."""

from http import HTTPStatus
from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.description import FORETOLD, operation
from registry.api.problems import METHOD_NOT_ALLOWED, SERVER_ERROR, ProblemType, all_types
from registry.api.resources import PublicResource, absolute, address
from registry.errors import RegistryError


class NothingHere(RegistryError):
    """The API has nothing at this address."""

    status = HTTPStatus.NOT_FOUND
    title = "Nothing is here"


class EntranceSerializer(serializers.Serializer[Any]):
    """Addresses, and URI templates of addresses."""

    namespaces = serializers.CharField()
    namespace = serializers.CharField()
    versions = serializers.CharField()
    version = serializers.CharField()
    template = serializers.CharField()
    rules = serializers.CharField()
    registrations = serializers.CharField()
    registration = serializers.CharField()
    moves = serializers.CharField()
    move = serializers.CharField()
    draft = serializers.CharField()
    check = serializers.CharField()
    mine = serializers.CharField()
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


class ProblemTypesSerializer(serializers.Serializer[Any]):
    """Every type of problem."""

    results = ProblemTypeSerializer(many=True)


SLUG = OpenApiParameter(
    "slug",
    {"type": "string", "minLength": 1},
    OpenApiParameter.PATH,
    description="The last part of a problem's `type`.",
    examples=[OpenApiExample("nothing is there", "not-found")],
)


class Entrance(PublicResource):
    """Where everything is, as addresses and as URI templates (RFC 6570)."""

    @operation("entrance", "Where everything is", answers=EntranceSerializer)
    def get(self, request: Request) -> Response:
        here = absolute("/api/v1/")
        return Response(
            {
                "namespaces": f"{here}namespaces/"
                "{?kind,status,has_rules,registrant,q,updated_since,ordering,after,page_size}",
                "namespace": f"{here}namespaces/{{nid}}/",
                "versions": f"{here}namespaces/{{nid}}/versions/",
                "version": f"{here}namespaces/{{nid}}/versions/{{version}}/",
                "template": f"{here}namespaces/{{nid}}/template.txt",
                "rules": f"{here}namespaces/{{nid}}/rules/",
                "registrations": f"{here}registrations/"
                "{?state,kind,procedure,is_open,is_revision,nid,updated_since,ordering,after,page_size}",
                "registration": f"{here}registrations/{{number}}/",
                "moves": f"{here}registrations/{{number}}/moves/",
                "move": f"{here}registrations/{{number}}/{{move}}/",
                "draft": f"{here}registrations/{{number}}/draft/",
                "check": f"{here}registrations/{{number}}/check/",
                "mine": f"{here}mine/",
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


class ProblemTypes(PublicResource):
    """What this API may refuse, and why."""

    @operation(
        "problem_types",
        "What may be refused, and why",
        answers=ProblemTypesSerializer,
        links={"problem type": ("problem_type", {"slug": "not-found"})},
    )
    def get(self, request: Request) -> Response:
        # What no operation foresees: that there is no such operation, or that it was written wrongly.
        types = {*FORETOLD.values(), METHOD_NOT_ALLOWED, SERVER_ERROR}
        return Response({"results": [_explained(each) for each in sorted(types, key=lambda each: each.slug)]})


class ProblemTypeDetail(PublicResource):
    """One type of problem: its address is the `type` of every such problem."""

    @operation(
        "problem_type",
        "What a type of problem means",
        answers=ProblemTypeSerializer,
        refusals=[NothingHere],
        parameters=[SLUG],
    )
    def get(self, request: Request, slug: str) -> Response:
        problem_type = all_types().get(slug)
        if problem_type is None:
            raise NothingHere(f"There is no such type of problem. {address('problems')} lists all.")
        return Response(_explained(problem_type))


@extend_schema(exclude=True)
class AnythingElse(PublicResource):
    """Every address that is none."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        self.count(request)
        raise NothingHere(f"The API has nothing at this address. {address('entrance')} says what there is.")


def _explained(problem_type: ProblemType) -> dict[str, Any]:
    return {
        "type": problem_type.uri,
        "title": problem_type.title,
        "status": int(problem_type.status),
        "explanation": problem_type.explanation,
        "url": address("problem", slug=problem_type.slug),
    }
