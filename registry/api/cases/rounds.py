"""`cases/{number}/rounds/`: the submitted templates of a case, with the findings of the registry, and their differences."""

from http import HTTPStatus
from typing import Any

from django.db.models import QuerySet
from django.utils.http import http_date
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.cases.proposed_profiles import ProposedProfileSerializer, proposed_profile_of
from registry.api.cases.queries import CaseUnknown, public_case
from registry.api.framework.fields import NullableCharField, parse_number
from registry.api.framework.pagination import chosen_entries, list_of, sparse_query
from registry.api.framework.renderers import PlainTextRenderer
from registry.api.framework.urls import LinkField
from registry.api.framework.views import PublicAPIView
from registry.api.registration_template import (
    CommitmentsField,
    ComparisonQuerySerializer,
    ComparisonSerializer,
    SectionsSerializer,
    chosen_pair,
)
from registry.api.schema.operations import NUMBER, POSITIVE_INTEGER, TEXT, operation, path_parameter
from registry.api.schema.problems import FindingSerializer
from registry.cases.drafts.history import compare_rounds
from registry.cases.findings import findings_of_round
from registry.cases.models import Case, Dismissal, Outcome, Round
from registry.cases.workflow.functions.people import by_finding
from registry.core.exceptions import RegistryError
from registry.core.validators import shortened
from registry.registration_template.checks.findings import Finding

ROUND = path_parameter("round", "RoundNumber", "The number of a round, from 1.", 1, **POSITIVE_INTEGER)


class RoundUnknown(RegistryError):
    """The case has no such round."""

    status = HTTPStatus.NOT_FOUND
    title = "No such round"


class RoundSerializer(serializers.Serializer[Any]):
    """A round in a list."""

    round = serializers.IntegerField(source="number", help_text="The number of the round.")
    submitted_at = serializers.DateTimeField(help_text="The time of the submission.")
    submitted_by = serializers.CharField(help_text="The display name of the person who submitted the round.")
    digest = serializers.CharField(help_text="The SHA-256 digest, in hexadecimal digits; see “Digests”.")
    url = LinkField("round", number="case_id", round="number", help_text="The address.")
    template = LinkField(
        "round-template",
        number="case_id",
        round="number",
        help_text="The address of the completed template as plain text.",
    )


RoundListSerializer = list_of(RoundSerializer, "The rounds of one case.")


RoundQuerySerializer = sparse_query(RoundSerializer, always="round")


class DismissalSerializer(serializers.Serializer[Dismissal]):
    """The dismissal of a finding by an expert. It is valid until the section changes."""

    round = serializers.IntegerField(source="round.number", help_text="The number of the round.")
    by = serializers.CharField(help_text="The display name of the person.")
    at = serializers.DateTimeField(help_text="The time at which it was recorded.")
    reason = serializers.CharField(help_text="Why the advice need not be followed.")


class RoundFindingSerializer(FindingSerializer):
    """A finding in a section of a round. `dismissal` is null unless an expert dismissed the finding."""

    dismissal = serializers.SerializerMethodField(
        help_text="The dismissal by an expert; null if there is none."
    )

    @extend_schema_field(DismissalSerializer(allow_null=True))
    def get_dismissal(self, finding: Finding) -> Any:
        dismissal = self.context["dismissals"].get((finding.section, finding.code))
        return DismissalSerializer(dismissal).data if dismissal else None


class RoundReplySerializer(serializers.Serializer[Any]):
    """The reply of the registrant to an action point of the previous round."""

    point = serializers.IntegerField(source="point_id", help_text="The number of the action point.")
    section = serializers.CharField(source="point.section", help_text="The key of the section to change.")
    outcome = serializers.ChoiceField(choices=Outcome.choices, help_text="Whether the change was made.")
    text = NullableCharField(help_text="What was changed, or why it was not.")


class RoundLinksSerializer(serializers.Serializer[Round]):
    """Addresses related to a round."""

    self = LinkField("round", number="case_id", round="number")
    case = LinkField("case", number="case_id", help_text="The address of the case.")
    template = LinkField(
        "round-template",
        number="case_id",
        round="number",
        help_text="The address of the completed template as plain text.",
    )


