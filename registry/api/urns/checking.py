"""`urns/check/`: check many URNs at once. A POST that stores nothing."""

import json
from collections.abc import Iterable, Iterator
from http import HTTPStatus
from itertools import islice
from typing import Any

from django.http import StreamingHttpResponse
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from registry.api.framework.parsers import StrictJSONParser
from registry.api.schema.operations import TEXT, operation, with_problem_members
from registry.api.schema.problem_serializers import LengthProblemSerializer
from registry.api.urns.bulk import BULK_PROBLEMS, BulkAPIView, LinesParser
from registry.api.urns.serializers import InvalidURNSerializer
from registry.core.exceptions import RegistryError
from registry.core.text_limits import BodySize
from urnsyntax import InvalidURN, is_urn
from urnsyntax.bulk import check_lines

MAX_URNS = 10_000
BLOCK = 250


@with_problem_members(LengthProblemSerializer, limit=MAX_URNS, sent=MAX_URNS + 1)
class TooManyTexts(RegistryError):
    """The request contains more URNs than can be checked at once. `limit` is the maximum."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    title = "Too many URNs"

    def __init__(self, sent: int) -> None:
        super().__init__(
            f"{sent:,} texts were sent; {MAX_URNS:,} at most are checked at once. Send several parts."
        )
        self.members = {"limit": MAX_URNS, "sent": sent}


class JSONLinesRenderer(JSONRenderer):
    """One JSON value a line."""

    media_type = "application/jsonl"
    format = "jsonl"


class URNCheckResultSerializer(serializers.Serializer[Any]):
    """The result for one text. The other members are present only if the text is not a URN."""

    number = serializers.IntegerField(help_text="The position of the text in the request, from 1.")
    is_urn = serializers.BooleanField()

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        error = InvalidURNSerializer().get_fields()
        for field in error.values():
            field.required = False
        return super().get_fields() | error


class URNCheckResultsSerializer(serializers.Serializer[Any]):
    """The result for each text, in order, and the numbers of valid and invalid ones."""

    results = URNCheckResultSerializer(many=True)
    good = serializers.IntegerField()
    bad = serializers.IntegerField()


URNS_SCHEMA = {"type": "array", "maxItems": MAX_URNS, "items": {"type": "string"}}
BODY_SCHEMA = {
    "oneOf": [
        URNS_SCHEMA,
        {
            "type": "object",
            "properties": {"urns": URNS_SCHEMA},
            "required": ["urns"],
            "additionalProperties": False,
        },
    ]
}


class CheckURNsView(BulkAPIView):
    """Check up to 10,000 URNs, or 2 MiB, at once: a JSON array of texts, or text/plain with one URN on each line.

    The response is streamed. With application/jsonl in Accept it has one line for each text.
    """

    renderer_classes = (JSONRenderer, JSONLinesRenderer)
    parser_classes = (StrictJSONParser, LinesParser)
    max_body = BodySize.URNS
    max_values = 2 * MAX_URNS

    @operation(
        "checkUrns",
        "Check many URNs",
        response={"application/json": URNCheckResultsSerializer, "application/jsonl": TEXT},
        refusals=[TooManyTexts],
        common=BULK_PROBLEMS,
        request={"application/json": BODY_SCHEMA, "text/plain": TEXT},
        is_body_needed=True,
        examples={
            "one is invalid": {
                "results": [
                    {"number": 1, "is_urn": True},
                    {
                        "number": 2,
                        "is_urn": False,
                        "urn": "urn:example:",
                        "position": 12,
                        "rule": "NSS",
                        "section": "2.2",
                        "document": "RFC 8141",
                        "reason": "the NSS is empty",
                    },
                ],
                "good": 1,
                "bad": 1,
            }
        },
    )
    def post(self, request: Request) -> StreamingHttpResponse:
        body = self.text_of(request)
        count, faults = _of_lines(body) if isinstance(body, bytes) else _of_texts(_texts_in(body))
        renderer = request.accepted_renderer
        lines = _entries(count, faults)
        is_jsonl = isinstance(renderer, JSONLinesRenderer)
        return StreamingHttpResponse(
            _as_lines(lines) if is_jsonl else _as_object(lines, count), content_type=renderer.media_type
        )


Faults = Iterator[tuple[int, InvalidURN]]


def _texts_in(body: Any) -> list[str]:
    """The texts of a JSON body. Raises ValidationError."""
    pointer = "urns" if isinstance(body, dict) else ""
    if isinstance(body, dict):
        if set(body) != {"urns"}:
            raise ValidationError({"urns": ["The body must be an array of texts, alone or as “urns”."]})
        body = body["urns"]
    if not isinstance(body, list):
        raise ValidationError({pointer or "non_field_errors": ["This must be an array of texts."]})
    for index, each in enumerate(body):
        if not isinstance(each, str):
            errors: Any = {str(index): ["This must be a text."]}
            raise ValidationError({pointer: errors} if pointer else errors)
    return body


def _of_texts(texts: list[str]) -> tuple[int, Faults]:
    _check_count(len(texts))
    return len(texts), ((n, InvalidURN(text)) for n, text in enumerate(texts, 1) if not is_urn(text))


def _of_lines(octets: bytes) -> tuple[int, Faults]:
    count = octets.count(b"\n") + (not octets.endswith(b"\n") and octets != b"")
    _check_count(count)
    return count, ((bad.number, bad.error) for bad in check_lines(octets))


def _check_count(count: int) -> None:
    if count > MAX_URNS:
        raise TooManyTexts(count)


def _entries(count: int, faults: Faults) -> Iterator[str]:
    """Each entry as JSON. Valid ones are formatted without a serializer, because there may be many."""
    last, serializer = 0, InvalidURNSerializer()
    for number, fault in faults:
        yield from map(_VALID.__mod__, range(last + 1, number))
        yield _INVALID({"number": number, "is_urn": False, **serializer.to_representation(fault)})
        last = number
    yield from map(_VALID.__mod__, range(last + 1, count + 1))


_VALID = '{"number":%d,"is_urn":true}'
# ASCII only, so that a text with a lone surrogate can be returned.
_INVALID = json.JSONEncoder(separators=(",", ":")).encode


def _blocks(entries: Iterable[str]) -> Iterator[list[str]]:
    entries = iter(entries)
    while block := list(islice(entries, BLOCK)):
        yield block


def _as_lines(entries: Iterable[str]) -> Iterator[bytes]:
    for block in _blocks(entries):
        yield ("\n".join(block) + "\n").encode()


def _as_object(entries: Iterable[str], count: int) -> Iterator[bytes]:
    good, separator = 0, '{"results":['
    for block in _blocks(entries):
        good += sum(entry.endswith("true}") for entry in block)
        yield (separator + ",".join(block)).encode()
        separator = ","
    beginning = '{"results":[' if not count else ""
    yield f'{beginning}],"good":{good},"bad":{count - good}}}'.encode()
