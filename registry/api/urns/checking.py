"""`urns/check/`: check many URNs at once. A POST that stores nothing."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Any

from django.http import StreamingHttpResponse
from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from registry.api.framework.fields import RepeatedTextField
from registry.api.framework.parsers import StrictJSONParser
from registry.api.schema.operations import TEXT, operation
from registry.api.urns.bulk import (
    BULK_PROBLEMS,
    MAX_URNS,
    LinesParser,
    ManyURNsAPIView,
    TooManyTexts,
    check_count,
    check_texts,
)
from registry.api.urns.bulk_results import BulkResults, to_json
from registry.api.urns.judging import TooManyNamespaces, judged
from registry.api.urns.serializers import InvalidURNSerializer
from urnsyntax import InvalidURN, is_urn


class URNSyntaxResultSerializer(serializers.Serializer[Any]):
    """The result for one text. The other members are present only if the text is not a URN."""

    number = serializers.IntegerField(help_text="The position of the text in the request, from 1.")
    is_urn = serializers.BooleanField()

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        error = InvalidURNSerializer().get_fields()
        for field in error.values():
            field.required = False
        return super().get_fields() | error


class URNJudgementResultSerializer(serializers.Serializer[Any]):
    """The result for one text at the level of namespaces. Members that do not apply are null."""

    urn = RepeatedTextField(help_text="The text; of a long one that is not a URN, 1,000 characters.")
    is_urn = serializers.BooleanField()
    nid = serializers.CharField(allow_null=True, help_text="The NID in lower case.")
    registered = serializers.BooleanField()
    deprecated = serializers.BooleanField()
    conformant = serializers.BooleanField(
        allow_null=True,
        help_text="Whether the text is a URN that follows the rules of its namespace. Null if no rules are known.",
    )
    reason = serializers.CharField(
        allow_null=True,
        help_text="Why the URN is not conformant or was not judged, or the text is not a URN.",
    )
    canonical = serializers.CharField(
        allow_null=True, help_text="The same for all URNs that are equivalent by the rules of the namespace."
    )


RESULTS = PolymorphicProxySerializer(
    component_name="URNCheckResult",
    serializers=[URNSyntaxResultSerializer, URNJudgementResultSerializer],
    resource_type_field_name=None,
    many=True,
)


@extend_schema_field(RESULTS)
class StreamedResultsField(serializers.ReadOnlyField):
    """The results, which `BulkResults` writes."""


class URNCheckResultsSerializer(serializers.Serializer[Any]):
    """The result for each text, in order, and the totals."""

    results = StreamedResultsField(
        help_text="`URNSyntaxResult` objects if `level` is `syntax`, otherwise `URNJudgementResult` objects."
    )
    good = serializers.IntegerField(help_text="URNs; at the level of namespaces, conformant ones.")
    bad = serializers.IntegerField(help_text="Texts that are not URNs, or URNs that are not conformant.")
    unknown = serializers.IntegerField(
        required=False, help_text="At the level of namespaces, URNs for which no rules are known."
    )


class Level(StrEnum):
    NAMESPACE = "namespace"
    SYNTAX = "syntax"


DEFAULT_LEVEL = Level.NAMESPACE

URNS_SCHEMA = {"type": "array", "maxItems": MAX_URNS, "items": {"type": "string"}}
BODY_SCHEMA = {
    "oneOf": [
        URNS_SCHEMA,
        {
            "type": "object",
            "properties": {
                "urns": URNS_SCHEMA,
                "level": {
                    "type": "string",
                    "enum": [each.value for each in Level],
                    "description": (
                        "Judge each URN by the rules of its namespace, or check the syntax only. "
                        f"By default `{DEFAULT_LEVEL.value}`."
                    ),
                },
            },
            "required": ["urns"],
            "additionalProperties": False,
        },
    ]
}


class CheckURNsView(ManyURNsAPIView):
    """Check up to 10,000 URNs, or 2 MiB, at once: a JSON array of texts, or text/plain with one URN on each line.

    Each URN is judged by the rules of its namespace, with its check digits. An object with the texts as `urns` and
    `"level": "syntax"` checks the syntax only. The response is streamed. With application/jsonl in Accept, or as
    `urns/check.jsonl`, it has one line for each text.
    """

    parser_classes = (StrictJSONParser, LinesParser)

    @operation(
        "checkUrns",
        "Check many URNs",
        response={"application/json": URNCheckResultsSerializer, "application/jsonl": TEXT},
        refusals=[TooManyTexts, TooManyNamespaces],
        common=BULK_PROBLEMS,
        request={"application/json": BODY_SCHEMA, "text/plain": TEXT},
        is_body_needed=True,
    )
    def post(self, request: Request, suffix: str = "") -> StreamingHttpResponse:
        return self.streamed(_results_of(self.text_of(request)))


Faults = Iterator[tuple[int, InvalidURN]]


def _results_of(body: Any) -> BulkResults:
    texts, level = (_lines_of(body), DEFAULT_LEVEL) if isinstance(body, bytes) else _request_in(body)
    check_count(len(texts))
    return judged(texts) if level == Level.NAMESPACE else _of_texts(texts)


def _lines_of(octets: bytes) -> list[str]:
    """The lines of a text; octets that are not UTF-8 become lone surrogates. Raises TooManyTexts."""
    check_count(octets.count(b"\n"))
    lines = octets.decode(errors="surrogateescape").removesuffix("\n").split("\n") if octets else []
    return [line.removesuffix("\r") for line in lines]


def _request_in(body: Any) -> tuple[list[str], str]:
    """The texts of a JSON body, and the level. Raises ValidationError."""
    pointer, level = "", DEFAULT_LEVEL.value
    if isinstance(body, dict):
        if "urns" not in body or not body.keys() <= {"urns", "level"}:
            raise ValidationError({"urns": ["The body must be an array of texts, alone or as “urns”."]})
        level = body.get("level", level)
        if level not in list(Level):
            raise ValidationError({"level": ["This must be “syntax” or “namespace”."]})
        pointer, body = "urns", body["urns"]
    check_texts(body, pointer)
    return body, level


def _of_texts(texts: list[str]) -> BulkResults:
    faults = ((n, InvalidURN(text)) for n, text in enumerate(texts, 1) if not is_urn(text))
    return _with_faults(len(texts), faults)


def _with_faults(count: int, faults: Faults) -> BulkResults:
    totals = {"good": count, "bad": 0}
    return BulkResults(_results(count, faults, totals), totals)


def _results(count: int, faults: Faults, totals: dict[str, int]) -> Iterator[str]:
    """Each result as JSON. Valid ones are formatted without a serializer, because there may be many."""
    last, serializer = 0, InvalidURNSerializer()
    for number, fault in faults:
        yield from map(_VALID.__mod__, range(last + 1, number))
        totals["good"], totals["bad"] = totals["good"] - 1, totals["bad"] + 1
        yield to_json({"number": number, "is_urn": False, **serializer.to_representation(fault)})
        last = number
    yield from map(_VALID.__mod__, range(last + 1, count + 1))


_VALID = '{"number":%d,"is_urn":true}'
