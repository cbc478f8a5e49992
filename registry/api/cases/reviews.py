"""What was said of a case, and what happened in it: its reviews, its comments and its events."""

from collections.abc import Callable

from django.db.models import Prefetch, Q
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.cases.public import CaseUnknown, public_case
from registry.api.events.views import EventSerializer, with_publicity
from registry.api.framework.pagination import (
    KeysetPagination,
    PageQuerySerializer,
    PageSerializer,
    PaginatedAPIView,
)
from registry.api.framework.urls import absolute_url
from registry.api.schema.operations import NUMBER, Method, operation
from registry.audit_log.models import Event
from registry.cases.models import ActionPoint, Comment, Outcome, Reply, Review, Verdict


class ActionPointReplySerializer(serializers.Serializer[Reply]):
    """What the registrant says to an action point, and in which round: that it is done, or why not."""

    round = serializers.IntegerField(source="round.number")
    outcome = serializers.ChoiceField(choices=Outcome.choices)
    text = serializers.CharField(allow_blank=True)


class ActionPointSerializer(serializers.Serializer[ActionPoint]):
    """What a review asks to change, in one section, and the answer to it once a later round gave one."""

    number = serializers.IntegerField(source="pk")
    section = serializers.CharField()
    text = serializers.CharField()
    answer = ActionPointReplySerializer(source="reply", read_only=True, allow_null=True, default=None)


class ReviewSerializer(serializers.Serializer[Review]):
    """What a designated expert says of one round."""

    number = serializers.IntegerField(source="pk")
    round = serializers.IntegerField(source="round.number")
    expert = serializers.CharField()
    verdict = serializers.ChoiceField(choices=Verdict.choices)
    rationale = serializers.CharField(allow_blank=True)
    at = serializers.DateTimeField()
    action_points = ActionPointSerializer(many=True)


class CommentSerializer(serializers.Serializer[Comment]):
    """What somebody says of one round: of a section, or of the whole (null)."""

    number = serializers.IntegerField(source="pk")
    round = serializers.IntegerField(source="round.number")
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
        return absolute_url(f"/cases/{comment.round.case_id}/#comment-{comment.pk}")


class ReviewPageSerializer(PageSerializer):
    """Some reviews."""

    results = ReviewSerializer(many=True)


class CommentPageSerializer(PageSerializer):
    """Some comments."""

    results = CommentSerializer(many=True)


class CaseEventPageSerializer(PageSerializer):
    """Some events of a case."""

    results = EventSerializer(many=True)


def list_operation(name: str, summary: str, shape: type[PageSerializer]) -> Callable[[Method], Method]:
    """Describe a list of what a case has many of."""
    return operation(
        name, summary, answers=shape, refusals=[CaseUnknown], parameters=[NUMBER, PageQuerySerializer]
    )


class ReviewPagination(KeysetPagination):
    text = "rationale"


class CommentPagination(KeysetPagination):
    text = "text"


class CaseEventPagination(KeysetPagination):
    text = "reason"


class ReviewListView(PaginatedAPIView):
    """The reviews of all rounds of a case, in order."""

    pagination_class = ReviewPagination

    @list_operation("listReviews", "The reviews of a case", ReviewPageSerializer)
    def get(self, request: Request, number: str) -> Response:
        reviews = Review.objects.filter(round__case=public_case(number))
        answered = ActionPoint.objects.select_related("reply__round")
        points = answered.defer("reply__round__text", "reply__round__content")
        with_all = reviews.select_related("expert", "round").prefetch_related(
            Prefetch("action_points", points)
        )
        brief = with_all.defer("round__text", "round__content")
        return self.paginated(request, brief, ReviewSerializer)


class PublicCommentListView(PaginatedAPIView):
    """The comments on all rounds of a case, in order."""

    pagination_class = CommentPagination

    @list_operation("listComments", "The comments on a case", CommentPageSerializer)
    def get(self, request: Request, number: str) -> Response:
        comments = Comment.objects.filter(round__case=public_case(number))
        brief = comments.select_related("author", "round").defer("round__text", "round__content")
        return self.paginated(request, brief, CommentSerializer)


class CaseEventListView(PaginatedAPIView):
    """What happened in a case, in order, from its first submission on."""

    pagination_class = CaseEventPagination

    @list_operation("listCaseEvents", "What happened in a case", CaseEventPageSerializer)
    def get(self, request: Request, number: str) -> Response:
        case = public_case(number)
        events = with_publicity(Event.objects.of_case(case.pk)).filter(Q(is_public=True))
        return self.paginated(request, events.select_related("actor"), EventSerializer)
