"""`urns/{urn}/`: what a URN is made of, and the namespace it belongs to.

The address of a URN is its text, percent-encoded once, and a slash. The last slash of a path is the address's
and not the URN's, so a URN that ends in "/" is followed by another one. "%" is written "%25", "?" "%3F" and
"#" "%23"; octets that are no UTF-8 stay percent-encoded. `urns/?urn=` takes the text as a parameter, where a
slash is nobody else's.
"""

from dataclasses import asdict
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.framework.fields import InvalidParameter
from registry.api.framework.urls import absolute_url, api_url
from registry.api.framework.views import PublicAPIView
from registry.api.nids.views import BriefNIDReportSerializer
from registry.api.schema.operations import URN_IN_PATH_SCHEMA, URN_SCHEMA, operation, with_problem_members
from registry.api.schema.problem_serializers import URNProblemSerializer
from registry.cases.nids.report import report_on
from registry.core.exceptions import RegistryError
from registry.namespaces.models import Namespace
from registry.registration_template.nids.report import NIDReport
from urnsyntax import URN, InvalidURN, Note

ENCODING_HINT = (
    "Percent-encode it (“?” as “%3F”, “#” as “%23”, “%” as “%25”), or ask /api/v1/urns/?urn= for it."
)


def error_to_json(fault: InvalidURN) -> dict[str, Any]:
    """What is said of a text that is no URN."""
    return {
        "urn": fault.text,
        "position": fault.position,
        "rule": fault.rule,
        "section": fault.section,
        "document": fault.document,
        "reason": fault.reason,
    }


def problem_members(fault: InvalidURN) -> dict[str, Any]:
    """What a problem says of a text that is no URN."""
    return error_to_json(fault) | {"pointed": fault.with_caret()}


# The same in the description, of a text that somebody could have sent.
EXAMPLE_PROBLEM = problem_members(InvalidURN("urn:example:a b"))


@with_problem_members(URNProblemSerializer, **EXAMPLE_PROBLEM)
class URNMalformed(RegistryError):
    """The text is not a URN: `position` counts to the first wrong character, `rule` refuses it."""

    status = HTTPStatus.BAD_REQUEST
    title = "This is not a URN"

    def __init__(self, fault: InvalidURN) -> None:
        super().__init__(f"{fault}{_hint(fault)}")
        self.members = problem_members(fault)


def _hint(fault: InvalidURN) -> str:
    """What may have happened when the wrong character can only have come through percent-encoding."""
    wrong = fault.text[fault.position : fault.position + 1]
    if wrong.isascii() and wrong.isprintable() and wrong != "%":
        return ""
    return " The address was percent-decoded once; a “%” of the URN itself is written “%25” in it."


class NoteSerializer(serializers.Serializer[Note]):
    """A remark that is no error: `position` counts in the component."""

    component = serializers.CharField()
    position = serializers.IntegerField()
    section = serializers.CharField()
    message = serializers.CharField()


class RulesCheckSerializer(serializers.Serializer[Any]):
    """What the rules of the namespace say of a URN. `is_conformant` is null where the URN is too long to say."""

    version = serializers.IntegerField()
    is_conformant = serializers.BooleanField(allow_null=True)
    fault = serializers.CharField(allow_null=True, help_text="Which rule it breaks, and how.")
    compared_as = serializers.CharField(help_text="The same for all URNs that are one name by these rules.")


