"""URNs in responses: the parts of a URN, and the error of a text that is not one."""

from typing import Any
from urllib.parse import quote

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from registry.api.framework.fields import RepeatedTextField
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


class RulesCheckSerializer(serializers.Serializer[Any]):
    """The result of the naming rules for a URN. `is_conformant` is null if the URN is too long to check."""

    version = serializers.IntegerField()
    is_conformant = serializers.BooleanField(source="judgement.is_conformant", allow_null=True)
    fault = serializers.CharField(
        source="judgement.fault", allow_null=True, help_text="The rule that is broken, and how."
    )
    compared_as = serializers.CharField(
        source="judgement.compared_as", help_text="The same for all URNs that are equivalent by these rules."
    )


class URNNamespaceSerializer(BriefNIDReportSerializer):
    """The namespace of a URN, registered or not. `rules` is null if it has no naming rules."""

    is_registered = serializers.SerializerMethodField()
    is_deprecated = serializers.SerializerMethodField()
    rules = serializers.SerializerMethodField()
    url = LinkField("namespace", nid="namespace.nid", allow_null=True)
    html = serializers.SerializerMethodField()

    def get_is_registered(self, report: NIDReport) -> bool:
        return report.namespace is not None

    def get_is_deprecated(self, report: NIDReport) -> bool:
        return report.namespace is not None and report.namespace.is_deprecated

    @extend_schema_field(RulesCheckSerializer(allow_null=True))
    def get_rules(self, report: NIDReport) -> Any:
        rules = report.namespace.rules if isinstance(report.namespace, Namespace) else None
        if rules is None:
            return None
        judgement = rules.value.judge(self.context["urn"])
        return RulesCheckSerializer({"version": rules.version, "judgement": judgement}).data

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
        with_rules = Namespace.objects.with_rules("registered_on", "deprecated_at")
        return URNNamespaceSerializer(report_on(urn.nid, with_rules), context={"urn": urn}).data
