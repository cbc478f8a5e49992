"""Fields of a register's own, beside label, title and specification: what its holder declares, and the values of entries.

Pages, requests of the API and lists read values by `check_values`, so that each of them refuses the same ones.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from datetime import date
from types import MappingProxyType
from typing import Any

from django.db import models

from registry.core.exceptions import RegistryError
from registry.core.names import check_name, unseen_in
from registry.core.validators import TextRefused, check_optional_text, check_text, first_of, shortened
from urnsyntax.profiles import InvalidProfile, schema
from urnsyntax.profiles.subnamespaces.importing import MEMBERS
from urnsyntax.profiles.subnamespaces.lists import FIELD_NAME, MAX_FIELD_VALUE

MAX_DECLARED = 10  # fields of a register
MAX_FIELD_LABEL = 60
MAX_FIELD_HELP = 300
MAX_CHOICES = 50
MAX_CHOICE = 100
# What requests, and lines of a list, have beside the fields of the register.
TAKEN_LABELS = frozenset({"label", "title", "specification", "reference", "contact", "note"})
TAKEN_NAMES = frozenset({*MEMBERS, *TAKEN_LABELS})
NO_VALUES: Mapping[str, str] = MappingProxyType({})
_NUMBER = re.compile("-?[0-9]{1,18}")
_DAY = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")


class FieldKind(models.TextChoices):
    """What the values of a field are. All are texts."""

    TEXT = "text", "a text in one line"
    LINES = "lines", "a text of several lines"
    NUMBER = "number", "a whole number"
    DATE = "date", "a date"
    URL = "url", "a web address"
    CHOICE = "choice", "one of choices"


class FieldRefused(TextRefused, RegistryError):
    """The declaration of a field is not complete, or it contradicts another one: `member` says what of it, `row` which field."""

    title = "The field is refused"

    def __init__(self, reason: str, *, row: int, member: str = "") -> None:
        super().__init__(f"Field {row}: {reason}", argument="fields", row=row)
        self.reason, self.member = reason, member


class FieldValueRefused(TextRefused, RegistryError):
    """A value does not fit its field, is missing, or belongs to no field of the register. The message names the field."""

    title = "A value does not fit its field"

    def __init__(self, message: str, *, argument: str = "", reason: str = "") -> None:
        super().__init__(message, argument=argument)
        # For a form, which shows it at the field.
        self.reason = reason or message


@dataclass(frozen=True, slots=True)
class RegisterField:
    """A field that a register declares.

    Values have it by `name`, which is made once, and stays if the `label` changes. `choices` are those of the kind "choice".
    """

    name: str
    label: str
    help: str = ""
    kind: str = FieldKind.TEXT.value
    choices: tuple[str, ...] = ()
    required: bool = False

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> "RegisterField":
        """The field of a stored declaration, the inverse of `stored`."""
        return cls(**{**stored, "choices": tuple(stored["choices"])})

    @property
    def stored(self) -> dict[str, Any]:
        """The declaration as JSON."""
        return asdict(self) | {"choices": list(self.choices)}

    @property
    def kind_label(self) -> str:
        """What a value is, in words."""
        return str(FieldKind(self.kind).label)

    @property
    def field_name(self) -> str:
        """The name of its field in a form."""
        return f"field_{self.name}"


DECLARED = tuple(each.name for each in fields(RegisterField))


# Declarations


def declared_fields(given: Sequence[Mapping[str, Any]]) -> tuple[RegisterField, ...]:
    """The fields of these declarations, in order, which have the members of `RegisterField`; only `label` must be there.

    A field without a name is a new one, and gets a name from its label. Raises FieldRefused for the first wrong one.
    """
    if len(given) > MAX_DECLARED:
        raise FieldRefused(
            f"A register has at most {MAX_DECLARED} fields. Remove some.",
            row=MAX_DECLARED + 1,
            member="label",
        )
    found = []
    for each in _read_fields(given):
        if isinstance(each, FieldRefused):
            raise each
        found.append(each)
    return tuple(found)


def faults_of_fields(given: Sequence[Mapping[str, Any]]) -> list[FieldRefused]:
    """All that is wrong with these declarations; see `declared_fields`."""
    return [each for each in _read_fields(given) if isinstance(each, FieldRefused)]


def _read_fields(given: Sequence[Mapping[str, Any]]) -> Iterator[RegisterField | FieldRefused]:
    """The fields of declarations, or what is wrong with them. The label of a wrong one is compared, too."""
    names = {str(each.get("name", "")) for each in given}
    others: list[RegisterField] = []
    for row, each in enumerate(given, 1):
        declared, label = None, str(each.get("label", "")).strip()
        try:
            declared = _declared(each, row, names)
        except FieldRefused as fault:
            yield fault
        compared = declared or RegisterField(_new_name(label, names), label)
        try:
            _check_differs(compared, others, row)
        except FieldRefused as fault:
            yield fault
        else:
            if declared:
                yield declared
        names.add(compared.name)
        others.append(compared)


@contextmanager
def _refused_at(row: int, member: str) -> Iterator[None]:
    """Say of a refused text of which field it is."""
    try:
        yield
    except TextRefused as refusal:
        raise FieldRefused(str(refusal), row=row, member=member) from refusal


def _declared(given: Mapping[str, Any], row: int, names: Collection[str]) -> RegisterField:
    with _refused_at(row, "label"):
        label = check_name(given.get("label", ""), "the label of the field", longest=MAX_FIELD_LABEL)
    with _refused_at(row, "help"):
        help_text = _one_line(given.get("help", ""), "the help text", longest=MAX_FIELD_HELP)
    kind = given.get("kind", FieldKind.TEXT.value)
    if kind not in FieldKind.values:
        known = ", ".join(FieldKind.values)
        raise FieldRefused(
            f"“{shortened(str(kind))}” is no kind. Use one of: {known}.", row=row, member="kind"
        )
    return RegisterField(
        name=_checked_name(given.get("name", ""), row) or _new_name(label, names),
        label=label,
        help=help_text,
        kind=str(kind),
        choices=_checked_choices(given.get("choices", ()), kind, row),
        required=bool(given.get("required", False)),
    )


def _one_line(text: str, what: str, *, longest: int) -> str:
    """A text in one line, which may be empty and is public."""
    checked = check_optional_text(" ".join(text.split()), what, longest=longest)
    if fault := unseen_in(checked):
        raise FieldValueRefused(f"In {what}, {fault}")
    return checked


def _checked_choices(choices: Sequence[str], kind: str, row: int) -> tuple[str, ...]:
    with _refused_at(row, "choices"):
        found = tuple(filter(None, (_one_line(each, "a choice", longest=MAX_CHOICE) for each in choices)))
    if kind != FieldKind.CHOICE:
        if found:
            raise FieldRefused(
                "Only a field of the kind “one of choices” has choices. Choose this kind, or remove the choices.",
                row=row,
                member="choices",
            )
        return ()
    if not 2 <= len(found) <= MAX_CHOICES:
        raise FieldRefused(
            f"The field has {len(found)} {'choice' if len(found) == 1 else 'choices'}. Write two to {MAX_CHOICES}, one on each line.",
            row=row,
            member="choices",
        )
    if twice := next((each for each in found if found.count(each) > 1), ""):
        raise FieldRefused(f"The choice “{twice}” is repeated. Remove one.", row=row, member="choices")
    return found


def _checked_name(name: str, row: int) -> str:
    """A name that was given; "" without one."""
    if name and (not FIELD_NAME.fullmatch(name) or name in TAKEN_NAMES):
        raise FieldRefused(
            f"“{shortened(name)}” can't be the name of a field. Write at most 40 small letters, digits and “_”, with a letter at "
            "the beginning, and no member of a list of sub-namespaces or of a request. Without a name, one is made of the label.",
            row=row,
            member="name",
        )
    return name


def _new_name(label: str, names: Collection[str]) -> str:
    """A name that no other field has, from the letters and digits of a label."""
    plain = unicodedata.normalize("NFKD", label).encode("ascii", "ignore").decode().lower()
    stem = re.sub("[^a-z0-9]+", "_", plain).strip("_").lstrip("0123456789_")[:35] or "field"
    taken = {*TAKEN_NAMES, *names}
    numbered = (f"{stem}_{number}" for number in range(2, len(taken) + 3))
    return stem if stem not in taken else next(each for each in numbered if each not in taken)


def _check_differs(declared: RegisterField, others: Iterable[RegisterField], row: int) -> None:
    if declared.label.casefold() in TAKEN_LABELS:
        raise FieldRefused(
            f"Each request has “{declared.label}” already. Choose another label.", row=row, member="label"
        )
    for number, other in enumerate(others, 1):
        if declared.name == other.name:
            raise FieldRefused(
                f"The name “{other.name}” is that of field {number}. Choose another one.",
                row=row,
                member="name",
            )
        if declared.label.casefold() == other.label.casefold():
            raise FieldRefused(
                f"“{other.label}” is the label of field {number}. Choose another one.",
                row=row,
                member="label",
            )


# Values


def check_values(
    declared: Sequence[RegisterField], given: Mapping[str, str], *, stored: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The values as they are stored, by the names of their fields, without empty ones. Raises FieldValueRefused for the first
    wrong one. Those of an entry that are `stored` already are not judged again, and neither are those that it lacks.
    """
    known = {each.name: each for each in declared}
    if unknown := next((name for name in given if name not in known), ""):
        advice = f"Use some of: {first_of(list(known))}." if known else "It declares none: leave them out."
        raise FieldValueRefused(
            f"The register declares no field “{shortened(unknown)}”. {advice}", argument="fields"
        )
    checked = dict[str, str]()
    for name, each in known.items():
        text = given.get(name, "")
        is_kept = stored is not None and text == stored.get(name, "")
        checked[name] = text if is_kept else check_value(each, text)
    return {name: value for name, value in checked.items() if value}


