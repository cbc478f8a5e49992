"""`cases/{number}/comments/`: the comments on a case."""

from http import HTTPStatus

from django.http.response import HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Scope
from registry.api.cases.queries import CaseUnknown, public_case, visible_case
from registry.api.framework.fields import (
    NullableCharField,
    StrictCharField,
    StrictIntegerField,
    StrictSerializer,
)
from registry.api.framework.methods import write_operation
from registry.api.framework.pagination import (
    KeysetPagination,
    PaginatedAPIView,
    page_of,
    page_query,
)
from registry.api.framework.urls import PageLinkField
from registry.api.framework.views import TokenAPIView
from registry.api.schema.operations import NUMBER, operation
from registry.api.schema.token_operations import TEXT_PROBLEMS
from registry.cases import comments
from registry.cases.comments import CommentRefused, DiscussionClosed, NothingToDiscuss
from registry.cases.models import Comment
from registry.core.validators import BodySize


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


class CommentRequestSerializer(StrictSerializer):
    """A comment on one round: on a section, on the whole text, or in reply to another comment."""

    round = StrictIntegerField(source="round_number", help_text="The number of the round.")
    section = StrictCharField(default="", help_text="The key of the section.")
    text = StrictCharField(help_text="The text of the comment.")
    reply_to = StrictIntegerField(required=False, help_text="The number of the comment that it replies to.")


class CommentPagination(KeysetPagination):
    text = "text"


class CommentListView(PaginatedAPIView, TokenAPIView):
    """The comments on all rounds of a case, in order. Participants can add comments, which are public."""

    query = CommentQuerySerializer
    pagination_class = CommentPagination
    knows_etags = True
    max_body = BodySize.TEXTS

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

    @write_operation(
        "createComment",
        "Comment on a round",
        scope=Scope.WRITE,
        request=CommentRequestSerializer,
        response=CommentSerializer,
        status=HTTPStatus.CREATED,
        about="The comment is public. A comment that repeats the previous one is stored once.",
        refusals=(CommentRefused, NothingToDiscuss, DiscussionClosed, *TEXT_PROBLEMS),
        parameters=(NUMBER,),
        links={"comments": ("listComments", {"number": "$request.path.number"})},
    )
    def post(self, request: Request, number: str) -> Response:
        case = visible_case(number, self.user)
        comment = comments.comment(case, by=self.user, **self.validated_data(CommentRequestSerializer))
        return Response(CommentSerializer(comment).data, HTTPStatus.CREATED)
