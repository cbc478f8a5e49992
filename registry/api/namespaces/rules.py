"""`namespaces/{nid}/rules/`: all versions of the naming rules of a namespace, and setting new ones."""

from http import HTTPStatus
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Scope
from registry.api.framework.fields import (
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
    StrictSerializer,
)
from registry.api.framework.views import TokenAPIView
from registry.api.namespaces.serializers import NamespaceLinkSerializer, RulesSerializer
from registry.api.namespaces.views import OF_NAMESPACE, NamespaceUnknown, registered_or_404
from registry.api.schema.operations import NID, operation, with_problem_members
from registry.api.schema.problem_serializers import ProblemSerializer
from registry.api.schema.token_operations import TEXT_PROBLEMS, write_operation
from registry.core.text_limits import BodySize
from registry.namespaces.forms.rules import SetRulesForm
from registry.namespaces.models import Namespace
from registry.namespaces.rules.naming_rules import InvalidIgnoredCharacters
from registry.namespaces.rules.patterns import InvalidPattern
from registry.namespaces.services import rules


class StaleRulesProblemSerializer(ProblemSerializer):
    """The current version of the rules, 0 before the first."""

    current = serializers.IntegerField()


with_problem_members(StaleRulesProblemSerializer, current=2)(rules.StaleRules)


class RulesVersionSerializer(RulesSerializer):
    """One version of the naming rules of a namespace, which never changes."""

    set_by = serializers.CharField()


class RulesListSerializer(serializers.Serializer[Namespace]):
    """All versions of the rules, the oldest first. `current` is null if the last one removed the rules."""

    nid = serializers.CharField()
    current = serializers.IntegerField(source="rules.version", allow_null=True)
    results = serializers.SerializerMethodField()
    links = NamespaceLinkSerializer(source="*")

    @extend_schema_field(RulesVersionSerializer(many=True))
    def get_results(self, namespace: Namespace) -> Any:
        versions = namespace.rules_versions.select_related("set_by")
        return RulesVersionSerializer(versions, many=True).data


class SetRulesRequestSerializer(StrictSerializer):
    """New rules, which replace all previous ones."""

    basis = StrictCharField(
        help_text="The section of the registration and the statement that the rules express."
    )
    replaces = StrictIntegerField(help_text="The version that these rules replace; 0 before the first.")
    nss_pattern = StrictCharField(default="", help_text="In the syntax of RE2. It matches the whole NSS.")
    ignores_case = StrictBooleanField(default=False)
    ignored_characters = StrictCharField(default="", help_text="Such as “-.” for hyphens and full stops.")


class NamespaceRulesView(TokenAPIView):
    """The naming rules of a namespace: the current version and all previous ones."""

    max_body = BodySize.TEXTS

    @operation(
        "listNamespaceRules",
        "The naming rules of a namespace",
        response=RulesListSerializer,
        refusals=[NamespaceUnknown],
        parameters=[NID],
        links={"namespace": ("getNamespace", OF_NAMESPACE), "set rules": ("setNamespaceRules", OF_NAMESPACE)},
    )
    def get(self, request: Request, nid: str) -> Response:
        namespace = registered_or_404(nid, Namespace.objects.select_related("rules"))
        return Response(RulesListSerializer(namespace).data)

    @write_operation(
        "setNamespaceRules",
        "Set naming rules of a namespace",
        scope=Scope.DECIDE,
        request=SetRulesRequestSerializer,
        response=RulesListSerializer,
        status=HTTPStatus.CREATED,
        about=SetRulesForm.effect,
        refusals=(
            NamespaceUnknown,
            rules.StaleRules,
            rules.RulesUnchanged,
            InvalidPattern,
            InvalidIgnoredCharacters,
            *TEXT_PROBLEMS,
        ),
        parameters=(NID,),
        links={"namespace": ("getNamespace", OF_NAMESPACE), "rules": ("listNamespaceRules", OF_NAMESPACE)},
        sample={
            "basis": "Syntax: “The number of a garden, a colon, and the number of a tree.”",
            "replaces": 0,
            "nss_pattern": "[1-9][0-9]*:[1-9][0-9]*",
        },
    )
    def post(self, request: Request, nid: str) -> Response:
        namespace = registered_or_404(nid)
        rules.check_may_set_rules(namespace, by=self.user)
        body = self.validated_data(SetRulesRequestSerializer)
        version = rules.set_rules(namespace, by=self.user, **body)
        return Response(RulesListSerializer(version.namespace).data, HTTPStatus.CREATED)
