"""The NID check: what the registry can say of a NID, as JSON."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.resources import PublicResource, absolute, address
from registry.namespaces.models import Namespace
from registry.registrations.nid_answers import NIDAnswer, answer_to
from registry.registrations.nid_reports import NIDAvailability, NIDReport, report_on


def case_links(report: NIDReport, request: Request) -> list[dict[str, Any]]:
    """The open cases that ask for the NID."""
    return [{"case": case, "html": absolute(request, f"/registrations/{case}/")} for case in report.cases]


class NIDReportSerializer(serializers.Serializer[NIDReport]):
    """A NID and what can be said of it; what does not apply is null."""

    nid = serializers.CharField()
    status = serializers.ChoiceField(choices=[each.value for each in NIDAvailability])
    section = serializers.CharField()
    reason = serializers.CharField()
    position = serializers.IntegerField(source="fault.position", default=None)
    rule = serializers.CharField(source="fault.rule", default=None)
    pointed = serializers.SerializerMethodField()
    namespace = serializers.SerializerMethodField()
    cases = serializers.SerializerMethodField()

    def get_pointed(self, report: NIDReport) -> str | None:
        return report.fault.pointed() if report.fault else None

    def get_namespace(self, report: NIDReport) -> str | None:
        if report.namespace is None:
            return None
        return address(self.context["request"], "namespace", nid=report.namespace.nid)

    def get_cases(self, report: NIDReport) -> list[dict[str, Any]]:
        return case_links(report, self.context["request"])


class NIDAnswerSerializer(NIDReportSerializer):
    """The report and, in `resembles`, what the NID equals or looks like, each by name."""

    def to_representation(self, answer: Any) -> dict[str, Any]:
        return {**super().to_representation(answer.report), "resembles": self._resembles(answer)}

    def _resembles(self, answer: NIDAnswer) -> list[dict[str, Any]]:
        request = self.context["request"]
        return [
            {
                "kind": other.kind.value,
                "name": other.name,
                "reason": other.reason,
                "html": absolute(request, other.address) if other.address else None,
            }
            for other in answer.resembles
        ]


class NIDCheck(PublicResource):
    """The NID check: may this NID be registered? Every text has an answer, so the status is always 200."""

    def get(self, request: Request, nid: str) -> Response:
        brief = Namespace.objects.only("nid", "registered_on", "deprecated_at")
        answer: Any = answer_to(report_on(nid, brief))
        return Response(NIDAnswerSerializer(answer, context={"request": request}).data)
