"""URNs in responses: the parts of a URN, and the error of a text that is not one."""

from typing import Any
from urllib.parse import quote

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from registry.api.framework.fields import RepeatedTextField
from registry.api.framework.urls import LinkField, api_url
from registry.api.nids.serializers import BriefNIDReportSerializer
from registry.api.schema.problem_serializers import ProblemSerializer
from registry.api.urns.details import URNDetails
from registry.api.urns.judgement_serializers import JudgementSerializer, URNSuggestionSerializer
from registry.core.http.urls import absolute_url
from registry.namespaces.models import Namespace
from registry.registration_template.nids.report import NIDReport
from registry.resolution.serializers import ServiceSerializer
from urnsyntax import URN, Note


class InvalidURNSerializer(serializers.Serializer[Any]):
    """The first error in a text that is not a URN."""

    urn = RepeatedTextField(
        source="text", allow_blank=True, help_text="The text; of a long one, 1,000 characters."
    )
    position = serializers.IntegerField(help_text="The index of the first invalid character, from 0.")
    rule = serializers.CharField(help_text="The rule of the grammar that is broken.")
    section = serializers.CharField()
    document = serializers.CharField()
    reason = serializers.CharField()


class PointedInvalidURNSerializer(InvalidURNSerializer):
    """The first error in a text that is not a URN, with a caret below the character."""

    pointed = serializers.CharField(source="with_caret")


class MalformedURNSerializer(PointedInvalidURNSerializer):
    """The first error in a text that is not a URN, and the URNs that were probably meant."""

    did_you_mean = URNSuggestionSerializer(many=True)


class URNProblemSerializer(ProblemSerializer, MalformedURNSerializer):
    """A text that is not a URN. `position` is the index of the first invalid character."""


class URNNoteSerializer(serializers.Serializer[Note]):
    """A remark that is not an error. `position` is an index in the component."""

    component = serializers.CharField()
    position = serializers.IntegerField()
    section = serializers.CharField()
    message = serializers.CharField()


class URNNamespaceSerializer(BriefNIDReportSerializer):
    """The namespace of a URN, registered or not."""

    is_registered = serializers.SerializerMethodField()
    is_deprecated = serializers.SerializerMethodField()
    url = LinkField("namespace", nid="namespace.nid", allow_null=True)
    html = serializers.SerializerMethodField()

    def get_is_registered(self, report: NIDReport) -> bool:
        return report.namespace is not None

    def get_is_deprecated(self, report: NIDReport) -> bool:
        return report.namespace is not None and report.namespace.is_deprecated

    def get_html(self, report: NIDReport) -> str | None:
        if not isinstance(report.namespace, Namespace):
            return None
        return absolute_url(report.namespace.get_absolute_url())


class URNLinksSerializer(serializers.Serializer[URN]):
    """The address of a URN, and the check of its NID."""

    self = serializers.SerializerMethodField()
    nid = serializers.SerializerMethodField()

    @extend_schema_field(serializers.URLField())
    def get_self(self, urn: URN) -> str:
        return absolute_url(f"/api/v1/urns/{quote(str(urn), safe=':')}")

    @extend_schema_field(serializers.URLField())
    def get_nid(self, urn: URN) -> str:
        return api_url("nid", nid=urn.nid.lower())


class URNSerializer(serializers.Serializer[URNDetails]):
    """A URN and its parts as they were written. An absent component is null, an empty one an empty text.

    `judgement` is null if the namespace has no profile.
    """

    urn = serializers.CharField()
    nid = serializers.CharField(source="urn.nid")
    nss = serializers.CharField(source="urn.nss")
    r_component = serializers.CharField(source="urn.r_component", allow_null=True)
    q_component = serializers.CharField(source="urn.q_component", allow_null=True)
    f_component = serializers.CharField(source="urn.f_component", allow_null=True, allow_blank=True)
    assigned_name = serializers.CharField(source="urn.assigned_name")
    normalized = serializers.CharField(source="urn.normalized")
    notes = URNNoteSerializer(many=True, source="urn.notes")
    namespace = URNNamespaceSerializer(source="report")
    judgement = serializers.SerializerMethodField()
    did_you_mean = URNSuggestionSerializer(
        many=True,
        help_text="For a URN that is not conformant or of no registered namespace: what was probably meant.",
    )
    services = serializers.SerializerMethodField(
        help_text="The services that resolve the URN, the best first. `/resolve/` redirects."
    )
    links = URNLinksSerializer(source="urn")

    @extend_schema_field(ServiceSerializer(many=True))
    def get_services(self, details: URNDetails) -> Any:
        choices = details.resolution.choices if details.resolution else ()
        return ServiceSerializer(choices, many=True).data

    @extend_schema_field(JudgementSerializer(allow_null=True))
    def get_judgement(self, details: URNDetails) -> Any:
        return JudgementSerializer(details).data if details.judgement else None
