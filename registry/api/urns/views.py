"""`urns/{urn}`: the parts of a URN, its namespace, and whether it follows the rules of the namespace.

The address of a URN is its text, percent-encoded once: “%” is written “%25”, “?” “%3F” and “#” “%23”; octets that are
not UTF-8 stay percent-encoded. Every slash belongs to the URN, the last one too: servers pass a path on after they have
decoded it, so that nothing could tell a last slash of the address from the end of `urn:example:a%2F`.
`urns/?urn=` takes the text as a parameter.
"""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.framework.fields import InvalidParameter
from registry.api.framework.views import PublicAPIView
from registry.api.schema.operations import URN_IN_PATH_SCHEMA, URN_SCHEMA, operation, with_problem_members
from registry.api.urns.serializers import (
    PointedInvalidURNSerializer,
    URNProblemSerializer,
    URNSerializer,
    URNSuggestionSerializer,
    details_of,
)
from registry.core.exceptions import RegistryError
from registry.namespaces.suggestions import suggestions_for
from urnsyntax import URN, InvalidURN
from urnsyntax.profiles import Suggestion
from urnsyntax.recognition import recognise

ENCODING_HINT = (
    "Percent-encode it (“?” as “%3F”, “#” as “%23”, “%” as “%25”), or send it to /api/v1/urns/?urn=."
)


@with_problem_members(URNProblemSerializer)
class URNMalformed(RegistryError):
    """The text is not a URN. `position` is the index of the first invalid character, `rule` the broken rule.

    `did_you_mean` contains URNs that were probably meant.
    """

    status = HTTPStatus.BAD_REQUEST
    title = "This is not a URN"

    def __init__(self, fault: InvalidURN, suggestions: Sequence[Suggestion]) -> None:
        super().__init__(f"{fault}{_hint(fault)}{_explanation(fault.text)}")
        self.members = {
            **PointedInvalidURNSerializer(fault).data,
            "did_you_mean": URNSuggestionSerializer(suggestions, many=True).data,
        }


def _hint(fault: InvalidURN) -> str:
    """An explanation if the invalid character can only come from percent-decoding."""
    wrong = fault.text[fault.position : fault.position + 1]
    if wrong.isascii() and wrong.isprintable() and wrong != "%":
        return ""
    return " The address was percent-decoded once; write a “%” in the URN as “%25”."


def _explanation(text: str) -> str:
    """What the text is, if it is a relative reference or a UDI."""
    found = recognise(text)
    return f" This is {found.kind}. {found.explanation}" if found else ""


URN_PARAMETER = OpenApiParameter(
    "urn",
    URN_IN_PATH_SCHEMA,
    OpenApiParameter.PATH,
    description="A URN, percent-encoded once. The address has no final slash: one would belong to the URN.",
    examples=[OpenApiExample("the number of a book", "urn:isbn:0451450523")],
)
URN_LINKS = {
    "namespace": ("getNamespace", {"nid": "$response.body#/nid"}),
    "NID check": ("checkNid", {"nid": "$response.body#/nid"}),
}


class URNDetailView(PublicAPIView):
    """One URN, given in the path."""

    def check_parameters(self, request: Request) -> dict[str, Any]:
        start = request.META.get("QUERY_STRING", "")[:1]
        if start in ("+", "="):
            raise InvalidParameter(
                {"": f"“?” begins the query of an address, so the URN was cut off. {ENCODING_HINT}"}
            )
        return super().check_parameters(request)

    @operation(
        "getUrn",
        "The parts of a URN, and whether it is conformant",
        response=URNSerializer,
        refusals=[URNMalformed],
        parameters=[URN_PARAMETER],
        links=URN_LINKS,
    )
    def get(self, request: Request, urn: str) -> Response:
        return _parsed(urn)


@extend_schema_field(URN_SCHEMA)
class AnyTextField(serializers.Field[str, str, str, Any]):
    """Any text. The URN parser reports errors."""

    def to_internal_value(self, data: str) -> str:
        return data


class URNQuerySerializer(serializers.Serializer[Any]):
    """The URN as a parameter."""

    urn = AnyTextField(
        help_text="A URN.", error_messages={"required": "“urn” is missing: /api/v1/urns/?urn=urn:example:a"}
    )


class URNByParameterView(PublicAPIView):
    """One URN, given as `?urn=`."""

    query = URNQuerySerializer

    @operation(
        "getUrnByParameter",
        "The parts of a URN, given as a parameter, and whether it is conformant",
        response=URNSerializer,
        refusals=[URNMalformed],
        links=URN_LINKS,
    )
    def get(self, request: Request) -> Response:
        return _parsed(self.parameters["urn"])


def _parsed(text: str) -> Response:
    try:
        urn = URN.parse(text)
    except InvalidURN as fault:
        raise URNMalformed(fault, suggestions_for(text)) from fault
    return Response(URNSerializer(details_of(urn)).data)
