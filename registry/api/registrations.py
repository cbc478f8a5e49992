"""`registrations/`: the cases that are public, their rounds, reviews, comments and events, for everybody to read."""

from http import HTTPStatus
from typing import Any

from django.db.models import Q, QuerySet
from django.utils.http import http_date
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Recognition
from registry.api.description import TEXT, operation
from registry.api.events import EventSerializer, with_publicity
from registry.api.pages import WHOLE_NUMBER, KeyField, Page, PageQuery, PageSizeField, cut, in_json, page
from registry.api.parameters import DayField, NIDField, YesOrNoField, beginning, one_of
from registry.api.problem_shapes import FindingSerializer
from registry.api.renderers import PlainTextRenderer
from registry.api.resources import PublicResource, absolute, address
from registry.api.sections import SectionsSerializer
from registry.appendix_a.findings import Surroundings
from registry.errors import RegistryError
from registry.namespaces.models import Kind
from registry.record.models import Event
from registry.registrations.findings import findings_on, surroundings_of
from registry.registrations.models import (
    OPEN_STATES,
    ActionPoint,
    Comment,
    Procedure,
    Registration,
    Review,
    State,
    Submission,
    Verdict,
)
from registry.registrations.rivals import rivals_of
from registry.registrations.standing import standing_of

PUBLIC_STATES = tuple(state for state in State.values if state != State.DRAFT)
NUMBER = OpenApiParameter(
    "number",
    {"type": "integer", "minimum": 1},
    OpenApiParameter.PATH,
    description="The number of a case.",
    examples=[OpenApiExample("the first case", 1)],
)
ROUND = OpenApiParameter(
    "round",
    {"type": "integer", "minimum": 1},
    OpenApiParameter.PATH,
    description="The number of a round, from 1.",
    examples=[OpenApiExample("the first round", 1)],
)
OF_CASE = {"number": "$response.body#/number"}


class CaseUnknown(RegistryError):
    """There is no such case, or it was not submitted yet: a draft is its editors' alone."""

    status = HTTPStatus.NOT_FOUND
    title = "No such case"


class RoundUnknown(RegistryError):
    """The case has no such round."""

    status = HTTPStatus.NOT_FOUND
    title = "No such round"


class CaseLinks(serializers.Serializer[Any]):
    """The addresses around a case."""

    self = serializers.URLField()
    html = serializers.URLField()
    rounds = serializers.URLField()
    reviews = serializers.URLField()
    comments = serializers.URLField()
    events = serializers.URLField()
    namespace = serializers.URLField(allow_null=True)


class CaseSerializer(serializers.Serializer[Registration]):
    """A case in a list: what it asks for, and where it stands."""

    number = serializers.IntegerField(source="pk")
    kind = serializers.ChoiceField(choices=Kind.choices)
    procedure = serializers.ChoiceField(choices=Procedure.choices)
    state = serializers.ChoiceField(choices=PUBLIC_STATES)
    state_since = serializers.DateTimeField()
    is_open = serializers.BooleanField()
    subject = serializers.CharField(help_text="What it is about, in a few words.")
    requested_nid = serializers.SerializerMethodField(help_text="The NID that the latest round asks for.")
    namespace = serializers.SerializerMethodField(help_text="The NID of what is revised, or was registered.")
    is_revision = serializers.BooleanField()
    standards_action = serializers.BooleanField()
    body = serializers.SerializerMethodField(help_text="The requesting body, on the fast track.")
    recognition = serializers.SerializerMethodField()
    registrant = serializers.CharField()
    links = serializers.SerializerMethodField()

    def get_requested_nid(self, case: Registration) -> str | None:
        return case.requested_nid or None

    def get_namespace(self, case: Registration) -> str | None:
        return case.namespace.nid if case.namespace else None

    def get_body(self, case: Registration) -> str | None:
        return case.body.name if case.body else None

    @extend_schema_field(serializers.ChoiceField(choices=Recognition.choices, allow_null=True))
    def get_recognition(self, case: Registration) -> str | None:
        return case.recognition if case.body else None

    @extend_schema_field(CaseLinks)
    def get_links(self, case: Registration) -> dict[str, str | None]:
        here = address("registration", number=case.pk)
        return {
            "self": here,
            "html": absolute(case.get_absolute_url()),
            "rounds": f"{here}rounds/",
            "reviews": f"{here}reviews/",
            "comments": f"{here}comments/",
            "events": f"{here}events/",
            "namespace": address("namespace", nid=case.namespace.nid) if case.namespace else None,
        }


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


