"""What was said of a case, and what happened in it: its reviews, its comments and its events."""

from collections.abc import Callable
from typing import Any

from django.db.models import Prefetch, Q, QuerySet
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.description import NUMBER, Method, operation
from registry.api.events import EventSerializer, with_publicity
from registry.api.pages import Page, PageQuery, cut, in_json, page
from registry.api.public_cases import CaseUnknown, public_case
from registry.api.resources import PublicResource, absolute, address
from registry.record.models import Event
from registry.registrations.models import ActionPoint, Answer, Comment, Outcome, Review, Verdict


class PointAnswer(serializers.Serializer[Answer]):
    """What the registrant says to an action point, and in which round: that it is done, or why not."""

    round = serializers.IntegerField(source="submission.round")
    outcome = serializers.ChoiceField(choices=Outcome.choices)
    text = serializers.CharField(allow_blank=True)


class ActionPointSerializer(serializers.Serializer[ActionPoint]):
    """What a review asks to change, in one section, and the answer to it once a later round gave one."""

    number = serializers.IntegerField(source="pk")
    section = serializers.CharField()
    text = serializers.CharField()
    answer = PointAnswer(read_only=True, allow_null=True, default=None)


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


class ReviewPage(Page):
    """Some reviews."""

    results = ReviewSerializer(many=True)


class CommentPage(Page):
    """Some comments."""

    results = CommentSerializer(many=True)


class CaseEventPage(Page):
    """Some events of a case."""

    results = EventSerializer(many=True)


def listing(name: str, summary: str, shape: type[Page]) -> Callable[[Method], Method]:
    """Describe a list of what a case has many of."""
    return operation(name, summary, answers=shape, refusals=[CaseUnknown], parameters=[NUMBER, PageQuery])


class EntriesOfCase(PublicResource):
    """Something of which a case has many, in order."""

    query = PageQuery

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


class ReviewList(EntriesOfCase):
    """The reviews of all rounds of a case, in order."""

    @listing("reviews", "The reviews of a case", ReviewPage)
    def get(self, request: Request, number: str) -> Response:
        reviews = Review.objects.filter(submission__registration=public_case(number))
        answered = ActionPoint.objects.select_related("answer__submission")
        points = answered.defer("answer__submission__text", "answer__submission__content")
        with_all = reviews.select_related("expert", "submission").prefetch_related(
            Prefetch("action_points", points)
        )
        brief = with_all.defer("submission__text", "submission__content")
        return self.page_of(request, brief, ReviewSerializer, address("reviews", number=number), "rationale")


class CommentList(EntriesOfCase):
    """The comments on all rounds of a case, in order."""

    @listing("comments", "The comments on a case", CommentPage)
    def get(self, request: Request, number: str) -> Response:
        comments = Comment.objects.filter(submission__registration=public_case(number))
        brief = comments.select_related("author", "submission").defer(
            "submission__text", "submission__content"
        )
        return self.page_of(request, brief, CommentSerializer, address("comments", number=number), "text")


class CaseEvents(EntriesOfCase):
    """What happened in a case, in order, from its first submission on."""

    @listing("registration_events", "What happened in a case", CaseEventPage)
    def get(self, request: Request, number: str) -> Response:
        case = public_case(number)
        events = with_publicity(Event.objects.of_registration(case.pk)).filter(Q(is_public=True))
        place = address("registration-events", number=number)
        return self.page_of(request, events.select_related("actor"), EventSerializer, place, "reason")
