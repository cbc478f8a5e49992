"""Parsers of request bodies: JSON, JSON Merge Patch and plain text."""

import json
from http import HTTPStatus
from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser, JSONParser
from rest_framework.request import Request

from registry.core.exceptions import RegistryError

# No body that means something here has objects in objects so often.
MAX_DEPTH = 50


class LengthRequired(RegistryError):
    """A body is read only when the header Content-Length says how long it is."""

    status = HTTPStatus.LENGTH_REQUIRED
    title = "Say how long the body is"


def check_content_length(request: Request) -> None:
    """Raise LengthRequired for a body that comes in pieces: of one that breaks off, nobody could tell."""
    if "Transfer-Encoding" in request.headers and "Content-Length" not in request.headers:
        raise LengthRequired("Send the body with its Content-Length.")


class StrictJSONParser(JSONParser):
    """JSON in UTF-8, as RFC 8259 has it, in which no name stands twice, and not nested beyond reading."""

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        try:
            value = json.loads(
                stream.read().decode("utf-8"),
                object_pairs_hook=_unique_members,
                parse_constant=_reject_constant,
            )
            _check_depth(value)
        except RecursionError as fault:
            raise ParseError("This is no JSON that can be read: it is nested too deeply.") from fault
        except ValueError as fault:
            raise ParseError(f"This is no JSON: {fault}") from fault
        return value


def _check_depth(value: Any) -> None:
    """Raise RecursionError for what can just be read, but hardly be looked at afterwards."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(MAX_DEPTH):
        values = (each.values() if isinstance(each, dict) else each for each in level)
        level = [below for each in values for below in each if isinstance(below, dict | list)]
    if level:
        raise RecursionError


def _unique_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ParseError("A name stands twice in one object of the JSON; which of the two is meant?")
    return members


def _reject_constant(name: str) -> Any:
    raise ParseError(f"This is no JSON: “{name}” is no number there.")


class MergePatchParser(StrictJSONParser):
    """A JSON Merge Patch (RFC 7396)."""

    media_type = "application/merge-patch+json"


class PlainTextParser(BaseParser):
    """A template as it is read and mailed, in UTF-8."""

    media_type = "text/plain"

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        octets: bytes = stream.read()
        try:
            return octets.decode("utf-8")
        except UnicodeDecodeError as fault:
            raise ParseError(f"Octet {fault.start} of the body is not UTF-8.") from fault


def text_body(request: Request) -> str | None:
    """The body, if it came as a text: an empty one is one, too. None if it came as JSON or not at all."""
    if isinstance(request.data, str):
        return request.data
    is_text = request.content_type.partition(";")[0].strip().lower() == PlainTextParser.media_type
    return "" if is_text else None
