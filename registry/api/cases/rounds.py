"""`cases/{number}/rounds/`: each text that was submitted, and what the registry finds in it."""

from http import HTTPStatus
from typing import Any

from django.db.models import QuerySet
from django.utils.http import http_date
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.cases.public import CaseUnknown, public_case
from registry.api.framework.fields import parse_number
from registry.api.framework.pagination import serialize_rows
from registry.api.framework.renderers import PlainTextRenderer
from registry.api.framework.urls import api_url
from registry.api.framework.views import PublicAPIView
from registry.api.registration_template.serializers import SectionsSerializer
from registry.api.schema.operations import NUMBER, TEXT, operation
from registry.api.schema.problem_serializers import FindingSerializer
from registry.cases.findings import findings_of_round
from registry.cases.models import Case, Dismissal, Outcome, Reply, Round
from registry.cases.workflow.dismissals import by_finding
from registry.core.exceptions import RegistryError

ROUND = OpenApiParameter(
    "round",
    {"type": "integer", "minimum": 1},
    OpenApiParameter.PATH,
    description="The number of a round, from 1.",
    examples=[OpenApiExample("the first round", 1)],
)


class RoundUnknown(RegistryError):
    """The case has no such round."""

    status = HTTPStatus.NOT_FOUND
    title = "No such round"


class RoundSerializer(serializers.Serializer[Round]):
    """A round in a list."""

    round = serializers.IntegerField(source="number")
    submitted_at = serializers.DateTimeField()
    submitted_by = serializers.CharField()
    digest = serializers.CharField()
    url = serializers.SerializerMethodField()
    template = serializers.SerializerMethodField()

    def get_url(self, round_: Round) -> str:
        return api_url("round", number=round_.case_id, round=round_.number)

    def get_template(self, round_: Round) -> str:
        return api_url("round-template", number=round_.case_id, round=round_.number)


class RoundListSerializer(serializers.Serializer[Any]):
    """The rounds of one case."""

    results = RoundSerializer(many=True)


class DismissalSerializer(serializers.Serializer[Dismissal]):
    """That an expert set a finding aside: on which round, and why. It holds while the section says the same."""

    round = serializers.IntegerField(source="round.number")
    by = serializers.CharField()
    at = serializers.DateTimeField()
    reason = serializers.CharField()


class RoundFindingSerializer(FindingSerializer):
    """What the registry finds in a section of a round; `dismissal` where an expert said why it need not be followed."""

    dismissal = DismissalSerializer(allow_null=True)


class ReplySerializer(serializers.Serializer[Reply]):
    """What the registrant says with this round to an action point of the round before."""

    point = serializers.IntegerField(source="point_id", help_text="The number of the action point.")
    section = serializers.CharField(source="point.section")
    outcome = serializers.ChoiceField(choices=Outcome.choices)
    text = serializers.CharField(allow_blank=True)


class RoundLinksSerializer(serializers.Serializer[Any]):
    """The addresses around a round."""

    self = serializers.URLField()
    case = serializers.URLField()
    template = serializers.URLField()


class RoundDetailSerializer(serializers.Serializer[Round]):
    """A round: its sections, what the registry finds in them, and what it says to the points of the round before."""

    case = serializers.IntegerField(source="case_id")
    round = serializers.IntegerField(source="number")
    submitted_at = serializers.DateTimeField()
    submitted_by = serializers.CharField()
    digest = serializers.CharField()
    sections = serializers.SerializerMethodField()
    findings = serializers.SerializerMethodField()
    answers = serializers.SerializerMethodField()
    links = serializers.SerializerMethodField()

    @extend_schema_field(SectionsSerializer)
    def get_sections(self, round_: Round) -> dict[str, Any]:
        return SectionsSerializer(round_.template).data

    @extend_schema_field(RoundFindingSerializer(many=True))
    def get_findings(self, round_: Round) -> list[dict[str, Any]]:
        case = round_.case
        findings = findings_of_round(case, round_, is_latest=round_ == case.latest_round)
        of_case = Dismissal.objects.filter(round__case=case).select_related("by", "round")
        aside = by_finding(round_, of_case.defer("round__text"))
        return [
            each.to_json() | {"dismissal": _dismissal_json(aside.get((each.section, each.code)))}
            for each in findings
        ]

    @extend_schema_field(ReplySerializer(many=True))
    def get_answers(self, round_: Round) -> list[Any]:
        return serialize_rows(ReplySerializer, round_.replies.select_related("point"))

    @extend_schema_field(RoundLinksSerializer)
    def get_links(self, round_: Round) -> dict[str, str]:
        return {
            "self": api_url("round", number=round_.case_id, round=round_.number),
            "case": api_url("case", number=round_.case_id),
            "template": api_url("round-template", number=round_.case_id, round=round_.number),
        }


def _dismissal_json(found: Dismissal | None) -> Any:
    return DismissalSerializer(found).data if found else None


class RoundListView(PublicAPIView):
    """The rounds of a case, the first one first."""

    @operation(
        "listRounds",
        "The rounds of a case",
        answers=RoundListSerializer,
        refusals=[CaseUnknown],
        parameters=[NUMBER],
    )
    def get(self, request: Request, number: str) -> Response:
        return Response({"results": serialize_rows(RoundSerializer, rounds_of(public_case(number)))})


class RoundDetailView(PublicAPIView):
    """One round as it was submitted, and what the registry finds in it. Its text never changes."""

    @operation(
        "getRound",
        "One round of a case",
        answers=RoundDetailSerializer,
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
        return Response(RoundDetailSerializer(_round(number, round, unread="text")).data)


class RoundTemplateView(PublicAPIView):
    """The template of one round as the plain text that was posted."""

    renderer_classes = (PlainTextRenderer,)

    @operation(
        "getRoundTemplate",
        "The template of one round, as plain text",
        answers={"text/plain": TEXT},
        refusals=[CaseUnknown, RoundUnknown],
        parameters=[NUMBER, ROUND],
    )
    def get(self, request: Request, number: str, round: str) -> Response:
        round_ = _round(number, round, unread="content")
        modified = http_date(round_.submitted_at.timestamp())
        return Response(round_.text, headers={"Last-Modified": modified})


def rounds_of(case: Case) -> QuerySet[Round, Round]:
    return case.rounds.select_related("submitted_by").defer("content", "text").order_by("number")


def _round(number: str, wanted: str, *, unread: str) -> Round:
    case = public_case(number)
    rounds = case.rounds.select_related("submitted_by").defer(unread)
    round_ = rounds.filter(number=parse_number(wanted, most=2**31 - 1)).first()
    if round_ is None:
        raise RoundUnknown(f"Case {case.pk} has no round “{wanted}”.")
    round_.case = case
    return round_
