"""Base class of resources that take a POST because the request is too long for an address. They store nothing."""

from http import HTTPStatus
from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ParseError, UnsupportedMediaType, ValidationError
from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from registry.api.framework.parsers import LengthRequired, check_content_length
from registry.api.framework.views import PublicAPIView
from registry.api.schema.operations import COMMON_PROBLEMS, ProblemKind, with_problem_members
from registry.api.schema.problem_serializers import ProblemSerializer
from registry.core.exceptions import RegistryError
from registry.core.http.capacity import SlowBody

# A body takes several times its length in memory, and workers have to stay small.
MAX_BODY_BYTES = 2 * 1024 * 1024
MAX_URNS = 10_000
# An array in an array takes thirty times its length in memory.
MAX_BRACKETS = 2 * MAX_URNS


class LimitProblemSerializer(ProblemSerializer):
    """The request is longer than `limit`; `sent` is its length."""

    limit = serializers.IntegerField()
    sent = serializers.IntegerField()


@with_problem_members(LimitProblemSerializer, limit=MAX_BODY_BYTES, sent=MAX_BODY_BYTES + 1)
class BodyTooLong(RegistryError):
    """The body has more octets than are read here. `limit` is the maximum."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    title = "The body is too long"

    def __init__(self, sent: int) -> None:
        super().__init__(
            f"The body has {sent:,} octets; the limit is {MAX_BODY_BYTES:,}. Send several smaller requests."
        )
        self.members = {"limit": MAX_BODY_BYTES, "sent": sent}


BULK_PROBLEMS: tuple[ProblemKind, ...] = (
    *COMMON_PROBLEMS,
    ParseError,
    ValidationError,
    LengthRequired,
    SlowBody,
    BodyTooLong,
    UnsupportedMediaType,
)


def _length_of(request: Request) -> int:
    """The Content-Length. Django reads at most this many octets."""
    try:
        return int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        return 0


class LinesParser(BaseParser):
    """One URN on each line, as octets: a line that is not UTF-8 is reported like any other error."""

    media_type = "text/plain"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        return stream.read()


class BulkAPIView(PublicAPIView):
    """A resource that is read by POST, with a limit to the body."""

    is_reading = True
    request_headers = "Accept, Content-Type"

    def check_body(self, request: Request) -> None:
        """Read the body, so that one that is too long is rejected before anything else."""
        check_content_length(request)
        length = _length_of(request)
        if length > MAX_BODY_BYTES:
            raise BodyTooLong(length)
        _ = request._request.body

    def text_of(self, request: Request) -> Any:
        """The parsed body. An empty body is not JSON, even if its Content-Type is."""
        if body := request._request.body:
            is_text = request.content_type.partition(";")[0].strip().lower() == LinesParser.media_type
            if not is_text and body.count(b"[") + body.count(b"{") > MAX_BRACKETS:
                raise ParseError("The body has too many brackets for an array of texts.")
            return request.data
        parser = self.get_content_negotiator().select_parser(request, self.get_parsers())
        if isinstance(parser, LinesParser):
            return b""
        if parser is None and request.content_type:
            raise UnsupportedMediaType(request.content_type)
        raise ParseError("The body is empty.")
