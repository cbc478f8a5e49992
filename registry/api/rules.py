"""`namespaces/{nid}/rules/`: the rules for names, every version of them, and setting others."""

from http import HTTPStatus
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Scope
from registry.api.bodies import Body, WholeNumber, Words, YesOrNo, asked
from registry.api.description import NID, operation, with_members
from registry.api.description_writing import WORDS, sending
from registry.api.namespace_shapes import RulesSerializer
from registry.api.namespaces import OF_NAMESPACE, NamespaceUnknown, registered
from registry.api.pages import in_json
from registry.api.personal import PersonalResource, person
from registry.api.problem_shapes import Problem
from registry.api.resources import address
from registry.api.shapes import NamespaceLink
from registry.namespaces import actions
from registry.namespaces.forms_rules import SetRulesForm
from registry.namespaces.models import Namespace
from registry.namespaces.rules import IgnoredCharactersUnfit, PatternUnfit


class OvertakenProblem(Problem):
    """The version of the rules that is there now, 0 where none were ever set."""

    current = serializers.IntegerField()


with_members(OvertakenProblem, current=2)(actions.RulesOvertaken)


class RulesVersionSerializer(RulesSerializer):
    """One version of the rules of a namespace. It never changes."""

    set_by = serializers.CharField()


class RulesList(serializers.Serializer[Any]):
    """All versions of the rules, the oldest first. `current` is null where the last one took them back."""

    nid = serializers.CharField()
    current = serializers.IntegerField(allow_null=True)
    results = RulesVersionSerializer(many=True)
    links = NamespaceLink()


class RulesBody(Body):
    """Rules as they are to be. Those that are left out are not set."""

    basis = Words(help_text="Where the registration says so: the section, and its words.")
    replaces = WholeNumber(help_text="The version that these rules replace; 0 before the first.")
    nss_pattern = Words(default="", help_text="In the syntax of RE2; the whole NSS has to match it.")
    ignores_case = YesOrNo(default=False)
    ignored_characters = Words(default="", help_text="Such as “-.” for hyphens and full stops.")


class NamespaceRules(PersonalResource):
    """The rules for names, as they are and as they were."""

    @operation(
        "rules",
        "The rules for names of a namespace",
        answers=RulesList,
        refusals=[NamespaceUnknown],
        parameters=[NID],
        links={"namespace": ("namespace", OF_NAMESPACE), "set rules": ("set_rules", OF_NAMESPACE)},
    )
    def get(self, request: Request, nid: str) -> Response:
        return Response(_all_of(registered(nid, Namespace.objects.select_related("rules"))))

    @sending(
        "set_rules",
        "Set rules for names of a namespace",
        scope=Scope.DECIDE,
        request=RulesBody,
        answers=RulesList,
        status=HTTPStatus.CREATED,
        about=SetRulesForm.effect,
        refusals=(
            NamespaceUnknown,
            actions.RulesOvertaken,
            actions.RulesUnchanged,
            PatternUnfit,
            IgnoredCharactersUnfit,
            *WORDS,
        ),
        parameters=(NID,),
        links={"namespace": ("namespace", OF_NAMESPACE), "rules": ("rules", OF_NAMESPACE)},
        sample={
            "basis": "Syntax: “The number of a garden, a colon, and the number of a tree.”",
            "replaces": 0,
            "nss_pattern": "[1-9][0-9]*:[1-9][0-9]*",
        },
    )
    def post(self, request: Request, nid: str) -> Response:
        by, namespace = person(request), registered(nid)
        actions.check_may_set_rules(namespace, by=by)
        made = actions.set_rules(namespace, by=by, **asked(request, RulesBody))
        return Response(_all_of(made.namespace), HTTPStatus.CREATED)


def _all_of(namespace: Namespace) -> dict[str, Any]:
    versions = namespace.rules_versions.select_related("set_by")
    return {
        "nid": namespace.nid,
        "current": namespace.rules.version if namespace.rules else None,
        "results": in_json(RulesVersionSerializer, versions),
        "links": {"namespace": address("namespace", nid=namespace.nid)},
    }
