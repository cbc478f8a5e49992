"""`namespaces/{nid}/rules/`: the rules for names, every version of them, and setting others."""

from http import HTTPStatus
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Scope
from registry.api.cases.token_serializers import NamespaceLinkSerializer
from registry.api.framework.authentication import request_user
from registry.api.framework.fields import (
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
    StrictSerializer,
    validated_data,
)
from registry.api.framework.pagination import serialize_rows
from registry.api.framework.urls import api_url
from registry.api.framework.views import TokenAPIView
from registry.api.namespaces.serializers import RulesSerializer
from registry.api.namespaces.views import OF_NAMESPACE, NamespaceUnknown, registered_or_404
from registry.api.schema.operations import NID, operation, with_problem_members
from registry.api.schema.problem_serializers import ProblemSerializer
from registry.api.schema.token_operations import TEXT_PROBLEMS, write_operation
from registry.namespaces.forms.rules import SetRulesForm
from registry.namespaces.models import Namespace
from registry.namespaces.rules.naming_rules import InvalidIgnoredCharacters
from registry.namespaces.rules.patterns import InvalidPattern
from registry.namespaces.services import rules


class StaleRulesProblemSerializer(ProblemSerializer):
    """The version of the rules that is there now, 0 where none were ever set."""

    current = serializers.IntegerField()


with_problem_members(StaleRulesProblemSerializer, current=2)(rules.StaleRules)


class RulesVersionSerializer(RulesSerializer):
    """One version of the rules of a namespace. It never changes."""

    set_by = serializers.CharField()


class RulesListSerializer(serializers.Serializer[Any]):
    """All versions of the rules, the oldest first. `current` is null where the last one took them back."""

    nid = serializers.CharField()
    current = serializers.IntegerField(allow_null=True)
    results = RulesVersionSerializer(many=True)
    links = NamespaceLinkSerializer()


class SetRulesRequestSerializer(StrictSerializer):
    """Rules as they are to be. Those that are left out are not set."""

    basis = StrictCharField(help_text="Where the registration says so: the section, and its words.")
    replaces = StrictIntegerField(help_text="The version that these rules replace; 0 before the first.")
    nss_pattern = StrictCharField(
        default="", help_text="In the syntax of RE2; the whole NSS has to match it."
    )
    ignores_case = StrictBooleanField(default=False)
    ignored_characters = StrictCharField(default="", help_text="Such as “-.” for hyphens and full stops.")


class NamespaceRulesView(TokenAPIView):
    """The rules for names, as they are and as they were."""

    @operation(
        "listNamespaceRules",
        "The rules for names of a namespace",
        answers=RulesListSerializer,
        refusals=[NamespaceUnknown],
        parameters=[NID],
        links={"namespace": ("getNamespace", OF_NAMESPACE), "set rules": ("setNamespaceRules", OF_NAMESPACE)},
    )
    def get(self, request: Request, nid: str) -> Response:
        return Response(_all_of(registered_or_404(nid, Namespace.objects.select_related("rules"))))

    @write_operation(
        "setNamespaceRules",
        "Set rules for names of a namespace",
        scope=Scope.DECIDE,
        request=SetRulesRequestSerializer,
        answers=RulesListSerializer,
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
        by, namespace = request_user(request), registered_or_404(nid)
        rules.check_may_set_rules(namespace, by=by)
        made = rules.set_rules(namespace, by=by, **validated_data(request, SetRulesRequestSerializer))
        return Response(_all_of(made.namespace), HTTPStatus.CREATED)


def _all_of(namespace: Namespace) -> dict[str, Any]:
    versions = namespace.rules_versions.select_related("set_by")
    return {
        "nid": namespace.nid,
        "current": namespace.rules.version if namespace.rules else None,
        "results": serialize_rows(RulesVersionSerializer, versions),
        "links": {"namespace": api_url("namespace", nid=namespace.nid)},
    }