class RoundDetailSerializer(serializers.Serializer[Round]):
    """A round: its sections, the findings, and the replies to the action points of the previous round."""

    case = serializers.IntegerField(source="case_id", help_text="The number of the case.")
    round = serializers.IntegerField(source="number", help_text="The number of the round.")
    submitted_at = serializers.DateTimeField(help_text="The time of the submission.")
    submitted_by = serializers.CharField(help_text="The display name of the person who submitted the round.")
    digest = serializers.CharField(help_text="The SHA-256 digest, in hexadecimal digits; see “Digests”.")
    commitments = CommitmentsField()
    sections = SectionsSerializer(source="template", help_text="The sections of the registration template.")
    profile = serializers.SerializerMethodField(help_text="The proposed profile; null if none was stated.")
    findings = serializers.SerializerMethodField(
        help_text="The findings of the checks, in the order of the sections."
    )
    replies = serializers.SerializerMethodField(
        help_text="The replies to the action points of the previous round."
    )
    links = RoundLinksSerializer(source="*", help_text="Related addresses.")

    @extend_schema_field(ProposedProfileSerializer(allow_null=True))
    def get_profile(self, round_: Round) -> Any:
        return proposed_profile_of(round_.proposed_profile)

    @extend_schema_field(RoundFindingSerializer(many=True))
    def get_findings(self, round_: Round) -> Any:
        case = round_.case
        findings = findings_of_round(case, round_, is_latest=round_ == case.latest_round)
        of_case = Dismissal.objects.filter(round__case=case).select_related("by", "round")
        dismissals = by_finding(round_, of_case.defer("round__text"))
        return RoundFindingSerializer(findings, many=True, context={"dismissals": dismissals}).data

    @extend_schema_field(RoundReplySerializer(many=True))
    def get_replies(self, round_: Round) -> Any:
        return RoundReplySerializer(round_.replies.select_related("point"), many=True).data


class RoundListView(PublicAPIView):
    """The rounds of a case, oldest first."""

    query = RoundQuerySerializer

    @operation(
        "listRounds",
        "The rounds of a case",
        response=RoundListSerializer,
        refusals=[CaseUnknown],
        parameters=[NUMBER],
    )
    def get(self, request: Request, number: str) -> Response:
        return Response(
            chosen_entries(RoundListSerializer({"results": rounds_of(public_case(number))}), self.parameters)
        )


class RoundDetailView(PublicAPIView):
    """One round as it was submitted, with its findings. Its text never changes."""

    @operation(
        "getRound",
        "One round of a case",
        response=RoundDetailSerializer,
        refusals=[CaseUnknown, RoundUnknown],
        parameters=[NUMBER, ROUND],
        links={
            "template": (
                "getRoundTemplate",
                {"number": "$response.body#/case", "round": "$response.body#/round"},
            )
        },
    )
    def get(self, request: Request, number: str, round: str) -> Response:
        return Response(RoundDetailSerializer(_get_round(number, round, defer="text")).data)


class RoundTemplateView(PublicAPIView):
    """The template of one round, as the plain text that was mailed to the discussion list."""

    renderer_classes = (PlainTextRenderer,)

    @operation(
        "getRoundTemplate",
        "The template of one round, as plain text",
        response={"text/plain": TEXT},
        refusals=[CaseUnknown, RoundUnknown],
        parameters=[NUMBER, ROUND],
    )
    def get(self, request: Request, number: str, round: str) -> Response:
        round_ = _get_round(number, round, defer="content")
        modified = http_date(round_.submitted_at.timestamp())
        return Response(round_.text, headers={"Last-Modified": modified})


class CompareRoundsView(PublicAPIView):
    """The differences between two rounds: their sections and proposed profiles. By default those of the latest two."""

    query = ComparisonQuerySerializer

    @operation(
        "compareRounds",
        "The differences between two rounds",
        response=ComparisonSerializer,
        refusals=[CaseUnknown, RoundUnknown],
        parameters=[NUMBER],
    )
    def get(self, request: Request, number: str) -> Response:
        case = public_case(number)
        numbers = [*case.rounds.order_by("number").values_list("number", flat=True)]
        if len(numbers) < 2:
            raise RoundUnknown(f"Case {case.pk} has fewer than two rounds to compare.")
        try:
            older, newer = chosen_pair(self.parameters, case.rounds.defer("text"), "number", numbers)
        except KeyError as unknown:
            raise RoundUnknown(
                f"Case {case.pk} has no round {unknown}; it has {', '.join(map(str, numbers))}."
            ) from unknown
        compared = {"older": older.number, "newer": newer.number, "comparison": compare_rounds(older, newer)}
        return Response(ComparisonSerializer(compared).data)


def rounds_of(case: Case) -> QuerySet[Round, Round]:
    return case.rounds.select_related("submitted_by").defer("content", "text", "profile").order_by("number")


def _get_round(case_number: str, number: str, *, defer: str) -> Round:
    case = public_case(case_number)
    rounds = case.rounds.select_related("submitted_by").defer(defer)
    round_ = rounds.filter(number=parse_number(number, max_value=2**31 - 1)).first()
    if round_ is None:
        raise RoundUnknown(f"Case {case.pk} has no round “{shortened(number)}”.")
    round_.case = case
    return round_