class StandingSerializer(serializers.Serializer[Any]):
    """Who has the case now (empty when it is closed), what they are to do, and what comes after that."""

    holder = serializers.CharField(allow_blank=True)
    task = serializers.CharField()
    afterwards = serializers.CharField(allow_blank=True)


class RivalSerializer(serializers.Serializer[Any]):
    """Another open case that wants the same, or what could be taken for it."""

    case = serializers.IntegerField(source="case.pk")
    nid = serializers.CharField()
    reason = serializers.CharField()
    url = serializers.SerializerMethodField()

    def get_url(self, rival: Any) -> str:
        return address("registration", number=rival.case.pk)


class CaseDetailSerializer(CaseSerializer):
    """A case: where it stands, its rounds, and its rivals."""

    standing = serializers.SerializerMethodField()
    rounds = serializers.SerializerMethodField()
    rivals = serializers.SerializerMethodField()

    @extend_schema_field(StandingSerializer)
    def get_standing(self, case: Registration) -> dict[str, Any]:
        return StandingSerializer(standing_of(case)).data

    @extend_schema_field(RoundSerializer(many=True))
    def get_rounds(self, case: Registration) -> Any:
        return in_json(RoundSerializer, _rounds(case))

    @extend_schema_field(RivalSerializer(many=True))
    def get_rivals(self, case: Registration) -> Any:
        return RivalSerializer(rivals_of(case), many=True).data


class ActionPointSerializer(serializers.Serializer[ActionPoint]):
    """What a review asks to change, in one section."""

    section = serializers.CharField()
    text = serializers.CharField()


class ReviewSerializer(serializers.Serializer[Review]):
    """What a designated expert says of one round."""

    number = serializers.IntegerField(source="pk")
    round = serializers.IntegerField(source="submission.round")
    expert = serializers.CharField()
    verdict = serializers.ChoiceField(choices=Verdict.choices)
    rationale = serializers.CharField(allow_blank=True)
    at = serializers.DateTimeField()
    action_points = ActionPointSerializer(many=True)


class CommentSerializer(serializers.Serializer[Comment]):
    """What somebody says of one round: of a section, or of the whole (null)."""

    number = serializers.IntegerField(source="pk")
    round = serializers.IntegerField(source="submission.round")
    section = serializers.SerializerMethodField()
    author = serializers.CharField()
    at = serializers.DateTimeField()
    text = serializers.CharField()
    answers = serializers.IntegerField(
        source="answered_id", allow_null=True, help_text="The number of the comment that it answers."
    )
    html = serializers.SerializerMethodField()

    def get_section(self, comment: Comment) -> str | None:
        return comment.section or None

    def get_html(self, comment: Comment) -> str:
        return absolute(f"/registrations/{comment.submission.registration_id}/#comment-{comment.pk}")


class RoundLinks(serializers.Serializer[Any]):
    """The addresses around a round."""

    self = serializers.URLField()
    case = serializers.URLField()
    template = serializers.URLField()


