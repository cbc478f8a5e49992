"""`urns/check/` and `urns/compare/`: many URNs at once, and two held against each other.

To check is to read, though it takes a POST: nothing is kept.
"""

import json
from collections.abc import Iterable, Iterator
from http import HTTPStatus
from itertools import islice
from typing import Any

from django.http import StreamingHttpResponse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ParseError, UnsupportedMediaType, ValidationError
from rest_framework.parsers import BaseParser
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.bodies import Body, StrictJSONParser, Words
from registry.api.description import EVERYWHERE, TEXT, URN_SHAPE, operation, with_members
from registry.api.problem_shapes import Problem, URNProblem
from registry.api.problems import TOO_LARGE
from registry.api.resources import PublicResource
from registry.api.urns import A_FAULT, URNMalformed
from registry.errors import RegistryError
from registry.namespaces.models import Namespace, RulesVersion
from urnsyntax import URN, InvalidURN, equivalent, is_urn
from urnsyntax.bulk import check_lines

MOST_AT_ONCE = 10_000
# What is read at once becomes a multiple of that in memory: a worker has to stay small whatever it is asked.
MOST_OCTETS = 2 * 1024 * 1024
# An array in an array takes thirty times its own length.
MOST_BRACKETS = 2 * MOST_AT_ONCE
BLOCK = 250


class TooManyProblem(Problem):
    """More than are taken at once; `limit` is how many are."""

    limit = serializers.IntegerField()
    sent = serializers.IntegerField()


@with_members(TooManyProblem, limit=MOST_AT_ONCE, sent=MOST_AT_ONCE + 1)
class TooManyTexts(RegistryError):
    """More URNs than are checked at once; `limit` is how many are."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    title = "Too many at once"

    def __init__(self, sent: int) -> None:
        super().__init__(
            f"{sent:,} texts were sent; {MOST_AT_ONCE:,} at most are checked at once. Send several parts."
        )
        self.members = {"limit": MOST_AT_ONCE, "sent": sent}


@with_members(TooManyProblem, limit=MOST_OCTETS, sent=MOST_OCTETS + 1)
class BodyTooLong(RegistryError):
    """The body has more octets than are read here; `limit` is how many are."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    title = "The body is too long"

    def __init__(self, sent: int) -> None:
        super().__init__(
            f"The body has {sent:,} octets; {MOST_OCTETS:,} at most are read. Send several parts."
        )
        self.members = {"limit": MOST_OCTETS, "sent": sent}


class ComparedProblem(URNProblem):
    """A text that is to be compared and is no URN; `pointer` leads to it."""

    pointer = serializers.CharField()


