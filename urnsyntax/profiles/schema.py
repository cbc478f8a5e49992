"""Reading and writing of value objects as mappings, such as from TOML and JSON.

A class declares each of its keys once, as a dataclass field made by `key`. Unknown and missing keys are errors, and a
field with its default value is not written.
"""

import datetime
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, TypeVar

from ..errors import InvalidURN
from ..nid import is_well_formed
from ..urn import URN
from .errors import InvalidProfile

T = TypeVar("T")
Reader = Callable[[Any, str], Any]
"""A function from a value and its place in the profile to the valid value. It raises `InvalidProfile`."""

MAX_URL_LENGTH = 500
MAX_URN_LENGTH = 2_000
_URL = re.compile(r"https?://[A-Za-z0-9][A-Za-z0-9.-]*(?::[0-9]+)?(?:[/?#][!-~]*)?")
_DATE = re.compile("([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_UNSEEN_IN_A_BLOCK = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def key(read: Reader, default: Any = MISSING) -> Any:
    """A dataclass field that is read by a function; without a default, the key is required."""
    return field(metadata={"read": read}, **({} if default is MISSING else {"default": default}))


def _check_table(value: Any, at: str) -> None:
    if not isinstance(value, Mapping):
        raise InvalidProfile(
            at, f"This is {_kind_of(value)}.", "Write a table with keys (in JSON, an object)."
        )


def read_object(kind: type[T], value: Any, at: str = "") -> T:
    """An object of a dataclass from a mapping. `at` is the place of the mapping in the profile."""
    _check_table(value, at)
    known: dict[str, Field[Any]] = {each.name: each for each in fields(kind)}  # type: ignore[arg-type]
    for name in value:
        if name not in known:
            raise InvalidProfile(
                _join(at, str(name)), "The key is unknown.", f"Use one of: {', '.join(known)}."
            )
    values = {}
    for name, each in known.items():
        if name in value:
            values[name] = each.metadata["read"](value[name], _join(at, name))
        elif each.default is MISSING:
            raise InvalidProfile(_join(at, name), "The key is missing.", "Add it.")
    return kind(**values)


def write_object(value: Any) -> dict[str, Any]:
    """The mapping of an object of a dataclass: the inverse of `read_object`."""
    written = {}
    for each in fields(value):
        content = getattr(value, each.name)
        if content != each.default:
            written[each.name] = _written(content)
    return written


def _written(content: Any) -> Any:
    if isinstance(content, tuple):
        return [_written(each) for each in content]
    if isinstance(content, Mapping):
        return {name: _written(each) for name, each in content.items()}
    return write_object(content) if hasattr(content, "__dataclass_fields__") else content


# The readers


def text(longest: int) -> Reader:
    """A text in one line, without spaces around it."""

    def read(value: Any, at: str) -> str:
        checked = _string(value, at, longest)
        if wrong := _UNSEEN.search(checked):
            _fail_at(at, wrong)
        if checked != checked.strip() or not checked:
            raise InvalidProfile(at, "The text is empty or has spaces around it.", "Remove the spaces.")
        return checked

    return read


def any_text(value: Any, at: str) -> str:
    """A text of any length, which may be empty. Other rules judge it."""
    return _string(value, at, sys.maxsize)


def block(longest: int) -> Reader:
    """A text that may have several lines, without empty lines around it."""

    def read(value: Any, at: str) -> str:
        checked = _string(value, at, longest).replace("\r\n", "\n").strip("\n")
        if wrong := _UNSEEN_IN_A_BLOCK.search(checked):
            _fail_at(at, wrong)
        if not checked.strip():
            raise InvalidProfile(at, "The text is empty.", "Write it, or remove the key.")
        return checked

    return read


def one_of(choices: Callable[[], tuple[str, ...]] | tuple[str, ...], what: str) -> Reader:
    """A name of a closed set."""

    def read(value: Any, at: str) -> str:
        names = choices() if callable(choices) else choices
        if not isinstance(value, str) or value not in names:
            raise InvalidProfile(
                at, f"“{str(value)[:40]}” is not {what}.", f"Use one of: {', '.join(names)}."
            )
        return value

    return read


def boolean(value: Any, at: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise InvalidProfile(at, f"This is {_kind_of(value)}.", "Write true or false.")
    return value


def integer(least: int, most: int) -> Reader:
    """A whole number in a range."""

    def read(value: Any, at: str) -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            raise InvalidProfile(at, f"This is {_kind_of(value)}.", "Write a whole number.")
        if not least <= value <= most:
            raise InvalidProfile(at, f"{value} is not from {least} to {most}.", "Write another number.")
        return value

    return read


def matching(pattern: re.Pattern[str], longest: int, what: str, advice: str) -> Reader:
    """A text that a pattern matches as a whole."""

    def read(value: Any, at: str) -> str:
        checked = _string(value, at, longest)
        if not checked or not pattern.fullmatch(checked):
            raise InvalidProfile(at, f"“{checked[:60]}” is not {what}.", advice)
        return checked

    return read


def url(value: Any, at: str) -> str:
    """A web address with a host name."""
    checked = _string(value, at, MAX_URL_LENGTH)
    if not _URL.fullmatch(checked):
        raise InvalidProfile(at, f"“{checked[:60]}” is not a web address.", "Write https:// and a host name.")
    return checked


def nid(value: Any, at: str) -> str:
    """A NID in lower case."""
    checked = _string(value, at, 32)
    if not is_well_formed(checked) or checked != checked.lower():
        raise InvalidProfile(at, f"“{checked}” is not a NID in lower case.", "See RFC 8141, Section 2.1.")
    return checked


def urn(value: Any, at: str) -> str:
    """A URN (RFC 8141, Section 2)."""
    checked = _string(value, at, MAX_URN_LENGTH)
    try:
        URN.parse(checked)
    except InvalidURN as error:
        reason = f"“{checked[:80]}” is not a URN: at position {error.position}, {error.reason}."
        raise InvalidProfile(at, reason, f"See RFC 8141, Section {error.section}.") from None
    return checked


def date(value: Any, at: str) -> str:
    """A date (ISO 8601): a day, a month or a year."""
    checked: str = text(10)(value, at)
    found = _DATE.fullmatch(checked)
    try:
        if found:
            datetime.date(int(found[1]), int(found[2] or 1), int(found[3] or 1))
            return checked
    except ValueError:
        pass
    raise InvalidProfile(at, f"“{checked}” is not a date.", "Write “2026-11-22”, “2026-11” or “2026”.")


def list_of(read: Reader, *, least: int = 0, most: int, unique: bool = True) -> Reader:
    """A list as a tuple, whose items differ if they are texts."""

    def read_list(value: Any, at: str) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            raise InvalidProfile(at, f"This is {_kind_of(value)}.", "Write a list.")
        if not least <= len(value) <= most:
            reason = f"The list has {len(value)} items; it needs {least} to {most}."
            raise InvalidProfile(at, reason, "Add or remove items.")
        items = tuple(read(each, f"{at}[{index}]") for index, each in enumerate(value))
        if unique and all(isinstance(each, str) for each in items):
            for index, each in enumerate(items):
                if each in items[:index]:
                    raise InvalidProfile(f"{at}[{index}]", f"“{each}” is repeated.", "Remove it.")
        return items

    return read_list


def object_of(kind: type[Any]) -> Reader:
    """A table as an object."""
    return lambda value, at: read_object(kind, value, at)


def objects_of(kind: type[Any], *, least: int = 0, most: int) -> Reader:
    """A list of tables as a tuple of objects."""
    return list_of(object_of(kind), least=least, most=most)


def table_of(read_name: Reader, read_value: Reader, *, most: int) -> Reader:
    """A table with names that the profile chooses."""

    def read(value: Any, at: str) -> dict[str, Any]:
        _check_table(value, at)
        if len(value) > most:
            raise InvalidProfile(at, f"The table has {len(value)} keys; the limit is {most}.", "Remove keys.")
        return {
            read_name(name, _join(at, str(name))): read_value(each, _join(at, str(name)))
            for name, each in value.items()
        }

    return read


@dataclass(frozen=True, slots=True)
class DatedSource:
    """Where something is stated, and when: the date of the document, or of reading it."""

    document: str = key(text(200))
    url: str = key(url)
    stated_on: str = key(date)


def _string(value: Any, at: str, longest: int) -> str:
    if not isinstance(value, str):
        raise InvalidProfile(at, f"This is {_kind_of(value)}.", "Write a text.")
    if len(value) > longest:
        raise InvalidProfile(
            at, f"The text has {len(value):,} characters; the limit is {longest:,}.", "Shorten it."
        )
    return value


def _fail_at(at: str, wrong: re.Match[str]) -> None:
    reason = f"Character {wrong.start() + 1} is U+{ord(wrong[0]):04X}."
    raise InvalidProfile(at, reason, "Remove it.")


def _join(at: str, name: str) -> str:
    return f"{at}.{name[:60]}" if at else name[:60]


def _kind_of(value: Any) -> str:
    kinds = {
        bool: "a boolean",
        int: "a number",
        float: "a number",
        str: "a text",
        list: "a list",
        dict: "a table (in JSON, an object)",
    }
    return kinds.get(type(value), "another kind of value")
