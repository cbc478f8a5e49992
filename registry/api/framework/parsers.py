"""Parsers of request bodies: JSON, JSON Merge Patch and plain text.

The structure of JSON is checked on the octets, because parsed values take many times as much memory. The limits apply
by operation: `max_values` of the view, and `max_body` (`registry.core.http.request_limits`).
"""

import json
import re
from http import HTTPStatus
from itertools import islice
from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser, JSONParser
from rest_framework.request import Request

from registry.core.exceptions import RegistryError

# The maximum nesting of objects and arrays; valid bodies have far less.
MAX_DEPTH = 50
# The maximum number of values, unless the view declares another. A draft with replies has up to 700.
MAX_VALUES = 2_000
MAX_DIGITS = 100
# A string, which may be cut off, or a character that begins, ends or divides an array or an object.
TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[][{},]', re.DOTALL)


class LengthRequired(RegistryError):
    """A request with a body needs the header Content-Length."""

    status = HTTPStatus.LENGTH_REQUIRED
    title = "Length required"


def check_content_length(request: Request) -> None:
    """Raise LengthRequired for a chunked body, because a truncated one could not be detected."""
    if "Transfer-Encoding" in request.headers and "Content-Length" not in request.headers:
        raise LengthRequired("Send the body with the header Content-Length.")


class TooManyValues(RegistryError):
    """The JSON has more values than this operation reads. `limit` is the maximum."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    title = "Too many values"

    def __init__(self, limit: int) -> None:
        super().__init__(f"The JSON has more than {limit:,} values, the limit of this operation.")
        self.members = {"limit": limit}


class StrictJSONParser(JSONParser):
    """JSON in UTF-8 (RFC 8259), without duplicate names, and with limits to its structure."""

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        octets = stream.read()
        check_structure(octets, getattr((parser_context or {}).get("view"), "max_values", MAX_VALUES))
        try:
            return json.loads(
                octets.decode("utf-8"),
                object_pairs_hook=_unique_members,
                parse_constant=_reject_constant,
                parse_int=_integer,
            )
        except ValueError as fault:
            raise ParseError(f"The body is not valid JSON: {fault}") from fault


def check_structure(octets: bytes, max_values: int) -> None:
    """Raise TooManyValues, or ParseError for JSON that is nested too deeply. What is not JSON may pass."""
    brackets, commas = octets.count(b"[") + octets.count(b"{"), octets.count(b",")
    if brackets <= MAX_DEPTH and 1 + brackets + commas <= max_values:
        return  # even if all of them are outside strings
    values, depth = 1, 0
    # JSON has at most four tokens for each value: a name, two brackets and a comma.
    for token in islice(TOKEN.finditer(octets), 4 * max_values + 1):
        match octets[token.start() : token.start() + 1]:
            case b"[" | b"{":
                values, depth = values + 1, depth + 1
            case b"]" | b"}":
                depth -= 1
            case b",":
                values += 1
        if depth > MAX_DEPTH:
            raise ParseError(f"The JSON is nested too deeply: more than {MAX_DEPTH} levels.")
        if values > max_values:
            raise TooManyValues(max_values)


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ParseError(f"The body contains a number with more than {MAX_DIGITS} digits.")
    return int(digits)


def _unique_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ParseError("A JSON object contains a name twice. Remove one of the two members.")
    return members


def _reject_constant(name: str) -> Any:
    raise ParseError(f"The body is not valid JSON: “{name}” is not a JSON number.")


class MergePatchParser(StrictJSONParser):
    """A JSON Merge Patch (RFC 7396)."""

    media_type = "application/merge-patch+json"


class PlainTextParser(BaseParser):
    """Plain text in UTF-8, such as a completed template."""

    media_type = "text/plain"

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        octets: bytes = stream.read()
        try:
            return octets.decode("utf-8")
        except UnicodeDecodeError as fault:
            raise ParseError(f"Octet {fault.start} of the body is not UTF-8.") from fault


def text_body(request: Request) -> str | None:
    """The body if it is plain text, which can be empty; None if it is JSON or missing."""
    if isinstance(request.data, str):
        return request.data
    is_text = request.content_type.partition(";")[0].strip().lower() == PlainTextParser.media_type
    return "" if is_text else None
