"""Fields of query parameters, of request bodies and of responses, and the base class of request bodies.

Fields of bodies are strict: they do not convert a value of another type.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from http import HTTPStatus
from itertools import islice
from typing import Any
from urllib.parse import unquote_to_bytes

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request

from registry.core.exceptions import RegistryError
from registry.core.validators import MAX_LISTED, first_of, shortened
from registry.namespaces.search_terms import MAX_QUERY_LENGTH
from urnsyntax.nid import NID_PATTERN, is_well_formed

# A number that fits a database column, in ASCII digits, without leading zeros.
WHOLE_NUMBER = re.compile("0|[1-9][0-9]{0,17}")
MAX_NUMBER = 10**18 - 1
MAX_REPEATED = 1_000  # characters
# Of a sub-namespace that replaces another one.
SUCCESSOR_STATUS = "The status of the successor now: it can be deprecated or retired itself. Null without one, and if it is not listed."
NID_HELP = "The namespace identifier, in lower case."
# In a response.
nid_field = partial(serializers.CharField, help_text=NID_HELP)
_MONTH, _DAY = "[0-9]{4}-(0[1-9]|1[0-2])", "(0[1-9]|[12][0-9]|3[01])"
_HOUR_AND_MINUTE = "([01][0-9]|2[0-3]):[0-5][0-9]"
# RFC 3339, Section 5.6, without leap seconds; or a day or a month.
INSTANT = rf"{_MONTH}(-{_DAY}(T{_HOUR_AND_MINUTE}:[0-5][0-9](\.[0-9]{{1,6}})?(Z|[+-]{_HOUR_AND_MINUTE}))?)?"
# No control characters.
SINGLE_LINE = re.compile(r"[^\u0000-\u001f\u007f-\u009f]*")


class InvalidParameter(RegistryError):
    """A query parameter is unknown, given twice, missing or invalid; `errors` names each."""

    status = HTTPStatus.BAD_REQUEST
    title = "Invalid parameter"

    def __init__(self, reasons: Mapping[str, str]) -> None:
        super().__init__(first_of(reasons.values(), " "))
        first = islice(reasons.items(), MAX_LISTED)
        self.members = {"errors": [{"parameter": shortened(name), "detail": why} for name, why in first]}


class QueryNotUnicode(RegistryError):
    """The query of the address is not UTF-8 after percent-decoding."""

    status = HTTPStatus.BAD_REQUEST
    title = "Query is not UTF-8"


def parse_number(part: str, *, max_value: int = MAX_NUMBER) -> int:
    """The number in a part of a URL; 0, which no object has, if it is not a number or too large."""
    number = int(part) if WHOLE_NUMBER.fullmatch(part) else 0
    return number if number <= max_value else 0


class QueryIntegerField(serializers.Field[int, str, int, Any]):
    """A whole number, in ASCII digits."""

    default_error_messages = {"range": "“{name}” must be a whole number from {min_value} to {max_value}."}

    def __init__(self, *, min_value: int = 0, max_value: int = MAX_NUMBER, **options: Any) -> None:
        super().__init__(**options)
        self.min_value, self.max_value = min_value, max_value

    def to_internal_value(self, data: str) -> int:
        if not WHOLE_NUMBER.fullmatch(data) or not self.min_value <= int(data) <= self.max_value:
            self.fail("range", name=self.field_name, min_value=self.min_value, max_value=self.max_value)
        return int(data)


@extend_schema_field({"type": "string", "pattern": f"^({NID_PATTERN})$"})
class NIDField(serializers.CharField):
    """A case-insensitive NID, converted to lower case."""

    default_error_messages = {"malformed": "“{name}” must be a NID, such as “isbn”."}

    def run_validation(self, data: Any = serializers.empty) -> Any:
        if data is not serializers.empty and not is_well_formed(str(data)):
            self.fail("malformed", name=self.field_name)
        return super().run_validation(data)

    def to_internal_value(self, data: Any) -> str:
        return str(data).lower()


class NIDKeyField(serializers.CharField):
    """The key after which a page starts: a text that contains a NID, converted to lower case."""

    default_error_messages = {"malformed": "“{name}” must be the key of an entry, as in `next`."}
    key: re.Pattern[str]

    def run_validation(self, data: Any = serializers.empty) -> Any:
        if data is not serializers.empty and not self.key.fullmatch(str(data)):
            self.fail("malformed", name=self.field_name)
        return super().run_validation(data)

    def to_internal_value(self, data: Any) -> str:
        return str(data).lower()


@extend_schema_field({"type": "string", "pattern": f"^{INSTANT}$"})
class UpdatedSinceField(serializers.Field[datetime, str, datetime, Any]):
    """An instant with its offset (RFC 3339), or the beginning of a day or a month in UTC."""

    def __init__(self, entries: str) -> None:
        text = f"Only {entries} whose `changed_at` is not before this instant, or the beginning of this day or month in UTC."
        more = "Ask from some minutes before your last request: a long change has the time of its beginning."
        super().__init__(required=False, help_text=f"{text} {more}")

    default_error_messages = {
        "instant": "“{name}” must be an instant, a day or a month, such as 2026-01-31T12:00:00Z, 2026-01-31 or 2026-01. "
        "In an address, write “+” as “%2B”."
    }

    def to_internal_value(self, data: str) -> datetime:
        if not re.fullmatch(INSTANT, data):
            self.fail("instant", name=self.field_name)
        try:
            found = datetime.fromisoformat(data if len(data) > 7 else f"{data}-01")
            # A day has no offset.
            return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
        except (ValueError, OverflowError):  # such as 31 February, or before the year 1
            self.fail("instant", name=self.field_name)


@extend_schema_field({"type": "string", "maxLength": MAX_QUERY_LENGTH, "pattern": f"^{SINGLE_LINE.pattern}$"})
class SearchTextField(serializers.Field[str, str, str, Any]):
    """Words to search for, on one line. A blank text matches everything."""

    default_error_messages = {
        "unsearchable": "“{name}” must have at most {most} characters and no control characters.",
    }

    def to_internal_value(self, data: str) -> str:
        if len(data) > MAX_QUERY_LENGTH or not SINGLE_LINE.fullmatch(data):
            self.fail("unsearchable", name=self.field_name, most=MAX_QUERY_LENGTH)
        return data.strip()


def query_choice(name: str, choices: tuple[str, ...], **options: Any) -> serializers.ChoiceField:
    """A query parameter with a fixed set of values."""
    message = f"“{name}” must be {' or '.join(f'“{each}”' for each in choices)}."
    return serializers.ChoiceField(
        choices=choices,
        required=False,
        error_messages={"invalid_choice": message, "null": message},
        **options,
    )


def body_choice(choices: Sequence[tuple[str, str]], **options: Any) -> serializers.ChoiceField:
    """A member of a body with a fixed set of values."""
    values = " or ".join(f"“{value}”" for value, _ in choices)
    options["error_messages"] = {"invalid_choice": f"This must be {values}."}
    return serializers.ChoiceField(choices, **options)


@extend_schema_field({"type": "boolean"})
class QueryBooleanField(serializers.Field[bool, str, bool, Any]):
    """“true” or “false”."""

    default_error_messages = {"word": "“{name}” must be “true” or “false”."}

    def to_internal_value(self, data: str) -> bool:
        if data not in {"true", "false"}:
            self.fail("word", name=self.field_name)
        return data == "true"


def query_parameters(request: Request, query: type[serializers.Serializer[Any]] | None) -> dict[str, Any]:
    """The values of the query parameters, validated by the serializer `query`. Without it, no parameter is allowed.

    Raises QueryNotUnicode, or InvalidParameter with all invalid parameters.
    """
    check_query_encoding(request)
    serializer = query(data=request.query_params.dict()) if query else None
    known = serializer.fields if serializer else {}
    reasons = {
        name: _unknown(name, list(known)) if name not in known else f"“{name}” is given more than once."
        for name, values in request.query_params.lists()
        if name not in known or len(values) > 1
    }
    if serializer and not serializer.is_valid():
        reasons = {name: " ".join(map(str, why)) for name, why in serializer.errors.items()} | reasons
    if reasons:
        raise InvalidParameter(reasons)
    return dict(serializer.validated_data) if serializer else {}


def check_query_encoding(request: Request) -> None:
    """Raise QueryNotUnicode for a query that is not UTF-8. Django would replace invalid octets with U+FFFD."""
    try:
        unquote_to_bytes(request.META.get("QUERY_STRING", "").encode("latin-1")).decode()
    except UnicodeDecodeError as fault:
        raise QueryNotUnicode(
            f"Octet {fault.start} of the percent-decoded query is not UTF-8. "
            "Encode a literal “%”, such as one in a URN, as “%25”."
        ) from fault


def _unknown(name: str, known: list[str]) -> str:
    parameters = f"The parameters are {', '.join(known)}" if known else "This resource has no parameters"
    return f"“{shortened(name)}” is not a parameter. {parameters}."


@extend_schema_field(OpenApiTypes.STR)
class StrictCharField(serializers.Field[str, str, str, Any]):
    """A text. The action validates it, as for pages."""

    default_error_messages = {"text": "This must be a text."}

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("text")
        return data

    def to_representation(self, value: str) -> str:
        return value


@extend_schema_field(OpenApiTypes.BOOL)
class StrictBooleanField(serializers.Field[bool, bool, bool, Any]):
    """A JSON boolean."""

    default_error_messages = {"boolean": "This must be true or false."}

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("boolean")
        return data

    def to_representation(self, value: bool) -> bool:
        return value


@extend_schema_field({"type": "integer", "minimum": 0, "maximum": 2**31 - 1})
class StrictIntegerField(serializers.Field[int, int, int, Any]):
    """A whole number from 0 to 2147483647."""

    default_error_messages = {"number": "This must be a whole number from 0 to 2147483647."}

    def to_internal_value(self, data: Any) -> int:
        # In JSON, 1.0 equals 1 (JSON Schema 2020-12, Section 6.1.1).
        is_whole = isinstance(data, int | float) and not isinstance(data, bool) and data % 1 == 0
        if not is_whole or not 0 <= data < 2**31:
            self.fail("number")
        return int(data)

    def to_representation(self, value: int) -> int:
        return value


class StrictSerializer(serializers.Serializer[Any]):
    """The body of a request: an object without unknown fields."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if isinstance(data, Mapping) and (unknown := [name for name in data if name not in self.fields]):
            known = ", ".join(f"“{name}”" for name in self.fields) or "none"
            raise serializers.ValidationError(
                {name: [f"Unknown field. Allowed fields: {known}."] for name in unknown}
            )
        return dict(super().to_internal_value(data))


class EmptyRequestSerializer(StrictSerializer):
    """An empty object, or no body."""


class RepeatedTextField(serializers.CharField):
    """A text of the request in a response: of a long one, only the beginning."""

    def to_representation(self, value: Any) -> str:
        return shortened(super().to_representation(value), MAX_REPEATED)


class NullableChoiceField(serializers.ChoiceField):
    """A choice in a response: null if none was made."""

    def __init__(self, choices: Any, **options: Any) -> None:
        super().__init__(choices, allow_null=True, **options)

    def to_representation(self, value: Any) -> str | None:  # type: ignore[override]
        return super().to_representation(value) or None


class NullableCharField(serializers.CharField):
    """A text in a response: null if it is empty."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_null=True, **options)

    def to_representation(self, value: Any) -> str | None:  # type: ignore[override]
        return super().to_representation(value) or None
