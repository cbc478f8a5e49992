"""`urns/check/`: check many URNs at once, by syntax or by the profile of each namespace. A POST that stores nothing."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from http import HTTPStatus
from typing import Any

from django.http import StreamingHttpResponse
from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from registry.api.framework.fields import MAX_REPEATED, RepeatedTextField
from registry.api.framework.parsers import StrictJSONParser
from registry.api.schema.operations import TEXT, operation, with_problem_members
from registry.api.schema.problems import LengthProblemSerializer
from registry.api.urns.bulk import (
    BULK_PROBLEMS,
    MAX_URNS,
    BulkResults,
    LinesParser,
    ManyURNsAPIView,
    TooManyTexts,
    check_count,
    check_texts,
    to_json,
)
from registry.api.urns.serializers import InvalidURNSerializer, JudgementNoteSerializer, URNNoteSerializer
from registry.core.exceptions import RegistryError
from registry.core.validators import shortened
from registry.namespaces.current_profiles import profiles_of
from registry.namespaces.models import Namespace
from registry.sightings.models import Sighting
from registry.subnamespaces.lists import entries_for_many
from urnsyntax import URN, InvalidURN, is_urn
from urnsyntax.encoding import display
from urnsyntax.nid import is_well_formed
from urnsyntax.profiles.bulk import CheckedLine, judge_many
from urnsyntax.recognition import recognise

# A process that has not read a profile yet needs milliseconds for it.
MAX_PROFILES = 500
VERDICTS = {True: ("true", "good"), False: ("false", "bad"), None: ("null", "unknown")}


@with_problem_members(LengthProblemSerializer)
class TooManyNamespaces(RegistryError):
    """The URNs belong to more namespaces with a profile than can be judged at once. `limit` is the maximum."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    title = "Too many namespaces"

    def __init__(self, sent: int) -> None:
        super().__init__(
            f"The URNs belong to {sent:,} namespaces with a profile; {MAX_PROFILES:,} at most are judged at once. "
            "Send several parts, ordered by NID."
        )
        self.members = {"limit": MAX_PROFILES, "sent": sent}


def judged(texts: list[str]) -> BulkResults:
    """The result for each text. The namespaces are read before the first one. Raises TooManyNamespaces."""
    nids = nids_in(texts)
    rows = Namespace.objects.filter(nid__in=nids).order_by()
    is_deprecated, with_profile, with_list = {}, [], {}
    fields = ("pk", "nid", "deprecated_at", "profile", "has_subnamespaces")
    for pk, nid, deprecated_at, profile, has_subnamespaces in rows.values_list(*fields):
        is_deprecated[nid] = deprecated_at is not None
        if profile:
            with_profile.append(nid)
            if has_subnamespaces:
                with_list[nid] = pk
    _check_number(len(with_profile))
    totals = dict.fromkeys(("good", "bad", "unknown"), 0)
    profiles = profiles_of(with_profile)
    lists = entries_for_many(texts, with_list, profiles)
    unregistered = nids - is_deprecated.keys()
    seen = Sighting.objects.confirmed().of(unregistered).values_list("nid", flat=True)
    sighted = set(seen) if unregistered else set[str]()
    lines = judge_many(texts, profiles, lists=lists)
    return BulkResults(_judged_results(lines, _NamespaceMembers(is_deprecated, sighted), totals), totals)


def nids_in(texts: list[str]) -> set[str]:
    """The NIDs of all texts that are URNs, in lower case, and perhaps of others."""
    found = {text[4 : text.find(":", 4)] for text in texts}  # after "urn:"
    return {nid.lower() for nid in found if is_well_formed(nid)}


def check_profiles(nids: set[str]) -> None:
    """Raise TooManyNamespaces if these NIDs have more profiles than one request can use."""
    if len(nids) > MAX_PROFILES:  # otherwise no query is needed
        _check_number(Namespace.objects.filter(nid__in=nids, profile__isnull=False).order_by().count())


def _check_number(of_profiles: int) -> None:
    if of_profiles > MAX_PROFILES:
        raise TooManyNamespaces(of_profiles)


class _NamespaceMembers(dict[str, str]):
    """The members that all URNs of a namespace share, as JSON, by the NID as written."""

    def __init__(self, is_deprecated: Mapping[str, bool], sighted: Collection[str]) -> None:
        super().__init__()
        self._is_deprecated, self._sighted = is_deprecated, sighted

    def __missing__(self, written: str) -> str:
        nid = written.lower()
        registered, deprecated = nid in self._is_deprecated, self._is_deprecated.get(nid, False)
        members = {"is_urn": True, "nid": nid, "registered": registered, "deprecated": deprecated}
        members["sighted"] = nid in self._sighted
        self[written] = shared = to_json(members)[1:-1]
        return shared


