"""Fields of query parameters and of request bodies, and the serializers that they stand in.

Fields of bodies are strict: they do not convert a value of another type.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote_to_bytes

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request

from registry.core.exceptions import RegistryError
from urnsyntax.nid import NID_PATTERN, is_well_formed

# A day or a month of the registry. ASCII digits, and nothing after them.
DAY_OR_MONTH = re.compile("[0-9]{4}-[0-9]{2}(-[0-9]{2})?")
# What a column of the database holds, in ASCII digits and without a zero before it.
WHOLE_NUMBER = re.compile("0|[1-9][0-9]{0,17}")
MAX_NUMBER = 10**18 - 1
MAX_SEARCH_LENGTH = 200
# No control characters.
SINGLE_LINE = re.compile(r"[^\u0000-\u001f\u007f-\u009f]*")


class InvalidParameter(RegistryError):
    """A parameter of the address is unknown, given twice, missing or has a wrong value; `errors` names it."""

    status = HTTPStatus.BAD_REQUEST
    title = "A parameter is wrong"

    def __init__(self, reasons: Mapping[str, str]) -> None:
        super().__init__(" ".join(reasons.values()))
        self.members = {"errors": [{"parameter": name, "detail": why} for name, why in reasons.items()]}


class QueryNotUnicode(RegistryError):
    """The address's query, its percent-encodings decoded, is not UTF-8."""

    status = HTTPStatus.BAD_REQUEST
    title = "The query is not UTF-8"


def parse_number(part: str, *, most: int = MAX_NUMBER) -> int:
    """The number that a part of an address is; 0, which nothing here has, if it is none or a larger one."""
    number = int(part) if WHOLE_NUMBER.fullmatch(part) else 0
    return number if number <= most else 0


class QueryIntegerField(serializers.Field[int, str, int, Any]):
    """A whole number, in ASCII digits."""

    default_error_messages = {"range": "“{name}” has to be a whole number from {least} to {most}."}

    def __init__(self, *, least: int = 0, most: int = MAX_NUMBER, **options: Any) -> None:
        super().__init__(**options)
        self.least, self.most = least, most

    def to_internal_value(self, data: str) -> int:
        if not WHOLE_NUMBER.fullmatch(data) or not self.least <= int(data) <= self.most:
            self.fail("range", name=self.field_name, least=self.least, most=self.most)
        return int(data)


@extend_schema_field({"type": "string", "pattern": f"^({NID_PATTERN})$"})
class NIDField(serializers.CharField):
    """A NID in any case of letters, given on in lower case."""

    default_error_messages = {"blank": "“{name}” has to be a NID, such as “isbn”."}

    def run_validation(self, data: Any = serializers.empty) -> Any:
        if data is not serializers.empty and not is_well_formed(str(data)):
            self.fail("blank", name=self.field_name)
        return super().run_validation(data)

    def to_internal_value(self, data: Any) -> str:
        return str(data).lower()


@extend_schema_field({"type": "string", "pattern": f"^{DAY_OR_MONTH.pattern}$", "format": "date"})
class QueryDateField(serializers.Field[str, str, str, Any]):
    """A date as the registry writes them: YYYY-MM-DD or YYYY-MM."""

    default_error_messages = {"date": "“{name}” has to be a date, as 2026-01-31 or 2026-01."}

    def to_internal_value(self, data: str) -> str:
        if not DAY_OR_MONTH.fullmatch(data):
            self.fail("date", name=self.field_name)
        try:
            start_of(data)
        except ValueError:  # a 31 February
            self.fail("date", name=self.field_name)
        return data


def start_of(day: str) -> datetime:
    """The moment at which a day, or the first day of a month, begins."""
    return datetime.fromisoformat(f"{day}-01"[:10]).replace(tzinfo=UTC)


@extend_schema_field(
    {"type": "string", "maxLength": MAX_SEARCH_LENGTH, "pattern": f"^{SINGLE_LINE.pattern}$"}
)
class SearchTextField(serializers.CharField):
    """Words to search for, on one line. Blank means all."""

    default_error_messages = {
        "unsearchable": "“{name}” has to be words of at most {most} characters, without control characters.",
    }

    def to_internal_value(self, data: Any) -> str:
        words = str(data)
        if len(words) > MAX_SEARCH_LENGTH or not SINGLE_LINE.fullmatch(words):
            self.fail("unsearchable", name=self.field_name, most=MAX_SEARCH_LENGTH)
        return words


