"""`urns/check/`: many URNs at once. To check is to read, though it takes a POST: nothing is kept."""

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
from registry.api.urns.bulk import BULK_PROBLEMS, MAX_URNS, BulkAPIView, LimitProblemSerializer, LinesParser
from registry.api.urns.views import error_to_json
from registry.core.exceptions import RegistryError
from urnsyntax import InvalidURN, is_urn
from urnsyntax.bulk import check_lines

BLOCK = 250


@with_problem_members(LimitProblemSerializer, limit=MAX_URNS, sent=MAX_URNS + 1)
class TooManyTexts(RegistryError):
    """More URNs than are checked at once; `limit` is how many are."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    title = "Too many at once"

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
    """What is said of one text. Of a URN there is nothing more to say."""

    number = serializers.IntegerField(help_text="The place of the text in the request, from 1.")
    is_urn = serializers.BooleanField()
    urn = serializers.CharField(required=False, allow_blank=True, help_text="The text, when it is no URN.")
    position = serializers.IntegerField(required=False, help_text="The first wrong character, from 0.")
    rule = serializers.CharField(required=False, help_text="The rule of the grammar that refuses it.")
    section = serializers.CharField(required=False)
    document = serializers.CharField(required=False)
    reason = serializers.CharField(required=False)


class URNCheckResultsSerializer(serializers.Serializer[Any]):
    """What is said of every text, in order, and how many of them are URNs."""

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
    """Check up to 10,000 URNs, or 2 MiB, at once: a JSON array of texts, or one a line as text/plain.

    The answer is sent while it is made; application/jsonl in Accept asks for a line for each text.
    """

    renderer_classes = (JSONRenderer, JSONLinesRenderer)
    parser_classes = (StrictJSONParser, LinesParser)

    @operation(
        "checkUrns",
        "Are these URNs?",
        answers={"application/json": URNCheckResultsSerializer, "application/jsonl": TEXT},
        refusals=[TooManyTexts],
        common=BULK_PROBLEMS,
        request={"application/json": BODY_SCHEMA, "text/plain": TEXT},
        is_body_needed=True,
        examples={
            "one is none": {
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
        sent = self.text_of(request)
        count, faults = _of_lines(sent) if isinstance(sent, bytes) else _of_texts(_texts_in(sent))
        renderer = request.accepted_renderer
        lines = _entries(count, faults)
        is_jsonl = isinstance(renderer, JSONLinesRenderer)
        return StreamingHttpResponse(
            _as_lines(lines) if is_jsonl else _as_object(lines, count), content_type=renderer.media_type
        )


Faults = Iterator[tuple[int, InvalidURN]]


def _texts_in(sent: Any) -> list[str]:
    """The texts of a JSON body. Raises ValidationError."""
    pointer = "urns" if isinstance(sent, dict) else ""
    if isinstance(sent, dict):
        if set(sent) != {"urns"}:
            raise ValidationError({"urns": ["The body has to be an array of texts, alone or as “urns”."]})
        sent = sent["urns"]
    if not isinstance(sent, list):
        raise ValidationError({pointer or "non_field_errors": ["This has to be an array of texts."]})
    for place, each in enumerate(sent):
        if not isinstance(each, str):
            where: Any = {str(place): ["This has to be a text."]}
            raise ValidationError({pointer: where} if pointer else where)
    return sent


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
    """Every entry as JSON. The good ones are many and all alike."""
    last = 0
    for number, fault in faults:
        yield from map(_VALID.__mod__, range(last + 1, number))
        yield _INVALID(_entry(number, fault))
        last = number
    yield from map(_VALID.__mod__, range(last + 1, count + 1))


_VALID = '{"number":%d,"is_urn":true}'
# ASCII alone, so that a text with half of a character in it can be given back.
_INVALID = json.JSONEncoder(separators=(",", ":")).encode


def _entry(number: int, fault: InvalidURN) -> dict[str, Any]:
    return {"number": number, "is_urn": False, **error_to_json(fault)}


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