def _judged_results(
    lines: Iterable[CheckedLine], namespaces: _NamespaceMembers, totals: dict[str, int]
) -> Iterator[str]:
    for line in lines:
        nid, conformant = line.nid, line.verdict.conformant
        verdict, total = VERDICTS[conformant]
        totals[total] += 1
        if nid is None:
            yield _invalid(line)
            continue
        reason = "" if conformant else line.reason
        reason = to_json(reason) if reason else "null"
        subnamespaces = to_json(line.subnamespaces) if line.subnamespaces else "[]"
        # The characters of a URN need no escapes.
        yield (
            f'{{"urn":"{line.text}",{namespaces[nid]},"conformant":{verdict},"reason":{reason},'
            f'"canonical":"{line.canonical}","displayed":{_displayed(line.text)},'
            f'"subnamespaces":{subnamespaces},"notes":{_rows(line.notes, NOTE_MEMBERS)},"doubts":{_rows(line.doubts, DOUBT_MEMBERS)}}}'
        )


# To serialize with them would take ten times as long as all else.
NOTE_MEMBERS = tuple(URNNoteSerializer().fields)
DOUBT_MEMBERS = tuple(JudgementNoteSerializer().fields)


def _rows(objects: Sequence[object], members: Sequence[str]) -> str:
    """The members of each object, as JSON; null for an empty text, as in the check of one URN."""
    if not objects:
        return "[]"
    return to_json([{name: _value(each, name) for name in members} for each in objects])


def _value(of: object, name: str) -> object:
    value = getattr(of, name)
    return None if value == "" else value


def _displayed(text: str) -> str:
    """The form of a URN for people, as JSON; null if it is the URN itself, as without percent-encodings."""
    if "%" not in text:
        return "null"
    shown = display(URN.parse(text))
    return "null" if shown == text else to_json(shown)


def _invalid(line: CheckedLine) -> str:
    members = {"is_urn": False, "nid": None, "registered": False, "deprecated": False}
    members |= {"sighted": False, "conformant": False}
    return to_json(
        {
            "urn": shortened(line.text, MAX_REPEATED),
            **members,
            "reason": _reason(line),
            "canonical": None,
            "displayed": None,
            "subnamespaces": [],
            "notes": [],
            "doubts": [],
        }
    )


def _reason(line: CheckedLine) -> str:
    found = recognise(line.text)
    return f"{line.reason} This is {found.kind}." if found else line.reason


class URNSyntaxResultSerializer(serializers.Serializer[Any]):
    """The result for one text. The other members are present only if the text is not a URN."""

    number = serializers.IntegerField(help_text="The position of the text in the request, from 1.")
    is_urn = serializers.BooleanField(help_text="Whether the text is a URN (RFC 8141, Section 2).")

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        error = InvalidURNSerializer().get_fields()
        for field in error.values():
            field.required = False
        return super().get_fields() | error


class URNJudgementResultSerializer(serializers.Serializer[Any]):
    """The result for one text at the level of namespaces. Members that do not apply are null."""

    urn = RepeatedTextField(help_text="The text; of a long one that is not a URN, 1,000 characters.")
    is_urn = serializers.BooleanField(help_text="Whether the text is a URN (RFC 8141, Section 2).")
    nid = serializers.CharField(allow_null=True, help_text="The NID in lower case.")
    registered = serializers.BooleanField(help_text="Whether the namespace of the URN is registered.")
    deprecated = serializers.BooleanField(help_text="Whether the namespace is deprecated.")
    sighted = serializers.BooleanField(
        help_text="Whether the NID is in use without a registration, by a confirmed sighting (`nids/{nid}/` has them)."
    )
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
    displayed = serializers.CharField(
        allow_null=True,
        help_text="The URN for people, with characters beyond ASCII decoded (RFC 8141, Section 4.4); null if it is the same.",
    )
    subnamespaces = serializers.ListField(
        child=serializers.CharField(),
        help_text="The prefixes of the sub-namespaces that the URN belongs to, the outermost first.",
    )
    notes = URNNoteSerializer(many=True, help_text="Remarks that are not errors, as in the check of one URN.")
    doubts = JudgementNoteSerializer(
        many=True,
        help_text=(
            "What is doubtful in a conformant URN: the `notes` of the judgement in the check of one URN, without near "
            "sub-namespaces."
        ),
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

URNS_SCHEMA = {
    "type": "array",
    "maxItems": MAX_URNS,
    "items": {"type": "string"},
    "description": "The texts to check.",
}
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
