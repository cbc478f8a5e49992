"""`registrations/{number}/rounds/`: each text that was submitted, and what the registry finds in it."""

from http import HTTPStatus
from typing import Any

from django.db.models import QuerySet
from django.utils.http import http_date
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.description import NUMBER, TEXT, operation
from registry.api.pages import in_json
from registry.api.parameters import number_of
from registry.api.problem_shapes import FindingSerializer
from registry.api.public_cases import CaseUnknown, public_case
from registry.api.renderers import PlainTextRenderer
from registry.api.resources import PublicResource, address
from registry.api.sections import SectionsSerializer
from registry.errors import RegistryError
from registry.registrations.findings import findings_of_round
from registry.registrations.models import Answer, Outcome, Registration, SetAside, Submission
from registry.registrations.setting_aside import by_finding

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


class RoundSerializer(serializers.Serializer[Submission]):
    """A round in a list."""

    round = serializers.IntegerField()
    submitted_at = serializers.DateTimeField()
    submitted_by = serializers.CharField()
    digest = serializers.CharField()
    url = serializers.SerializerMethodField()
    template = serializers.SerializerMethodField()

    def get_url(self, submission: Submission) -> str:
        return address("round", number=submission.registration_id, round=submission.round)

    def get_template(self, submission: Submission) -> str:
        return address("round-template", number=submission.registration_id, round=submission.round)


class RoundsSerializer(serializers.Serializer[Any]):
    """The rounds of one case."""

    results = RoundSerializer(many=True)


class SetAsideSerializer(serializers.Serializer[SetAside]):
    """That an expert set a finding aside: on which round, and why. It holds while the section says the same."""

    round = serializers.IntegerField(source="submission.round")
    by = serializers.CharField()
    at = serializers.DateTimeField()
    reason = serializers.CharField()


class RoundFindingSerializer(FindingSerializer):
    """What the registry finds in a section of a round; `set_aside` where an expert said why it need not be followed."""

    set_aside = SetAsideSerializer(allow_null=True)


class AnswerSerializer(serializers.Serializer[Answer]):
    """What the registrant says with this round to an action point of the round before."""

    point = serializers.IntegerField(source="point_id", help_text="The number of the action point.")
    section = serializers.CharField(source="point.section")
    outcome = serializers.ChoiceField(choices=Outcome.choices)
    text = serializers.CharField(allow_blank=True)


class RoundLinks(serializers.Serializer[Any]):
    """The addresses around a round."""

    self = serializers.URLField()
    case = serializers.URLField()
    template = serializers.URLField()


class RoundDetailSerializer(serializers.Serializer[Submission]):
    """A round: its sections, what the registry finds in them, and what it says to the points of the round before."""

    case = serializers.IntegerField(source="registration_id")
    round = serializers.IntegerField()
    submitted_at = serializers.DateTimeField()
    submitted_by = serializers.CharField()
    digest = serializers.CharField()
    sections = serializers.SerializerMethodField()
    findings = serializers.SerializerMethodField()
    answers = serializers.SerializerMethodField()
    links = serializers.SerializerMethodField()

    @extend_schema_field(SectionsSerializer)
    def get_sections(self, submission: Submission) -> dict[str, Any]:
        return SectionsSerializer(submission.submission).data

    @extend_schema_field(RoundFindingSerializer(many=True))
    def get_findings(self, submission: Submission) -> list[dict[str, Any]]:
        case = submission.registration
        findings = findings_of_round(case, submission, is_latest=submission == case.latest_submission)
        of_case = SetAside.objects.filter(submission__registration=case).select_related("by", "submission")
        aside = by_finding(submission, of_case.defer("submission__text"))
        return [
            each.to_json() | {"set_aside": _as_set_aside(aside.get((each.section, each.code)))}
            for each in findings
        ]

    @extend_schema_field(AnswerSerializer(many=True))
    def get_answers(self, submission: Submission) -> list[Any]:
        return in_json(AnswerSerializer, submission.answers.select_related("point"))

    @extend_schema_field(RoundLinks)
    def get_links(self, submission: Submission) -> dict[str, str]:
        return {
            "self": address("round", number=submission.registration_id, round=submission.round),
            "case": address("registration", number=submission.registration_id),
            "template": address("round-template", number=submission.registration_id, round=submission.round),
        }


def _as_set_aside(found: SetAside | None) -> Any:
    return SetAsideSerializer(found).data if found else None


class RoundList(PublicResource):
    """The rounds of a case, the first one first."""

    @operation(
        "rounds",
        "The rounds of a case",
        answers=RoundsSerializer,
        refusals=[CaseUnknown],
        parameters=[NUMBER],
    )
    def get(self, request: Request, number: str) -> Response:
        return Response({"results": in_json(RoundSerializer, rounds_of(public_case(number)))})


class RoundDetail(PublicResource):
    """One round as it was submitted, and what the registry finds in it. Its text never changes."""

    @operation(
        "round",
        "One round of a case",
        answers=RoundDetailSerializer,
        refusals=[CaseUnknown, RoundUnknown],
        parameters=[NUMBER, ROUND],
        links={
            "template": (
                "round_template",
                {"number": "$response.body#/case", "round": "$response.body#/round"},
            )
        },
    )
    def get(self, request: Request, number: str, round: str) -> Response:  # noqa: A002 - the RFC's word
        return Response(RoundDetailSerializer(_round(number, round, unread="text")).data)


class RoundTemplate(PublicResource):
    """The template of one round as the plain text that was posted."""

    renderer_classes = (PlainTextRenderer,)

    @operation(
        "round_template",
        "The template of one round, as plain text",
        answers={"text/plain": TEXT},
        refusals=[CaseUnknown, RoundUnknown],
        parameters=[NUMBER, ROUND],
    )
    def get(self, request: Request, number: str, round: str) -> Response:  # noqa: A002
        submission = _round(number, round, unread="content")
        modified = http_date(submission.submitted_at.timestamp())
        return Response(submission.text, headers={"Last-Modified": modified})


def rounds_of(case: Registration) -> QuerySet[Submission, Submission]:
    return case.submissions.select_related("submitted_by").defer("content", "text").order_by("round")


def _round(number: str, wanted: str, *, unread: str) -> Submission:
    case = public_case(number)
    rounds = case.submissions.select_related("submitted_by").defer(unread)
    submission = rounds.filter(round=number_of(wanted, most=2**31 - 1)).first()
    if submission is None:
        raise RoundUnknown(f"Case {case.pk} has no round “{wanted}”.")
    submission.registration = case
    return submission
