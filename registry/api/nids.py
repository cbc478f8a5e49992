"""What the registry can say of a NID: malformed, not registrable, registered, requested or free."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.resources import PublicResource, absolute, address
from registry.namespaces.models import Namespace
from registry.registrations.models import Registration
from urnsyntax import InvalidNID, NIDKind, classify
from urnsyntax.nid import is_well_formed


class NIDAvailability(StrEnum):
    MALFORMED = "malformed"
    UNREGISTRABLE = "unregistrable"
    REGISTERED = "registered"
    REQUESTED = "requested"
    FREE = "free"


@dataclass(frozen=True, slots=True)
class NIDReport:
    """What is known of one NID. `section` is of RFC 8141 unless it names another document.

    `fault` is there for a malformed one, `namespace` for a registered one, `cases` for a requested one.
    """

    nid: str
    status: NIDAvailability
    section: str
    reason: str
    fault: InvalidNID | None = None
    namespace: Namespace | None = None
    cases: tuple[int, ...] = ()


def report_on(nid: str, namespaces: QuerySet[Namespace] | None = None) -> NIDReport:
    """Find out what can be said of `nid`. `namespaces` says how a registered one is fetched."""
    if not is_well_formed(nid):
        fault = InvalidNID(nid)
        return NIDReport(nid, NIDAvailability.MALFORMED, fault.section, str(fault), fault=fault)
    nid = nid.lower()
    known = Namespace.objects.all() if namespaces is None else namespaces
    if namespace := known.filter(nid=nid).first():
        return _registered(namespace)
    status = classify(nid)
    if status.kind is not NIDKind.FORMAL:
        return NIDReport(nid, NIDAvailability.UNREGISTRABLE, status.section, status.reason)
    if cases := tuple(open_cases_asking_for(nid)):
        numbers = ", ".join(map(str, cases))
        reason = f"“{nid}” is asked for in case {numbers}, which is open and public."
        return NIDReport(nid, NIDAvailability.REQUESTED, "6.2", reason, cases=cases)
    reason = f"“{nid}” is free: it may be registered for a formal namespace."
    return NIDReport(nid, NIDAvailability.FREE, status.section, reason)


def open_cases_asking_for(nid: str) -> QuerySet[Registration, int]:
    """The numbers of the open cases whose latest round asks for `nid`. Drafts stay unseen."""
    cases = Registration.objects.public().open().filter(is_revision=False, requested_nid=nid)
    return cases.order_by("pk").values_list("pk", flat=True)


def _registered(namespace: Namespace) -> NIDReport:
    since = f" since {namespace.registered_on}" if namespace.registered_on else ""
    now = ", and deprecated" if namespace.is_deprecated else ""
    reason = f"“{namespace.nid}” is registered{since}{now}. A NID is assigned once and for ever."
    return NIDReport(namespace.nid, NIDAvailability.REGISTERED, "5.1 (1)", reason, namespace=namespace)


def case_links(report: NIDReport) -> list[dict[str, Any]]:
    """The open cases that ask for the NID."""
    return [{"case": case, "html": absolute(f"/registrations/{case}/")} for case in report.cases]


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
        return address("namespace", nid=report.namespace.nid)

    def get_cases(self, report: NIDReport) -> list[dict[str, Any]]:
        return case_links(report)


class NIDCheck(PublicResource):
    """The NID check: may this NID be registered? Every text has an answer, so the status is always 200."""

    def get(self, request: Request, nid: str) -> Response:
        brief = Namespace.objects.only("nid", "registered_on", "deprecated_at")
        return Response(NIDReportSerializer(report_on(nid, brief)).data)