def check_value(declared: RegisterField, text: str) -> str:
    """A value as it is stored; "" if it is empty and not needed. Raises FieldValueRefused."""
    what = f"“{declared.label}”"
    try:
        if not text.strip():
            return check_text(text, what, longest=MAX_FIELD_VALUE) if declared.required else ""
        return _READERS[declared.kind](declared, text, what)
    except FieldValueRefused as refusal:
        refusal.argument = declared.field_name
        raise
    except TextRefused as refusal:
        raise FieldValueRefused(str(refusal), argument=declared.field_name) from refusal


def _misfit(what: str, reason: str) -> FieldValueRefused:
    return FieldValueRefused(f"{what}: {reason}", reason=reason)


def _read_text(_: RegisterField, text: str, what: str) -> str:
    return _one_line(text, what, longest=MAX_FIELD_VALUE)


def _read_lines(_: RegisterField, text: str, what: str) -> str:
    lines = "\n".join(each.rstrip() for each in text.splitlines()).strip("\n")
    checked = check_optional_text(lines, what, longest=MAX_FIELD_VALUE)
    for number, line in enumerate(checked.split("\n"), 1):
        if fault := unseen_in(line):
            raise FieldValueRefused(f"In line {number} of {what}, {fault}")
    return checked


def _read_number(_: RegisterField, text: str, what: str) -> str:
    if not _NUMBER.fullmatch(text.strip()):
        raise _misfit(
            what,
            f"“{shortened(text.strip())}” is no whole number of at most 18 digits. Write digits only, such as 1854.",
        )
    return str(int(text))


