"""Parsers of request bodies: JSON, JSON Merge Patch and plain text."""

import json
from http import HTTPStatus
from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser, JSONParser
from rest_framework.request import Request

from registry.core.exceptions import RegistryError

# The maximum nesting of objects and arrays; valid bodies have far less.
MAX_DEPTH = 50


class LengthRequired(RegistryError):
    """A request with a body needs the header Content-Length."""

    status = HTTPStatus.LENGTH_REQUIRED
    title = "Length required"


def check_content_length(request: Request) -> None:
    """Raise LengthRequired for a chunked body, because a truncated one could not be detected."""
    if "Transfer-Encoding" in request.headers and "Content-Length" not in request.headers:
        raise LengthRequired("Send the body with the header Content-Length.")


class StrictJSONParser(JSONParser):
    """JSON in UTF-8 (RFC 8259), without duplicate names and with limited nesting."""

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        try:
            value = json.loads(
                stream.read().decode("utf-8"),
                object_pairs_hook=_unique_members,
                parse_constant=_reject_constant,
            )
            _check_depth(value)
        except RecursionError as fault:
            raise ParseError("The JSON is nested too deeply.") from fault
        except ValueError as fault:
            raise ParseError(f"The body is not valid JSON: {fault}") from fault
        return value


def _check_depth(value: Any) -> None:
    """Raise RecursionError if the value is nested too deeply for later processing."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(MAX_DEPTH):
        values = (each.values() if isinstance(each, dict) else each for each in level)
        level = [below for each in values for below in each if isinstance(below, dict | list)]
    if level:
        raise RecursionError


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
