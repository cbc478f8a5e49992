"""Questions that are too long for an address: resources that take a POST, and keep nothing."""

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

# What is read at once becomes a multiple of that in memory: a worker has to stay small whatever it is asked.
MAX_BODY_BYTES = 2 * 1024 * 1024
# How many URNs are taken at once. An array in an array takes thirty times its own length.
MAX_URNS = 10_000
MAX_BRACKETS = 2 * MAX_URNS


class LimitProblemSerializer(ProblemSerializer):
    """More than are taken at once; `limit` is how many are."""

    limit = serializers.IntegerField()
    sent = serializers.IntegerField()


@with_problem_members(LimitProblemSerializer, limit=MAX_BODY_BYTES, sent=MAX_BODY_BYTES + 1)
class BodyTooLong(RegistryError):
    """The body has more octets than are read here; `limit` is how many are."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    title = "The body is too long"

    def __init__(self, sent: int) -> None:
        super().__init__(
            f"The body has {sent:,} octets; {MAX_BODY_BYTES:,} at most are read. Send several parts."
        )
        self.members = {"limit": MAX_BODY_BYTES, "sent": sent}


# What may be wrong with the body of any of them.
BULK_PROBLEMS: tuple[ProblemKind, ...] = (
    *COMMON_PROBLEMS,
    ParseError,
    ValidationError,
    LengthRequired,
    BodyTooLong,
    UnsupportedMediaType,
)


def _length_of(request: Request) -> int:
    """How long the body is said to be, as Django reads it: beyond that, nothing is a part of it."""
    try:
        return int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        return 0


class LinesParser(BaseParser):
    """One URN a line, as octets: what is no UTF-8 is no URN, and is told so."""

    media_type = "text/plain"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        return stream.read()


class BulkAPIView(PublicAPIView):
    """A resource that is asked by POST: a body is read, and not for long."""

    is_reading = True
    request_headers = "Accept, Content-Type"

    def check_body(self, request: Request) -> None:
        """Read the body, so that one that is too long is refused first of all."""
        check_content_length(request)
        length = _length_of(request)
        if length > MAX_BODY_BYTES:
            raise BodyTooLong(length)
        _ = request._request.body

    def text_of(self, request: Request) -> Any:
        """The body as its parser reads it. Nothing at all is no JSON, whatever it calls itself."""
        if body := request._request.body:
            is_text = request.content_type.partition(";")[0].strip().lower() == LinesParser.media_type
            if not is_text and body.count(b"[") + body.count(b"{") > MAX_BRACKETS:
                raise ParseError("There are more brackets in it than a plain array of texts can need.")
            return request.data
        parser = self.get_content_negotiator().select_parser(request, self.get_parsers())
        if isinstance(parser, LinesParser):
            return b""
        if parser is None and request.content_type:
            raise UnsupportedMediaType(request.content_type)
        raise ParseError("The body is empty.")