def query_choice(name: str, choices: tuple[str, ...], **options: Any) -> serializers.ChoiceField:
    """One of a few words."""
    message = f"“{name}” has to be {' or '.join(f'“{each}”' for each in choices)}."
    return serializers.ChoiceField(
        choices=choices,
        required=False,
        error_messages={"invalid_choice": message, "null": message},
        **options,
    )


@extend_schema_field({"type": "boolean"})
class QueryBooleanField(serializers.Field[bool, str, bool, Any]):
    """“true” or “false”."""

    default_error_messages = {"word": "“{name}” has to be “true” or “false”."}

    def to_internal_value(self, data: str) -> bool:
        if data not in {"true", "false"}:
            self.fail("word", name=self.field_name)
        return data == "true"


def query_parameters(request: Request, query: type[serializers.Serializer[Any]] | None) -> dict[str, Any]:
    """The values of the query parameters, by the serializer `query`; without one there are none.

    Raises QueryNotUnicode, or InvalidParameter, which names each parameter that is wrong.
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
    """Raise QueryNotUnicode where Django would put U+FFFD for octets of the query that are not UTF-8."""
    try:
        unquote_to_bytes(request.META.get("QUERY_STRING", "").encode("latin-1")).decode()
    except UnicodeDecodeError as fault:
        raise QueryNotUnicode(
            f"Octet {fault.start} after the “?”, counted when percent-encodings are decoded, is not UTF-8. "
            "A “%” that stands for itself, such as one of a URN, is written “%25” in an address."
        ) from fault


def _unknown(name: str, known: list[str]) -> str:
    there_are = f"there are {', '.join(known)}" if known else "there are none here"
    return f"“{name}” is not a parameter: {there_are}."


@extend_schema_field(OpenApiTypes.STR)
class StrictCharField(serializers.Field[str, str, str, Any]):
    """A text. Whether it will do is the action's to say, as it is for the pages."""

    default_error_messages = {"text": "This has to be a text."}

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("text")
        return data

    def to_representation(self, value: str) -> str:
        return value


@extend_schema_field(OpenApiTypes.BOOL)
class StrictBooleanField(serializers.Field[bool, bool, bool, Any]):
    """true or false, and nothing that only looks like it."""

    default_error_messages = {"boolean": "This has to be true or false."}

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("boolean")
        return data

    def to_representation(self, value: bool) -> bool:
        return value


@extend_schema_field({"type": "integer", "minimum": 0, "maximum": 2**31 - 1})
class StrictIntegerField(serializers.Field[int, int, int, Any]):
    """A number that counts something."""

    default_error_messages = {"number": "This has to be a whole number from 0 to 2147483647."}

    def to_internal_value(self, data: Any) -> int:
        # JSON has one type of number: 1.0 is the whole number 1 (JSON Schema 2020-12, section 6.1.1).
        is_whole = isinstance(data, int | float) and not isinstance(data, bool) and data % 1 == 0
        if not is_whole or not 0 <= data < 2**31:
            self.fail("number")
        return int(data)

    def to_representation(self, value: int) -> int:
        return value


class StrictSerializer(serializers.Serializer[Any]):
    """The body of a request: an object that has these fields and no others."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if isinstance(data, Mapping) and (unknown := [name for name in data if name not in self.fields]):
            known = ", ".join(f"“{name}”" for name in self.fields) or "no fields"
            raise serializers.ValidationError(
                {name: [f"There is no such field; there are {known}."] for name in unknown}
            )
        return dict(super().to_internal_value(data))


class EmptySerializer(StrictSerializer):
    """Nothing has to be said: an empty object, or no body at all."""


def validated_data(
    request: Request, body: type[serializers.Serializer[Any]], **context: Any
) -> dict[str, Any]:
    """The body's fields. Raises ValidationError, which names each that is wrong."""
    serializer = body(data=request.data, context=context)
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)
