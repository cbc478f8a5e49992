"""`cases/{number}/reviews/`: the reviews of a case."""

from django.db.models import Prefetch
from django.http.response import HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request

from registry.api.cases.queries import CaseUnknown, public_case
from registry.api.framework.fields import NullableCharField
from registry.api.framework.pagination import (
    KeysetPagination,
    PaginatedAPIView,
    page_of,
    page_query,
)
from registry.api.schema.operations import NUMBER, operation
from registry.cases.models import ActionPoint, Outcome, Reply, Review, Verdict


class ActionPointReplySerializer(serializers.Serializer[Reply]):
    """The reply of the registrant to an action point, and the round that contains it."""

    round = serializers.IntegerField(source="round.number")
    outcome = serializers.ChoiceField(choices=Outcome.choices)
    text = NullableCharField()


class ActionPointSerializer(serializers.Serializer[ActionPoint]):
    """A change of one section that a review requests. `reply` is null until a later round contains it."""

    number = serializers.IntegerField(source="pk")
    section = serializers.CharField()
    text = serializers.CharField()
    reply = ActionPointReplySerializer(read_only=True, allow_null=True, default=None)


class ReviewSerializer(serializers.Serializer[Review]):
    """The review of one round by a designated expert."""

    number = serializers.IntegerField(source="pk")
    round = serializers.IntegerField(source="round.number")
    expert = serializers.CharField()
    verdict = serializers.ChoiceField(choices=Verdict.choices)
    rationale = NullableCharField()
    at = serializers.DateTimeField()
    taken_back_at = serializers.DateTimeField(
        source="taken_back.at", read_only=True, allow_null=True, default=None
    )
    action_points = ActionPointSerializer(many=True)


ReviewQuerySerializer = page_query(ReviewSerializer, always="number")


class ReviewPagination(KeysetPagination):
    text = "rationale"


class ReviewListView(PaginatedAPIView):
    """The reviews of all rounds of a case, in order."""

    query = ReviewQuerySerializer
    pagination_class = ReviewPagination
    knows_etags = True

    @operation(
        "listReviews",
        "The reviews of a case",
        response=page_of(ReviewSerializer, "A page of reviews."),
        refusals=[CaseUnknown],
        parameters=[NUMBER],
    )
    def get(self, request: Request, number: str) -> HttpResponseBase:
        with_replies = ActionPoint.objects.select_related("reply__round")
        points = with_replies.defer("reply__round__text", "reply__round__content")
        reviews = Review.objects.filter(round__case=public_case(number)).select_related(
            "expert", "round", "taken_back"
        )
        brief = reviews.prefetch_related(Prefetch("action_points", points))
        return self.paginated(request, brief.defer("round__text", "round__content"), ReviewSerializer)
