"""URNs in responses: the parts of a URN, and the error of a text that is not one."""

from typing import Any
from urllib.parse import quote

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from registry.api.framework.fields import NullableCharField, RepeatedTextField
from registry.api.framework.urls import LinkField, absolute_url, api_url
from registry.api.nids.serializers import BriefNIDReportSerializer
from registry.api.schema.problem_serializers import ProblemSerializer
from registry.cases.nids.report import report_on
from registry.namespaces.models import Namespace
from registry.registration_template.nids.report import NIDReport
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


class URNProblemSerializer(ProblemSerializer, PointedInvalidURNSerializer):
    """A text that is not a URN. `position` is the index of the first invalid character."""


class NoteSerializer(serializers.Serializer[Note]):
    """A remark that is not an error. `position` is an index in the component."""

    component = serializers.CharField()
    position = serializers.IntegerField()
    section = serializers.CharField()
    message = serializers.CharField()


class ProfileCheckSerializer(serializers.Serializer[Any]):
    """The judgement of a URN by a profile. `is_conformant` is null if no rule is known or the URN is too long."""

    version = serializers.IntegerField()
    is_conformant = serializers.BooleanField(source="judgement.conformant", allow_null=True)
    reason = NullableCharField(
        source="judgement.reason", help_text="Why the URN is not conformant or was not judged."
    )
    canonical = serializers.CharField(
        source="judgement.canonical", help_text="The same for all URNs that are equivalent by the profile."
    )


class URNNamespaceSerializer(BriefNIDReportSerializer):
    """The namespace of a URN, registered or not. `profile` is null if it has none."""

    is_registered = serializers.SerializerMethodField()
    is_deprecated = serializers.SerializerMethodField()
    profile = serializers.SerializerMethodField()
    url = LinkField("namespace", nid="namespace.nid", allow_null=True)
    html = serializers.SerializerMethodField()

    def get_is_registered(self, report: NIDReport) -> bool:
        return report.namespace is not None

    def get_is_deprecated(self, report: NIDReport) -> bool:
        return report.namespace is not None and report.namespace.is_deprecated

    @extend_schema_field(ProfileCheckSerializer(allow_null=True))
    def get_profile(self, report: NIDReport) -> Any:
        current = report.namespace.profile if isinstance(report.namespace, Namespace) else None
        profile = current.value if current else None
        if current is None or profile is None:
            return None
        judgement = profile.judge(self.context["urn"])
        return ProfileCheckSerializer({"version": current.version, "judgement": judgement}).data

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
        return absolute_url(f"/api/v1/urns/{quote(str(urn), safe=':')}/")

    @extend_schema_field(serializers.URLField())
    def get_nid(self, urn: URN) -> str:
        return api_url("nid", nid=urn.nid.lower())


class URNSerializer(serializers.Serializer[URN]):
    """A URN and its parts as they were written. An absent component is null, an empty one an empty text."""

    urn = serializers.CharField(source="*")
    nid = serializers.CharField()
    nss = serializers.CharField()
    r_component = serializers.CharField(allow_null=True)
    q_component = serializers.CharField(allow_null=True)
    f_component = serializers.CharField(allow_null=True, allow_blank=True)
    assigned_name = serializers.CharField()
    normalized = serializers.CharField()
    notes = NoteSerializer(many=True)
    namespace = serializers.SerializerMethodField()
    links = URNLinksSerializer(source="*")

    @extend_schema_field(URNNamespaceSerializer)
    def get_namespace(self, urn: URN) -> dict[str, Any]:
        with_profile = Namespace.objects.with_profile("registered_on", "deprecated_at")
        return URNNamespaceSerializer(report_on(urn.nid, with_profile), context={"urn": urn}).data
