"""Parameters of addresses: each says, when it is wrong, what it would have to be."""

import re
from datetime import UTC, datetime
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from urnsyntax.nid import NID_PATTERN, is_well_formed

# A day or a month of the registry. ASCII digits, and nothing after them.
DAY_OR_MONTH = re.compile("[0-9]{4}-[0-9]{2}(-[0-9]{2})?")
# What a column of the database holds, in ASCII digits and without a zero before it.
WHOLE_NUMBER = re.compile("0|[1-9][0-9]{0,17}")
MAX_NUMBER = 10**18 - 1
MAX_SEARCH_LENGTH = 200
# No control characters.
SINGLE_LINE = re.compile(r"[^\u0000-\u001f\u007f-\u009f]*")


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