class RoundDetailSerializer(serializers.Serializer[Submission]):
    """A round: its sections, and what the registry finds in them."""

    case = serializers.IntegerField(source="registration_id")
    round = serializers.IntegerField()
    submitted_at = serializers.DateTimeField()
    submitted_by = serializers.CharField()
    digest = serializers.CharField()
    sections = serializers.SerializerMethodField()
    findings = serializers.SerializerMethodField()
    links = serializers.SerializerMethodField()

    @extend_schema_field(SectionsSerializer)
    def get_sections(self, submission: Submission) -> dict[str, Any]:
        return SectionsSerializer(submission.submission).data

    @extend_schema_field(FindingSerializer(many=True))
    def get_findings(self, submission: Submission) -> list[dict[str, str]]:
        case = submission.registration
        # Names that are taken now say nothing of a text that was decided on, or replaced, before.
        is_current = case.is_open and submission == case.latest_submission
        surroundings = surroundings_of(case, submission.submission) if is_current else Surroundings()
        return [each.to_json() for each in findings_on(case, submission.submission, surroundings)]

    @extend_schema_field(RoundLinks)
    def get_links(self, submission: Submission) -> dict[str, str]:
        return {
            "self": address("round", number=submission.registration_id, round=submission.round),
            "case": address("registration", number=submission.registration_id),
            "template": address("round-template", number=submission.registration_id, round=submission.round),
        }


class CaseQuery(serializers.Serializer[Any]):
    """Which cases. `updated_since` asks since when they are in their state."""

    state = one_of("state", PUBLIC_STATES)
    kind = one_of("kind", tuple(Kind.values))
    procedure = one_of("procedure", tuple(Procedure.values))
    is_open = YesOrNoField(required=False)
    is_revision = YesOrNoField(required=False)
    nid = NIDField(required=False, help_text="The NID that is asked for, revised or registered.")
    updated_since = DayField(required=False)
    ordering = one_of("ordering", ("-number", "number"), default="-number")
    after = KeyField(required=False)
    page_size = PageSizeField()


class CasePage(Page):
    """Some cases."""

    results = CaseSerializer(many=True)


class RoundsSerializer(serializers.Serializer[Any]):
    """The rounds of one case."""

    results = RoundSerializer(many=True)


class ReviewPage(Page):
    """Some reviews."""

    results = ReviewSerializer(many=True)


class CommentPage(Page):
    """Some comments."""

    results = CommentSerializer(many=True)


class CaseEventPage(Page):
    """Some events of a case."""

    results = EventSerializer(many=True)


class CaseList(PublicResource):
    """The cases that are public: from their first submission on. The latest come first."""

    query = CaseQuery

    @operation(
        "registrations",
        "All cases",
        answers=CasePage,
        parameters=[CaseQuery],
        links={
            "case": ("registration", {"number": "$response.body#/results/0/number"}),
            "next page": ("registrations", {"after": "$response.body#/results/0/number"}),
        },
    )
    def get(self, request: Request) -> Response:
        found, has_more = cut(_chosen(self.parameters), self.parameters["page_size"])
        after = {"after": found[-1].pk} if has_more else {}
        return page(request, in_json(CaseSerializer, found), address("registrations"), **after)


def _chosen(asked: dict[str, Any]) -> QuerySet[Registration, Registration]:
    cases = Registration.objects.public().select_related("namespace", "body", "registrant").defer("draft")
    exact = ("state", "kind", "procedure", "is_revision")
    cases = cases.filter(**{name: asked[name] for name in exact if name in asked})
    if "is_open" in asked:
        is_open = Q(state__in=sorted(OPEN_STATES))
        cases = cases.filter(is_open if asked["is_open"] else ~is_open)
    if nid := asked.get("nid"):
        cases = cases.filter(Q(requested_nid=nid) | Q(namespace__nid=nid))
    if since := asked.get("updated_since"):
        cases = cases.filter(state_since__gte=beginning(since))
    ascending = asked["ordering"] == "number"
    if "after" in asked:
        cases = cases.filter(**{"pk__gt" if ascending else "pk__lt": asked["after"]})
    return cases.order_by("pk" if ascending else "-pk")


