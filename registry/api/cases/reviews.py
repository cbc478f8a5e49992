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

    round = serializers.IntegerField(source="round.number", help_text="The number of the round.")
    outcome = serializers.ChoiceField(choices=Outcome.choices, help_text="Whether the change was made.")
    text = NullableCharField(help_text="What was changed, or why it was not.")


class ActionPointSerializer(serializers.Serializer[ActionPoint]):
    """A change of one section that a review requests. `reply` is null until a later round contains it."""

    number = serializers.IntegerField(source="pk", help_text="The number, counted from 1.")
    section = serializers.CharField(help_text="The key of the section to change.")
    text = serializers.CharField(help_text="The requested change.")
    reply = ActionPointReplySerializer(
        read_only=True,
        allow_null=True,
        default=None,
        help_text="The reply of the registrant; null until a later round contains it.",
    )


class ReviewSerializer(serializers.Serializer[Review]):
    """The review of one round by a designated expert."""

    number = serializers.IntegerField(source="pk", help_text="The number of the review.")
    round = serializers.IntegerField(source="round.number", help_text="The number of the round.")
    expert = serializers.CharField(help_text="The display name of the designated expert.")
    verdict = serializers.ChoiceField(choices=Verdict.choices, help_text="The result of the review.")
    rationale = NullableCharField(help_text="The reasons of the expert. They are public.")
    at = serializers.DateTimeField(help_text="The time at which it was recorded.")
    taken_back_at = serializers.DateTimeField(
        source="taken_back.at",
        read_only=True,
        allow_null=True,
        default=None,
        help_text="When its expert took the verdict back. It then no longer counts. Null: it was not taken back.",
    )
    action_points = ActionPointSerializer(
        many=True, help_text="The changes that a review requests, one for each section."
    )


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
