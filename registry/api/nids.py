"""The NID check: what the registry can say of a NID, as JSON."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.description import NID, operation
from registry.api.problem_shapes import CaseLink
from registry.api.resources import PublicResource, absolute, address
from registry.namespaces.models import Namespace
from registry.registrations.nid_answers import answer_to
from registry.registrations.nid_reports import NIDAvailability, NIDReport, report_on


def case_links(report: NIDReport) -> list[dict[str, Any]]:
    """The open cases that ask for the NID."""
    return [{"case": case, "html": absolute(f"/registrations/{case}/")} for case in report.cases]


class BriefNIDReport(serializers.Serializer[NIDReport]):
    """A NID, what it is to the registry, and by which section of RFC 8141."""

    nid = serializers.CharField()
    status = serializers.ChoiceField(choices=[each.value for each in NIDAvailability])
    section = serializers.CharField()
    reason = serializers.CharField()


class Resemblance(serializers.Serializer[Any]):
    """Something that the NID equals or looks like."""

    kind = serializers.CharField()
    name = serializers.CharField()
    reason = serializers.CharField()
    html = serializers.URLField(allow_null=True)


class NIDAnswerSerializer(BriefNIDReport):
    """A NID and what can be said of it; what does not apply is null. `resembles` is what it equals or looks like."""

    position = serializers.SerializerMethodField()
    rule = serializers.SerializerMethodField()
    pointed = serializers.SerializerMethodField()
    namespace = serializers.SerializerMethodField()
    cases = serializers.SerializerMethodField()
    resembles = serializers.SerializerMethodField()

    def get_position(self, report: NIDReport) -> int | None:
        return report.fault.position if report.fault else None

    def get_rule(self, report: NIDReport) -> str | None:
        return report.fault.rule if report.fault else None

    def get_pointed(self, report: NIDReport) -> str | None:
        return report.fault.pointed() if report.fault else None

    def get_namespace(self, report: NIDReport) -> str | None:
        if report.namespace is None:
            return None
        return address("namespace", nid=report.namespace.nid)

    @extend_schema_field(CaseLink(many=True))
    def get_cases(self, report: NIDReport) -> list[dict[str, Any]]:
        return case_links(report)

    @extend_schema_field(Resemblance(many=True))
    def get_resembles(self, report: NIDReport) -> list[dict[str, Any]]:
        return [
            {
                "kind": other.kind.value,
                "name": other.name,
                "reason": other.reason,
                "html": absolute(other.address) if other.address else None,
            }
            for other in answer_to(report).resembles
        ]


class NIDCheck(PublicResource):
    """The NID check: may this NID be registered? Every text has an answer, so the status is always 200."""

    @operation(
        "nid_check",
        "May this NID be registered?",
        answers=NIDAnswerSerializer,
        parameters=[NID],
        links={"namespace": ("namespace", {"nid": "$response.body#/nid"})},
    )
    def get(self, request: Request, nid: str) -> Response:
        brief = Namespace.objects.only("nid", "registered_on", "deprecated_at")
        return Response(NIDAnswerSerializer(report_on(nid, brief)).data)
