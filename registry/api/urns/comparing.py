"""`urns/compare/`: compare two URNs."""

from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.framework.fields import StrictCharField, StrictSerializer
from registry.api.schema.operations import URN_SCHEMA, operation, with_problem_members
from registry.api.urns.bulk import BULK_PROBLEMS, BulkAPIView
from registry.api.urns.serializers import URNProblemSerializer
from registry.api.urns.views import URNMalformed
from registry.namespaces.models import Namespace, ProfileVersion
from registry.namespaces.suggestions import suggestions_for
from urnsyntax import URN, InvalidURN, equivalent
from urnsyntax.profiles import Suggestion


class ComparedURNProblemSerializer(URNProblemSerializer):
    """A text to compare that is not a URN. `pointer` locates it in the body."""

    pointer = serializers.CharField(help_text="A JSON pointer (RFC 6901) to the place in the body.")


@with_problem_members(ComparedURNProblemSerializer)
class ComparedURNMalformed(URNMalformed):
    """One of the texts to compare is not a URN. `pointer` locates it in the body, `position` the error in it."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "This is not a URN"

    def __init__(self, fault: InvalidURN, suggestions: Sequence[Suggestion], pointer: str) -> None:
        super().__init__(fault, suggestions)
        self.members["pointer"] = pointer


@extend_schema_field(URN_SCHEMA)
class URNField(serializers.CharField):
    """A URN."""


class URNPairSerializer(StrictSerializer):
    """Two URNs to compare."""

    first = URNField(help_text="The first URN.")
    second = URNField(help_text="The second URN.")


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two URNs in normal form. `profile` is that of their namespace, if Section 3.1 does not decide alone."""

    first: URN
    second: URN
    profile: ProfileVersion | None

    section = "3.1"

    @property
    def by(self) -> str | None:
        """What makes the URNs equivalent."""
        if self.first == self.second:
            return "section"
        value = self.profile and self.profile.value
        is_by_profile = value and equivalent(self.first, self.second, value.names.equivalence_rules)
        return "profile" if is_by_profile else None

    @property
    def are_equivalent(self) -> bool:
        return self.by is not None

    @property
    def position(self) -> int | None:
        """The index of the first difference, if the URNs are not equivalent."""
        if self.are_equivalent:
            return None
        first, second = str(self.first), str(self.second)
        pairs = enumerate(zip(first, second, strict=False))
        return next((place for place, (a, b) in pairs if a != b), min(len(first), len(second)))


class URNComparisonSerializer(serializers.Serializer[Comparison]):
    """Whether two URNs are URN-equivalent by Section 3.1, or else by the profile of their namespace."""

    are_equivalent = serializers.BooleanField(help_text="Whether the two URNs are equivalent.")
    by = serializers.ChoiceField(
        choices=["section", "profile"],
        allow_null=True,
        help_text="What makes them equivalent: Section 3.1, or the profile of the namespace.",
    )
    first = serializers.CharField(help_text="The normal form of the first URN, without components.")
    second = serializers.CharField(help_text="The normal form of the second URN.")
    position = serializers.IntegerField(
        allow_null=True, help_text="The index of the first difference of the normal forms, from 0."
    )
    section = serializers.CharField(help_text="The section of RFC 8141 that was applied.")
    profile_version = serializers.IntegerField(
        source="profile.version",
        allow_null=True,
        help_text="The version of the profile that was applied.",
    )


class URNPairRequestSerializer(StrictSerializer):
    """Two texts of the request."""

    first = StrictCharField()
    second = StrictCharField()


class CompareURNsView(BulkAPIView):
    """Compare two URNs (RFC 8141, Section 3.1). Components are ignored, and so is the case of the NID and of
    percent-encodings. If two URNs of one namespace differ, the profile of the namespace may still make them
    equivalent (`namespaces/{nid}/profile/`).
    """

    @operation(
        "compareUrns",
        "Compare two URNs",
        response=URNComparisonSerializer,
        refusals=[ComparedURNMalformed],
        common=BULK_PROBLEMS,
        request=URNPairSerializer,
        is_body_needed=True,
    )
    def post(self, request: Request) -> Response:
        body = URNPairRequestSerializer(data=self.text_of(request))
        body.is_valid(raise_exception=True)
        first, second = (_normal_form(body.validated_data[name], f"#/{name}") for name in ("first", "second"))
        comparison = Comparison(first, second, _profile_for(first, second))
        return Response(URNComparisonSerializer(comparison).data)


def _normal_form(text: str, pointer: str) -> URN:
    try:
        return URN.parse(text).normalized()
    except InvalidURN as fault:
        raise ComparedURNMalformed(fault, suggestions_for(text), pointer) from fault


def _profile_for(first: URN, second: URN) -> ProfileVersion | None:
    """The profile of the namespace of both, if they are not equivalent by Section 3.1."""
    if first == second or first.nid != second.nid:
        return None
    namespace = Namespace.objects.with_profile().filter(nid=first.nid).first()
    return namespace.profile if namespace else None