class URNNamespaceSerializer(BriefNIDReportSerializer):
    """The namespace that the NID names, registered or not; `rules` is null where it has none."""

    is_registered = serializers.SerializerMethodField()
    is_deprecated = serializers.SerializerMethodField()
    rules = serializers.SerializerMethodField()
    url = serializers.SerializerMethodField()
    html = serializers.SerializerMethodField()

    def get_is_registered(self, report: NIDReport) -> bool:
        return report.namespace is not None

    def get_is_deprecated(self, report: NIDReport) -> bool:
        return report.namespace is not None and report.namespace.is_deprecated

    @extend_schema_field(RulesCheckSerializer(allow_null=True))
    def get_rules(self, report: NIDReport) -> dict[str, Any] | None:
        rules = report.namespace.rules if isinstance(report.namespace, Namespace) else None
        if rules is None:
            return None
        return {"version": rules.version, **asdict(rules.value.judge(self.context["urn"]))}

    def get_url(self, report: NIDReport) -> str | None:
        if report.namespace is None:
            return None
        return api_url("namespace", nid=report.nid)

    def get_html(self, report: NIDReport) -> str | None:
        if not isinstance(report.namespace, Namespace):
            return None
        return absolute_url(report.namespace.get_absolute_url())


class URNLinksSerializer(serializers.Serializer[Any]):
    """The URN's own address, and the check of its NID."""

    self = serializers.URLField()
    nid = serializers.URLField()


class URNSerializer(serializers.Serializer[URN]):
    """A URN and its parts as they were written. A component that is absent is null; an empty one is not."""

    urn = serializers.CharField(source="*")
    nid = serializers.CharField()
    nss = serializers.CharField()
    r_component = serializers.CharField(allow_null=True)
    q_component = serializers.CharField(allow_null=True)
    f_component = serializers.CharField(allow_null=True, allow_blank=True)
    assigned_name = serializers.CharField()
    normalized = serializers.SerializerMethodField()
    notes = NoteSerializer(many=True)
    namespace = serializers.SerializerMethodField()
    links = serializers.SerializerMethodField()

    def get_normalized(self, urn: URN) -> str:
        return str(urn.normalized())

    @extend_schema_field(URNNamespaceSerializer)
    def get_namespace(self, urn: URN) -> dict[str, Any]:
        with_rules = Namespace.objects.with_rules("registered_on", "deprecated_at")
        return URNNamespaceSerializer(report_on(urn.nid, with_rules), context={"urn": urn}).data

    @extend_schema_field(URNLinksSerializer)
    def get_links(self, urn: URN) -> dict[str, str]:
        return {
            "self": absolute_url(address_of(urn)),
            "nid": api_url("nid", nid=urn.nid.lower()),
        }


def address_of(urn: URN) -> str:
    """The path that comes back to this very URN."""
    return f"/api/v1/urns/{quote(str(urn), safe=':')}/"


URN_PARAMETER = OpenApiParameter(
    "urn",
    URN_IN_PATH_SCHEMA,
    OpenApiParameter.PATH,
    description="A URN, percent-encoded once.",
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
        "Take a URN apart",
        answers=URNSerializer,
        refusals=[URNMalformed],
        parameters=[URN_PARAMETER],
        links=URN_LINKS,
    )
    def get(self, request: Request, urn: str) -> Response:
        return _parsed(urn)


@extend_schema_field(URN_SCHEMA)
class AnyTextField(serializers.Field[str, str, str, Any]):
    """A text as it was sent: what is wrong with it, the parser says best."""

    def to_internal_value(self, data: str) -> str:
        return data


class URNQuerySerializer(serializers.Serializer[Any]):
    """The URN as a parameter."""

    urn = AnyTextField(error_messages={"required": "“urn” is missing: /api/v1/urns/?urn=urn:example:a"})


class URNByParameterView(PublicAPIView):
    """One URN, given as `?urn=`."""

    query = URNQuerySerializer

    @operation(
        "getUrnByParameter",
        "Take a URN apart that is given as a parameter",
        answers=URNSerializer,
        refusals=[URNMalformed],
        parameters=[URNQuerySerializer],
        links=URN_LINKS,
    )
    def get(self, request: Request) -> Response:
        return _parsed(self.parameters["urn"])


def _parsed(text: str) -> Response:
    try:
        urn = URN.parse(text)
    except InvalidURN as fault:
        raise URNMalformed(fault) from fault
    return Response(URNSerializer(urn).data)
