"""The NID check: what the registry can say of a NID, as JSON."""

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.framework.urls import absolute_url, api_url
from registry.api.framework.views import PublicAPIView
from registry.api.schema.operations import NID, operation
from registry.api.schema.problem_serializers import CaseLinkSerializer
from registry.cases.nids.report import report_on
from registry.namespaces.models import Namespace
from registry.registration_template.nids.findings import Likeness, NIDAvailability, NIDFinding
from registry.registration_template.nids.report import NIDReport


def case_links(report: NIDReport) -> list[dict[str, Any]]:
    """The open cases that ask for the NID."""
    return [{"case": case, "html": absolute_url(f"/cases/{case}/")} for case in report.cases]


class BriefNIDReportSerializer(serializers.Serializer[NIDReport]):
    """A NID, what it is to the registry, and by which section of RFC 8141."""

    nid = serializers.CharField()
    status = serializers.ChoiceField(choices=[each.value for each in NIDAvailability])
    section = serializers.CharField()
    reason = serializers.CharField()


class ResemblanceSerializer(serializers.Serializer[NIDFinding]):
    """Something that the NID equals or looks like."""

    kind = serializers.CharField()
    name = serializers.CharField()
    reason = serializers.CharField()
    html = serializers.SerializerMethodField()

    @extend_schema_field(serializers.URLField(allow_null=True))
    def get_html(self, finding: NIDFinding) -> str | None:
        match finding.kind:
            case Likeness.NAMESPACE:
                return absolute_url(reverse("namespaces:detail", args=[finding.name]))
            case Likeness.CASE:
                return absolute_url(reverse("cases:detail", args=finding.cases))
            case _:
                return None


class NIDReportSerializer(BriefNIDReportSerializer):
    """A NID and what can be said of it; what does not apply is null. `resembles` is what it equals or looks like."""

    position = serializers.SerializerMethodField()
    rule = serializers.SerializerMethodField()
    pointed = serializers.SerializerMethodField()
    namespace = serializers.SerializerMethodField()
    cases = serializers.SerializerMethodField()
    resembles = ResemblanceSerializer(many=True)

    def get_position(self, report: NIDReport) -> int | None:
        return report.fault.position if report.fault else None

    def get_rule(self, report: NIDReport) -> str | None:
        return report.fault.rule if report.fault else None

    def get_pointed(self, report: NIDReport) -> str | None:
        return report.fault.with_caret() if report.fault else None

    def get_namespace(self, report: NIDReport) -> str | None:
        if report.namespace is None:
            return None
        return api_url("namespace", nid=report.namespace.nid)

    @extend_schema_field(CaseLinkSerializer(many=True))
    def get_cases(self, report: NIDReport) -> list[dict[str, Any]]:
        return case_links(report)


class NIDCheckView(PublicAPIView):
    """The NID check: may this NID be registered? Every text has an answer, so the status is always 200."""

    @operation(
        "checkNid",
        "May this NID be registered?",
        answers=NIDReportSerializer,
        parameters=[NID],
        links={"namespace": ("getNamespace", {"nid": "$response.body#/nid"})},
    )
    def get(self, request: Request, nid: str) -> Response:
        brief = Namespace.objects.only("nid", "registered_on", "deprecated_at")
        return Response(NIDReportSerializer(report_on(nid, brief)).data)
