"""Checks of many URNs: base classes of resources that take a POST because the request is too long for an address, and
their streamed results.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from itertools import islice
from typing import Any

from django.http import StreamingHttpResponse
from rest_framework.exceptions import ParseError, UnsupportedMediaType, ValidationError
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request

from registry.api.framework.parsers import LengthRequired, StrictJSONParser, check_content_length
from registry.api.framework.views import PublicAPIView
from registry.api.schema.operations import COMMON_PROBLEMS, TOO_LARGE, ProblemKind, with_problem_members
from registry.api.schema.problems import LengthProblemSerializer
from registry.core.exceptions import RegistryError
from registry.core.http.capacity import SlowBody
from registry.core.validators import BodySize

BLOCK = 250  # results that are sent at once
# ASCII only, so that a text with a lone surrogate can be returned.
to_json = json.JSONEncoder(separators=(",", ":")).encode


class JSONLinesRenderer(JSONRenderer):
    """One JSON value a line."""

    media_type = "application/jsonl"
    format = "jsonl"


@dataclass(frozen=True, slots=True)
class BulkResults:
    """The results as JSON, in the order of the texts. The totals are complete after the last one."""

    results: Iterator[str]
    totals: dict[str, int]

    def as_lines(self) -> Iterator[bytes]:
        """JSON Lines, without the totals."""
        for block in self._blocks():
            yield ("\n".join(block) + "\n").encode()

    def as_object(self) -> Iterator[bytes]:
        """One object with the results and the totals."""
        yield b'{"results":['
        separator = ""
        for block in self._blocks():
            yield (separator + ",".join(block)).encode()
            separator = ","
        yield f"],{to_json(self.totals)[1:]}".encode()

    def _blocks(self) -> Iterator[list[str]]:
        while block := list(islice(self.results, BLOCK)):
            yield block


MAX_URNS = 10_000
BULK_PROBLEMS: tuple[ProblemKind, ...] = (
    *COMMON_PROBLEMS,
    ParseError,
    ValidationError,
    LengthRequired,
    SlowBody,
    *TOO_LARGE,
    UnsupportedMediaType,
)


@with_problem_members(LengthProblemSerializer)
class TooManyTexts(RegistryError):
    """The request contains more URNs than can be checked at once. `limit` is the maximum."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    title = "Too many URNs"

    def __init__(self, sent: int) -> None:
        super().__init__(
            f"{sent:,} texts were sent; {MAX_URNS:,} at most are checked at once. Send several parts."
        )
        self.members = {"limit": MAX_URNS, "sent": sent}


class LinesParser(BaseParser):
    """One URN on each line, as octets: a line that is not UTF-8 is reported like any other error."""

    media_type = "text/plain"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        return stream.read()


class ASCIIRenderer(JSONRenderer):
    """JSON in ASCII, so that a text with a lone surrogate can be returned."""

    ensure_ascii = True


class BulkAPIView(PublicAPIView):
    """A resource that is read by POST."""

    renderer_classes: Sequence[type[BaseRenderer]] = (ASCIIRenderer,)
    is_reading = True
    request_headers = "Accept, Authorization, Content-Type"

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


class ManyURNsAPIView(BulkAPIView):
    """A resource with one result for each URN of a request, as JSON or JSON Lines."""

    renderer_classes = (JSONRenderer, JSONLinesRenderer)
    parser_classes: Sequence[type[BaseParser]] = (StrictJSONParser,)
    max_body = BodySize.URNS
    max_values = 2 * MAX_URNS

    def streamed(self, results: BulkResults) -> StreamingHttpResponse:
        renderer = self.request.accepted_renderer
        is_jsonl = isinstance(renderer, JSONLinesRenderer)
        return StreamingHttpResponse(
            results.as_lines() if is_jsonl else results.as_object(), content_type=renderer.media_type
        )


def check_texts(texts: Any, pointer: str) -> None:
    """Raise ValidationError unless these are an array of texts. `pointer` is their member in the body, or ""."""
    if not isinstance(texts, list):
        raise ValidationError({pointer or "non_field_errors": ["This must be an array of texts."]})
    for index, each in enumerate(texts):
        if not isinstance(each, str):
            errors: Any = {str(index): ["This must be a text."]}
            raise ValidationError({pointer: errors} if pointer else errors)


def check_count(count: int) -> None:
    """Raise TooManyTexts."""
    if count > MAX_URNS:
        raise TooManyTexts(count)
