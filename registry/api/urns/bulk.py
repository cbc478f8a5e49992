"""Base class of resources that take a POST because the request is too long for an address. They store nothing."""

from typing import Any

from rest_framework.exceptions import ParseError, UnsupportedMediaType, ValidationError
from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from registry.api.framework.parsers import LengthRequired, check_content_length
from registry.api.framework.views import PublicAPIView
from registry.api.schema.operations import COMMON_PROBLEMS, TOO_LARGE, ProblemKind
from registry.core.http.capacity import SlowBody

BULK_PROBLEMS: tuple[ProblemKind, ...] = (
    *COMMON_PROBLEMS,
    ParseError,
    ValidationError,
    LengthRequired,
    SlowBody,
    *TOO_LARGE,
    UnsupportedMediaType,
)


class LinesParser(BaseParser):
    """One URN on each line, as octets: a line that is not UTF-8 is reported like any other error."""

    media_type = "text/plain"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        return stream.read()


class BulkAPIView(PublicAPIView):
    """A resource that is read by POST."""

    is_reading = True
    request_headers = "Accept, Content-Type"

    def check_body(self, request: Request) -> None:
        """Read the body, so that one that is truncated is rejected before anything else."""
        check_content_length(request)
        _ = request._request.body

    def text_of(self, request: Request) -> Any:
        """The parsed body. An empty body is not JSON, even if its Content-Type is."""
        if request._request.body:
            return request.data
        parser = self.get_content_negotiator().select_parser(request, self.get_parsers())
        if isinstance(parser, LinesParser):
            return b""
        if parser is None and request.content_type:
            raise UnsupportedMediaType(request.content_type)
        raise ParseError("The body is empty.")
