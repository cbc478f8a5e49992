"""`urns/compare/`: two URNs held against each other."""

from http import HTTPStatus
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.framework.fields import StrictCharField, StrictSerializer
from registry.api.schema.operations import URN_SCHEMA, operation, with_problem_members
from registry.api.schema.problem_serializers import URNProblemSerializer
from registry.api.urns.bulk import BULK_PROBLEMS, BulkAPIView
from registry.api.urns.views import EXAMPLE_PROBLEM, URNMalformed
from registry.namespaces.models import Namespace, RulesVersion
from urnsyntax import URN, InvalidURN, equivalent


class ComparedURNProblemSerializer(URNProblemSerializer):
    """A text that is to be compared and is no URN; `pointer` leads to it."""

    pointer = serializers.CharField()


@with_problem_members(ComparedURNProblemSerializer, pointer="#/second", **EXAMPLE_PROBLEM)
class ComparedURNMalformed(URNMalformed):
    """One of the texts to compare is not a URN; `pointer` says which, `position` where it stops being one."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "This is not a URN"

    def __init__(self, fault: InvalidURN, pointer: str) -> None:
        super().__init__(fault)
        self.members["pointer"] = pointer


@extend_schema_field(URN_SCHEMA)
class URNField(serializers.CharField):
    """A URN."""


class URNPairSerializer(serializers.Serializer[Any]):
    """Two URNs to compare."""

    first = URNField()
    second = URNField()


class URNComparisonSerializer(serializers.Serializer[Any]):
    """Whether two URNs are URN-equivalent: by section 3.1, or else by the rules of their namespace."""

    are_equivalent = serializers.BooleanField()
    by = serializers.ChoiceField(
        choices=["section", "rules"],
        allow_null=True,
        help_text="What makes them so: section 3.1 alone, or rules that the namespace adds.",
    )
    first = serializers.CharField(help_text="The first one's normal form, without components.")
    second = serializers.CharField(help_text="The second one's.")
    position = serializers.IntegerField(
        allow_null=True, help_text="Where these forms part, from 0; null where the URNs are equivalent."
    )
    section = serializers.CharField()
    rules_version = serializers.IntegerField(
        allow_null=True, help_text="The version of the namespace's rules that were asked, if any were."
    )


class URNPairRequestSerializer(StrictSerializer):
    """Two texts, as they were sent."""

    first = StrictCharField()
    second = StrictCharField()


class CompareURNsView(BulkAPIView):
    """Hold two URNs against each other (RFC 8141, section 3.1): components do not count, and of letters that
    are percent-encoded or name the namespace, the case does not. Where that leaves two URNs of one namespace
    different, its rules may still make them one (namespaces/{nid}/rules/).
    """

    @operation(
        "compareUrns",
        "Are these two URN-equivalent?",
        answers=URNComparisonSerializer,
        refusals=[ComparedURNMalformed],
        common=BULK_PROBLEMS,
        request=URNPairSerializer,
        is_body_needed=True,
        examples={
            "equivalent": {
                "are_equivalent": True,
                "by": "section",
                "first": "urn:example:a%2Cz",
                "second": "urn:example:a%2Cz",
                "position": None,
                "section": "3.1",
                "rules_version": None,
            }
        },
    )
    def post(self, request: Request) -> Response:
        body = URNPairRequestSerializer(data=self.text_of(request))
        body.is_valid(raise_exception=True)
        first, second = (_normal_form(body.validated_data[name], f"#/{name}") for name in ("first", "second"))
        rules = _rules_for(first, second)
        by = _equivalent_by(first, second, rules)
        return Response(
            {
                "are_equivalent": by is not None,
                "by": by,
                "first": str(first),
                "second": str(second),
                "position": None if by else _first_difference(str(first), str(second)),
                "section": "3.1",
                "rules_version": rules.version if rules else None,
            }
        )


def _normal_form(text: str, pointer: str) -> URN:
    try:
        return URN.parse(text).normalized()
    except InvalidURN as fault:
        raise ComparedURNMalformed(fault, pointer) from fault


def _rules_for(first: URN, second: URN) -> RulesVersion | None:
    """The rules of the namespace of both, where section 3.1 does not say it alone."""
    if first == second or first.nid != second.nid:
        return None
    namespace = Namespace.objects.with_rules().filter(nid=first.nid).first()
    return namespace.rules if namespace else None


def _equivalent_by(first: URN, second: URN, rules: RulesVersion | None) -> str | None:
    if first == second:
        return "section"
    is_one = rules is not None and equivalent(first, second, rules.value.equivalence)
    return "rules" if is_one else None


def _first_difference(first: str, second: str) -> int:
    pairs = enumerate(zip(first, second, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(first), len(second)))