class CaseDetail(PublicResource):
    """One case, with its rounds and with the cases that want the same."""

    @operation(
        "registration",
        "One case",
        answers=CaseDetailSerializer,
        refusals=[CaseUnknown],
        parameters=[NUMBER],
        links={
            "round": ("round", {**OF_CASE, "round": "$response.body#/rounds/0/round"}),
            "rounds": ("rounds", OF_CASE),
            "reviews": ("reviews", OF_CASE),
            "comments": ("comments", OF_CASE),
            "events": ("registration_events", OF_CASE),
            "namespace": ("namespace", {"nid": "$response.body#/namespace"}),
        },
    )
    def get(self, request: Request, number: str) -> Response:
        return Response(CaseDetailSerializer(public_case(number)).data)


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
        return Response({"results": in_json(RoundSerializer, _rounds(public_case(number)))})


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


class ReviewList(PublicResource):
    """The reviews of all rounds of a case, in order."""

    query = PageQuery

    @operation(
        "reviews",
        "The reviews of a case",
        answers=ReviewPage,
        refusals=[CaseUnknown],
        parameters=[NUMBER, PageQuery],
    )
    def get(self, request: Request, number: str) -> Response:
        reviews = Review.objects.filter(submission__registration=public_case(number))
        with_all = reviews.select_related("expert", "submission").prefetch_related("action_points")
        brief = with_all.defer("submission__text", "submission__content")
        return self.page_of(request, brief, ReviewSerializer, address("reviews", number=number), "rationale")

    def page_of(
        self,
        request: Request,
        rows: QuerySet[Any, Any],
        serializer: type[serializers.Serializer[Any]],
        place: str,
        text: str,
    ) -> Response:
        """The page of `rows`, which stand in the order of their keys; `text` is what may be long in one."""
        rows = rows.filter(pk__gt=self.parameters.get("after", 0)).order_by("pk")
        found, has_more = cut(rows, self.parameters["page_size"], lambda row: len(getattr(row, text)))
        after = {"after": found[-1].pk} if has_more else {}
        return page(request, in_json(serializer, found), place, **after)


class CommentList(ReviewList):
    """The comments on all rounds of a case, in order."""

    @operation(
        "comments",
        "The comments on a case",
        answers=CommentPage,
        refusals=[CaseUnknown],
        parameters=[NUMBER, PageQuery],
    )
    def get(self, request: Request, number: str) -> Response:
        comments = Comment.objects.filter(submission__registration=public_case(number))
        brief = comments.select_related("author", "submission").defer(
            "submission__text", "submission__content"
        )
        return self.page_of(request, brief, CommentSerializer, address("comments", number=number), "text")


class CaseEvents(ReviewList):
    """What happened in a case, in order, from its first submission on."""

    @operation(
        "registration_events",
        "What happened in a case",
        answers=CaseEventPage,
        refusals=[CaseUnknown],
        parameters=[NUMBER, PageQuery],
    )
    def get(self, request: Request, number: str) -> Response:
        case = public_case(number)
        events = with_publicity(Event.objects.of_registration(case.pk)).filter(Q(is_public=True))
        place = address("registration-events", number=number)
        return self.page_of(request, events.select_related("actor"), EventSerializer, place, "reason")


def public_case(number: str) -> Registration:
    """The case, if everybody may see it. Raises CaseUnknown."""
    cases = Registration.objects.public().select_related("namespace__latest", "body", "registrant")
    brief = cases.defer("draft", "namespace__latest__content", "namespace__latest__text")
    case = brief.filter(pk=int(number)).first() if WHOLE_NUMBER.fullmatch(number) else None
    if case is None:
        raise CaseUnknown(f"There is no case “{number}” that is public.")
    return case


def _rounds(case: Registration) -> QuerySet[Submission, Submission]:
    return case.submissions.select_related("submitted_by").defer("content", "text").order_by("round")


def _round(number: str, wanted: str, *, unread: str) -> Submission:
    case = public_case(number)
    rounds = case.submissions.select_related("submitted_by").defer(unread)
    is_number = WHOLE_NUMBER.fullmatch(wanted) and int(wanted) < 2**31
    submission = rounds.filter(round=int(wanted)).first() if is_number else None
    if submission is None:
        raise RoundUnknown(f"Case {case.pk} has no round “{wanted}”.")
    submission.registration = case
    return submission
