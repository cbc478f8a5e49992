"""`nids/{nid}/`: the NID check."""

from functools import partial
from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.framework.fields import NID_HELP, RepeatedTextField
from registry.api.framework.urls import LinkField
from registry.api.framework.views import PublicAPIView
from registry.api.schema.operations import NID, operation
from registry.api.schema.problems import ProblemSerializer
from registry.api.sightings import SightedUseSerializer
from registry.cases.nid_report import report_in_registry
from registry.core.http.urls import absolute_url
from registry.namespaces.models import Namespace
from registry.registration_template.nids.report import NIDReport
from registry.registration_template.nids.rules import Likeness, NIDAvailability, NIDFinding

STATUSES = [each.value for each in NIDAvailability]


class CaseLinkSerializer(serializers.Serializer[int]):
    """The number and the page of a case."""

    case = serializers.IntegerField(source="*", help_text="The number of the case.")
    html = serializers.SerializerMethodField(help_text="The address of the page for people.")

    @extend_schema_field(serializers.URLField())
    def get_html(self, number: int) -> str:
        return absolute_url(reverse("cases:detail", args=[number]))


class BriefNIDReportSerializer(serializers.Serializer[NIDReport]):
    """The status of a NID in the registry, and the section of RFC 8141 that applies."""

    nid = RepeatedTextField(help_text=NID_HELP)
    status = serializers.ChoiceField(
        choices=STATUSES, help_text="Whether the NID is registered, or could be."
    )
    section = serializers.CharField(help_text="The section of RFC 8141 that decides on the status.")
    reason = serializers.CharField(help_text="The reason, as a sentence.")


class ResemblanceSerializer(serializers.Serializer[NIDFinding]):
    """A name that the NID is equal or similar to."""

    kind = serializers.CharField(help_text="What has the similar name, such as a namespace.")
    name = serializers.CharField(help_text="The similar name.")
    reason = serializers.CharField(help_text="How the names are alike.")
    html = serializers.SerializerMethodField(
        help_text="The address of the page for people; null if there is none."
    )

    @extend_schema_field(serializers.URLField(allow_null=True))
    def get_html(self, finding: NIDFinding) -> str | None:
        match finding.kind:
            case Likeness.NAMESPACE:
                return absolute_url(reverse("namespaces:detail", args=[finding.name]))
            case Likeness.CASE:
                return absolute_url(reverse("cases:detail", args=finding.cases))
            case Likeness.SIGHTING:
                return absolute_url(reverse("sightings:detail", args=[finding.sighting]))
            case _:
                return None


# The members that say where a text is no NID, and by which rule.
FaultPosition = partial(
    serializers.IntegerField,
    source="fault.position",
    allow_null=True,
    help_text="The index of the first wrong character, from 0; null if it has none.",
)
FaultRule = partial(
    serializers.CharField,
    source="fault.rule",
    allow_null=True,
    help_text="The rule that is broken; null if it has no name.",
)
FaultPointed = partial(
    serializers.CharField,
    source="fault.with_caret",
    allow_null=True,
    help_text="The text with a caret below the position of the fault; null if it has no position.",
)


# What is known of a NID without a namespace.
SightedUses = partial(
    SightedUseSerializer,
    many=True,
    help_text="Who uses the NID without a registration, which gives it no standing; empty for a registered one.",
)


class NIDReportSerializer(BriefNIDReportSerializer):
    """The report on a NID. Members that do not apply are null. `resembles` lists equal and similar names."""

    position = FaultPosition()
    rule = FaultRule()
    pointed = FaultPointed()
    namespace = LinkField(
        "namespace",
        nid="namespace.nid",
        allow_null=True,
        help_text="The address of the namespace; null if it is not registered.",
    )
    cases = CaseLinkSerializer(many=True, help_text="The open cases that request the NID.")
    sightings = SightedUses()
    resembles = ResemblanceSerializer(many=True, help_text="Names that are equal or similar.")


class UnregisteredNIDSerializer(serializers.Serializer[Any]):
    """The report on a NID that is not registered, as members of a problem."""

    nid = RepeatedTextField(allow_blank=True, help_text=NID_HELP)
    nid_status = serializers.ChoiceField(
        source="status",
        choices=[each for each in STATUSES if each != NIDAvailability.REGISTERED],
        help_text="Whether the NID is registered, or could be.",
    )
    section = serializers.CharField(help_text="The section of RFC 8141 that decides on the status.")
    position = FaultPosition()
    rule = FaultRule()
    pointed = FaultPointed()
    cases = CaseLinkSerializer(many=True, help_text="The open cases that request the NID.")
    sightings = SightedUses()


class NIDProblemSerializer(ProblemSerializer, UnregisteredNIDSerializer):
    """No namespace has this NID: it is malformed, cannot be registered, is requested in a case, or is free."""


class NIDCheckView(PublicAPIView):
    """Check whether a NID can be registered. The status is 200 for every text."""

    @operation(
        "checkNid",
        "Check whether a NID can be registered",
        response=NIDReportSerializer,
        parameters=[NID],
        links={"namespace": ("getNamespace", {"nid": "$response.body#/nid"})},
    )
    def get(self, request: Request, nid: str) -> Response:
        brief = Namespace.objects.only("nid", "registered_on", "deprecated_at")
        return Response(NIDReportSerializer(report_in_registry(nid, brief)).data)