@with_members(ComparedProblem, pointer="#/second", **A_FAULT)
class ComparedMalformed(URNMalformed):
    """One of the texts to compare is not a URN; `pointer` says which, `position` where it stops being one."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "This is not a URN"

    def __init__(self, fault: InvalidURN, pointer: str) -> None:
        super().__init__(fault)
        self.members["pointer"] = pointer


class JSONLinesRenderer(JSONRenderer):
    """One JSON value a line."""

    media_type = "application/jsonl"
    format = "jsonl"


class LinesParser(BaseParser):
    """One URN a line, as octets: what is no UTF-8 is no URN, and is told so."""

    media_type = "text/plain"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        return stream.read()


class CheckedURN(serializers.Serializer[Any]):
    """What is said of one text. Of a URN there is nothing more to say."""

    number = serializers.IntegerField(help_text="The place of the text in the request, from 1.")
    is_urn = serializers.BooleanField()
    urn = serializers.CharField(required=False, allow_blank=True, help_text="The text, when it is no URN.")
    position = serializers.IntegerField(required=False, help_text="The first wrong character, from 0.")
    rule = serializers.CharField(required=False, help_text="The rule of the grammar that refuses it.")
    section = serializers.CharField(required=False)
    document = serializers.CharField(required=False)
    reason = serializers.CharField(required=False)


class CheckedList(serializers.Serializer[Any]):
    """What is said of every text, in order, and how many of them are URNs."""

    results = CheckedURN(many=True)
    good = serializers.IntegerField()
    bad = serializers.IntegerField()


URNS = {"type": "array", "maxItems": MOST_AT_ONCE, "items": {"type": "string"}}
BODY = {
    "oneOf": [
        URNS,
        {"type": "object", "properties": {"urns": URNS}, "required": ["urns"], "additionalProperties": False},
    ]
}


class PostedResource(PublicResource):
    """A resource that is asked by POST, and keeps nothing."""

    is_reading = True
    parser_classes: Any = (StrictJSONParser,)
    request_headers = "Accept, Content-Type"

    def admit(self, request: Request) -> None:
        """Read the body, so that one that is too long is refused first of all."""
        length = request.META.get("CONTENT_LENGTH") or "0"
        if length.isascii() and length.isdigit() and int(length) > MOST_OCTETS:
            raise BodyTooLong(int(length))
        # Without a length that is true, no more is read than anywhere else.
        if len(request._request.body) > MOST_OCTETS:
            raise BodyTooLong(len(request._request.body))

    def text_of(self, request: Request) -> Any:
        """The body as its parser reads it. Nothing at all is no JSON, whatever it calls itself."""
        if body := request._request.body:
            is_text = request.content_type.partition(";")[0].strip().lower() == LinesParser.media_type
            if not is_text and body.count(b"[") + body.count(b"{") > MOST_BRACKETS:
                raise ParseError("There are more brackets in it than a plain array of texts can need.")
            return request.data
        parser = self.get_content_negotiator().select_parser(request, self.get_parsers())
        if isinstance(parser, LinesParser):
            return b""
        if parser is None and request.content_type:
            raise UnsupportedMediaType(request.content_type)
        raise ParseError("The body is empty.")


class URNsCheck(PostedResource):
    """Check up to 10,000 URNs, or 2 MiB, at once: a JSON array of texts, or one a line as text/plain.

    The answer is sent while it is made; application/jsonl in Accept asks for a line for each text.
    """

    renderer_classes = (JSONRenderer, JSONLinesRenderer)
    parser_classes = (StrictJSONParser, LinesParser)

    @operation(
        "check_urns",
        "Are these URNs?",
        answers={"application/json": CheckedList, "application/jsonl": TEXT},
        refusals=[ParseError, ValidationError, TooManyTexts, BodyTooLong, TOO_LARGE, UnsupportedMediaType],
        common=EVERYWHERE,
        request={"application/json": BODY, "text/plain": TEXT},
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
    if count > MOST_AT_ONCE:
        raise TooManyTexts(count)


def _entries(count: int, faults: Faults) -> Iterator[str]:
    """Every entry as JSON. The good ones are many and all alike."""
    last = 0
    for number, fault in faults:
        yield from map(_GOOD.__mod__, range(last + 1, number))
        yield _BAD(_entry(number, fault))
        last = number
    yield from map(_GOOD.__mod__, range(last + 1, count + 1))


_GOOD = '{"number":%d,"is_urn":true}'
# ASCII alone, so that a text with half of a character in it can be given back.
_BAD = json.JSONEncoder(separators=(",", ":")).encode


def _entry(number: int, fault: InvalidURN) -> dict[str, Any]:
    return {
        "number": number,
        "is_urn": False,
        "urn": fault.text,
        "position": fault.position,
        "rule": fault.rule,
        "section": fault.section,
        "document": fault.document,
        "reason": fault.reason,
    }


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


@extend_schema_field(URN_SHAPE)
class URNField(serializers.CharField):
    """A URN."""


class Pair(serializers.Serializer[Any]):
    """Two URNs to compare."""

    first = URNField()
    second = URNField()


class ComparedSerializer(serializers.Serializer[Any]):
    """Whether two URNs are URN-equivalent: by section 3.1, or else by the rules of their namespace."""

    are_equivalent = serializers.BooleanField()
    by = serializers.ChoiceField(
        choices=["section", "rules"],
        allow_null=True,
        help_text="What makes them so: section 3.1 alone, or rules that the namespace adds.",
    )
    first = serializers.CharField(help_text="The first one's normal form, without components.")
    second = serializers.CharField(help_text="The second one's.")
    position = serializers.IntegerField(
        allow_null=True, help_text="Where these forms part, from 0; null where the URNs are equivalent."
    )
    section = serializers.CharField()
    rules_version = serializers.IntegerField(
        allow_null=True, help_text="The version of the namespace's rules that were asked, if any were."
    )


class PairBody(Body):
    """Two texts, as they were sent."""

    first = Words()
    second = Words()


class URNsCompare(PostedResource):
    """Hold two URNs against each other (RFC 8141, section 3.1): components do not count, and of letters that
    are percent-encoded or name the namespace, the case does not. Where that leaves two URNs of one namespace
    different, its rules may still make them one (namespaces/{nid}/rules/).
    """

    @operation(
        "compare_urns",
        "Are these two URN-equivalent?",
        answers=ComparedSerializer,
        refusals=[
            ParseError,
            ValidationError,
            BodyTooLong,
            TOO_LARGE,
            UnsupportedMediaType,
            ComparedMalformed,
        ],
        common=EVERYWHERE,
        request=Pair,
        is_body_needed=True,
        examples={
            "equivalent": {
                "are_equivalent": True,
                "by": "section",
                "first": "urn:example:a%2Cz",
                "second": "urn:example:a%2Cz",
                "position": None,
                "section": "3.1",
                "rules_version": None,
            }
        },
    )
    def post(self, request: Request) -> Response:
        body = PairBody(data=self.text_of(request))
        body.is_valid(raise_exception=True)
        first, second = (_normal_form(body.validated_data[name], f"#/{name}") for name in ("first", "second"))
        rules = _rules_for(first, second)
        by = _what_makes_one(first, second, rules)
        return Response(
            {
                "are_equivalent": by is not None,
                "by": by,
                "first": str(first),
                "second": str(second),
                "position": None if by else _parting(str(first), str(second)),
                "section": "3.1",
                "rules_version": rules.version if rules else None,
            }
        )


def _normal_form(text: str, pointer: str) -> URN:
    try:
        return URN.parse(text).normalized()
    except InvalidURN as fault:
        raise ComparedMalformed(fault, pointer) from fault


def _rules_for(first: URN, second: URN) -> RulesVersion | None:
    """The rules of the namespace of both, where section 3.1 does not say it alone."""
    if first == second or first.nid != second.nid:
        return None
    namespace = Namespace.objects.with_rules().filter(nid=first.nid).first()
    return namespace.rules if namespace else None


def _what_makes_one(first: URN, second: URN, rules: RulesVersion | None) -> str | None:
    if first == second:
        return "section"
    is_one = rules is not None and equivalent(first, second, rules.value.equivalence)
    return "rules" if is_one else None


def _parting(first: str, second: str) -> int:
    pairs = enumerate(zip(first, second, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(first), len(second)))