def _read_date(_: RegisterField, text: str, what: str) -> str:
    try:
        if _DAY.fullmatch(text.strip()):
            return date.fromisoformat(text.strip()).isoformat()
    except ValueError:
        pass
    raise _misfit(
        what,
        f"“{shortened(text.strip())}” is no date. Write year, month and day, such as 2026-11-22 (ISO 8601).",
    )


def _read_url(_: RegisterField, text: str, what: str) -> str:
    try:
        return str(schema.url(text.strip(), what))
    except InvalidProfile as fault:
        raise _misfit(what, f"{fault.reason} {fault.advice}") from fault


def _read_choice(declared: RegisterField, text: str, what: str) -> str:
    chosen = " ".join(text.split())
    if chosen not in declared.choices:
        raise _misfit(what, f"“{shortened(chosen)}” is no choice. Use one of: {first_of(declared.choices)}.")
    return chosen


_READERS: dict[str, Callable[[RegisterField, str, str], str]] = {
    FieldKind.TEXT: _read_text,
    FieldKind.LINES: _read_lines,
    FieldKind.NUMBER: _read_number,
    FieldKind.DATE: _read_date,
    FieldKind.URL: _read_url,
    FieldKind.CHOICE: _read_choice,
}


def fault_of_values(declared: Sequence[RegisterField], stored: Mapping[str, str]) -> str:
    """What stored values lack by the fields that are declared now, as a sentence; "" if nothing. Values of others do not matter."""
    try:
        check_values(declared, declared_only(declared, stored))
    except FieldValueRefused as refusal:
        return str(refusal)
    return ""


def declared_only(declared: Sequence[RegisterField], stored: Mapping[str, str]) -> dict[str, str]:
    """Those of the stored values whose fields are declared."""
    return {each.name: stored[each.name] for each in declared if each.name in stored}


@dataclass(frozen=True, slots=True)
class ShownValue:
    """A value on a page, with the label of its field; that of a field that was removed has its name."""

    label: str
    value: str
    is_declared: bool = True


def shown_values(declared: Sequence[RegisterField], stored: Mapping[str, str]) -> list[ShownValue]:
    """The values in the order of the declared fields, and then those of fields that were removed."""
    known = declared_only(declared, stored)
    labels = {each.name: each.label for each in declared}
    shown = [ShownValue(labels[name], value) for name, value in known.items()]
    return shown + [
        ShownValue(name, stored[name], is_declared=False) for name in sorted(stored) if name not in known
    ]
