"""`cases/{number}/comments/`: the comments on a case."""

from http import HTTPStatus

from django.http.response import HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request

from registry.api.cases.queries import CaseUnknown, public_case, visible_case
from registry.api.framework.actions import action_method
from registry.api.framework.fields import NullableCharField
from registry.api.framework.pagination import (
    KeysetPagination,
    PaginatedAPIView,
    page_of,
    page_query,
)
from registry.api.framework.urls import PageLinkField
from registry.api.framework.views import TokenAPIView
from registry.api.schema.operations import NUMBER, operation
from registry.cases.models import Comment
from registry.cases.workflow.declarations.actions import COMMENT


class CommentSerializer(serializers.Serializer[Comment]):
    """A comment on one round: on a section, or on the whole text (null)."""

    number = serializers.IntegerField(source="pk", help_text="The number, counted from 1.")
    round = serializers.IntegerField(source="round.number", help_text="The number of the round.")
    section = NullableCharField(help_text="The key of the section; null for the whole text.")
    author = serializers.CharField(help_text="The display name of the author.")
    at = serializers.DateTimeField(help_text="The time at which it was recorded.")
    text = serializers.CharField(help_text="The text of the comment.")
    reply_to = serializers.IntegerField(
        source="reply_to_id", allow_null=True, help_text="The number of the comment that it replies to."
    )
    html = PageLinkField()


CommentQuerySerializer = page_query(CommentSerializer, always="number")


class CommentPagination(KeysetPagination):
    text = "text"


class CommentListView(PaginatedAPIView, TokenAPIView):
    """The comments on all rounds of a case, in order. Participants can add comments, which are public."""

    query = CommentQuerySerializer
    pagination_class = CommentPagination
    knows_etags = True
    max_body = COMMENT.body_size

    @operation(
        "listComments",
        "The comments on a case",
        response=page_of(CommentSerializer, "A page of comments."),
        refusals=[CaseUnknown],
        parameters=[NUMBER],
    )
    def get(self, request: Request, number: str) -> HttpResponseBase:
        of_case = Comment.objects.filter(round__case=public_case(number))
        brief = of_case.select_related("author", "round").defer("round__text", "round__content")
        return self.paginated(request, brief, CommentSerializer)

    post = action_method(
        COMMENT,
        lambda user, number: visible_case(number, user),
        lambda comment, user: CommentSerializer(comment).data,
        response=CommentSerializer,
        status=HTTPStatus.CREATED,
        parameters=(NUMBER,),
        links={"comments": ("listComments", {"number": "$request.path.number"})},
    )
