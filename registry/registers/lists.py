"""Lists of entries that the holder of a register writes at once: reading one, checking each line, and the difference.

Each line is checked like one entry (`registry.registers.entries`). A label that is listed has its entry changed; others are new.
Lines are read in batches. The number of queries for a batch does not depend on the length of the stored list.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from django.db.models import TextChoices

from registry.core.database.bulk_copy import batches
from registry.core.exceptions import RegistryError
from registry.core.management.base import ProgressCallback
from registry.core.validators import TextTooLong, check_text, shortened
from registry.registers.changes import changed_texts, label_of, stated_anew
from registry.registers.entries import (
    Conflicts,
    cannot_begin,
    check_is_whole,
    checked_content,
    checked_label,
    skeleton_of,
)
from registry.registers.models import Entry, Register
from registry.registers.past import ListedEntries, check_past, check_same_status
from registry.registers.subjects import EntryTaken
from registry.subnamespaces.adding import plan_entries
from registry.subnamespaces.affected import StoredPrefixes
from registry.subnamespaces.importing import (
    Change,
    ListChange,
    ListRefused,
    UnreadableList,
    fits_profile,
    levels_of,
)
from registry.subnamespaces.lists import rows_with
from registry.subnamespaces.models import Status, SubNamespace, kept_history
from urnsyntax.profiles import InvalidProfile
from urnsyntax.profiles.schema import any_text, key, one_of, read_object, table_of
from urnsyntax.profiles.subnamespaces.history import History, read_history
from urnsyntax.profiles.subnamespaces.importing import InvalidListFile, csv_rows
from urnsyntax.profiles.subnamespaces.levels import read_prefix
from urnsyntax.profiles.subnamespaces.lists import MAX_FIELDS, read_objects
from urnsyntax.profiles.subnamespaces.lists import SubNamespace as Content

# Of one request; `manage.py write_entries` has no limit.
MAX_LINES = 10_000
MAX_REQUEST = 1_000_000  # characters: those of 10,000 usual lines
BATCH = 10_000  # lines


class EntryFormat(TextChoices):
    JSON_LINES = (
        "jsonl",
        "JSON Lines: label, title, reference, fields, status, successor and history of an entry on each line",
    )
    CSV = (
        "csv",
        "CSV with the columns label, title, reference, status, successor, registered, updated, and the names of the fields",
    )


class EntriesRefused(ListRefused):
    """Lines of the list can't become entries. The member `failures` has a sentence for each, with the number of the line."""

    title = "The list of entries is refused"
    advice = "Nothing is written."


@dataclass(frozen=True, slots=True)
class EntryTexts:
    """The members of a line."""

    label: str = key(any_text)
    title: str = key(any_text)
    reference: str = key(any_text, "")
    fields: Mapping[str, str] = key(table_of(any_text, any_text, most=MAX_FIELDS), ())
    status: str = key(one_of(tuple(Status.values), "a status"), "")
    successor: str = key(any_text, "")
    history: History = key(read_history, ())  # noqa: RUF009  # a field, not a default value


Line = tuple[int, EntryTexts]
NO_COLUMNS: Mapping[int, str] = MappingProxyType({})
_IN_RECORD = re.compile(r"history\[([0-9]+)\](?:\.(.*))?")
COLUMNS = ("label", "title", "reference", "status", "successor", "history")
# Of CSV, each with what happened on the date in it.
DATES = {"registered": "registered", "updated": "changed"}


@dataclass
class Faults:
    """What is wrong with lines: the first ones as sentences, by the numbers of the lines."""

    found: list[tuple[int, str]] = field(default_factory=list)

    def add(self, number: int, sentence: str) -> None:
        self.found.append((number, sentence))

    @contextmanager
    def of(self, number: int) -> Iterator[None]:
        """Note the refusal of a line."""
        try:
            yield
        except RegistryError as refusal:
            self.add(number, str(refusal))

    def check(self) -> None:
        """Raise EntriesRefused if a line has a fault."""
        if self.found:
            ordered = sorted(self.found, key=lambda each: each[0])
            raise EntriesRefused([f"Line {number}: {said}" if number else said for number, said in ordered])


def check_size(document: str) -> None:
    """Raise TextMissing or TextTooLong unless a request may have this list."""
    check_text(document, "the list", longest=MAX_REQUEST, argument="document")
    lines = document.rstrip().count("\n") + 1
    if lines > MAX_LINES:
        raise TextTooLong(
            f"The list has {lines:,} lines. Send at most {MAX_LINES:,} at once, and the others in further requests.",
            argument="document",
        )


def plan_list(
    register: Register, document: str, *, list_format: str, on_lines: ProgressCallback | None = None
) -> ListChange:
    """What a list would change in a register. Raises NoLevels, UnreadableList and EntriesRefused.

    It adds entries, with what they were before, and changes title, reference and fields of those that are listed. What is stored is
    not judged again.
    """
    levels_of(register.namespace)
    faults = Faults()
    lines = list(_read(document, list_format, faults, [each.name for each in register.declared]))
    reading = _Reading(register, faults)
    done = 0
    for batch in batches(lines, BATCH):
        reading.take(batch)
        done += len(batch)
        if on_lines is not None:
            on_lines(done, len(lines))
    reading.finish()
    faults.check()
    if not lines:
        raise UnreadableList("The list has no entry. Write one on each line.")
    is_verified = fits_profile(register.namespace)
    return ListChange(reading.added, tuple(reading.changed), (), {}, is_verified=is_verified)


def _read(document: str, list_format: str, faults: Faults, names: Sequence[str]) -> Iterator[Line]:
    """The lines that are well-formed. In CSV, `names` are those of the fields of the register, which have columns of their own."""
    _check_format(document, list_format)
    if list_format == EntryFormat.CSV:
        try:
            for number, row in csv_rows(document, (*COLUMNS, *DATES, *names), COLUMNS[:2]):
                if isinstance(row, InvalidListFile):
                    faults.add(number, f"{row.reason} {row.advice}")
                else:
                    values = {name: row.pop(name) for name in names if name in row}
                    members, columns = _with_dates(row)
                    yield from _well_formed(number, {**members, "fields": values}, faults, columns)
        except InvalidListFile as fault:
            raise UnreadableList(str(fault)) from fault
        return
    for number, read in read_objects(document.encode().splitlines(), lambda members: members):
        if isinstance(read, InvalidProfile):
            faults.add(number, f"{read.reason} {read.advice}")
        else:
            yield from _well_formed(number, read, faults)


def _check_format(document: str, list_format: str) -> None:
    """Raise UnreadableList if the first line is one of the other format."""
    first = document.lstrip("\ufeff \r\n").partition("\n")[0]
    is_json, names = first.startswith("{"), re.findall("[a-z]+", first)
    if list_format == EntryFormat.CSV and is_json:
        raise UnreadableList("Line 1 is a JSON object, and the format is CSV. Choose JSON Lines.")
    if list_format == EntryFormat.JSON_LINES and not is_json and set(COLUMNS[:2]) <= set(names):
        raise UnreadableList("Line 1 is the header of CSV, and the format is JSON Lines. Choose CSV.")


def _with_dates(row: dict[str, Any]) -> tuple[dict[str, Any], dict[int, str]]:
    """The members of a row of CSV, whose dates are records around those of its history, and the columns of these records by index."""
    begun, changed = (
        [{"date": row.pop(name), "change": change}] if name in row else [] for name, change in DATES.items()
    )
    history = row.get("history", [])
    if not isinstance(history, list):
        return row, {}
    records = [*begun, *history, *changed]
    first, last = DATES
    columns = dict.fromkeys(range(len(begun)), first)
    columns |= {len(records) - 1: last} if changed else {}
    return {**row, "history": records}, columns


def _well_formed(
    number: int, members: Any, faults: Faults, columns: Mapping[int, str] = NO_COLUMNS
) -> Iterator[Line]:
    """The line with these members, unless one of them is wrong. Records of the history can have `columns` of their own."""
    try:
        yield number, read_object(EntryTexts, members)
    except InvalidProfile as fault:
        at = f"{_place_of(fault.key, columns)}: " if fault.key else ""
        faults.add(number, f"{at}{fault.reason} {fault.advice}".rstrip())


def _place_of(key: str, columns: Mapping[int, str]) -> str:
    """A key in words: records of a history are counted from 1, as lines are, and one with a column of its own is named by that."""
    found = _IN_RECORD.fullmatch(key)
    if not found:
        return f"“{key}”"
    index, member = int(found[1]), found[2]
    if index in columns:
        return f"“{columns[index]}”"
    place = f"record {index + (0 if 0 in columns else 1)} of the history"
    return f"“{member}” in {place}" if member else place


class _Reading:
    """The lines that were read so far, and what they change."""

    def __init__(self, register: Register, faults: Faults) -> None:
        self.register, self.faults = register, faults
        self.added: dict[str, Content] = {}
        self.changed: list[Change] = []
        self.contradicts_profile = False
        self._first: dict[str, Line] = {}  # by normalized prefix
        self._alike: dict[str, tuple[str, int]] = {}  # by skeleton, the label with its line
        self._successors: dict[str, Line] = {}  # by prefix, the lines of new entries that name one

    def take(self, lines: list[Line]) -> None:
        """Check a batch of lines, and note what they change."""
        keys = self._keys_of({number: texts.label for number, texts in lines})
        stored = {row.key: row for row in rows_with({self.register.namespace_id: set(keys.values())})}
        held = self._held_by_others(stored.values())
        listed = self._with_more_history(keys, stored, lines)
        new: dict[str, tuple[int, Content]] = {}
        for number, texts in lines:
            with self.faults.of(number):
                key = keys.get(number)
                row = stored.get(key) if key is not None else None
                if key is not None:
                    self._check_first(key, number, texts)
                if row is None:
                    content = self._new(number, texts)
                    new[content.prefix] = number, content
                elif entry := self._changed(row, texts, listed):
                    self._check_is_own(row, held)
                    self.changed.append((row.key, row, entry))
        self._add(new)

    def _keys_of(self, typed: Mapping[int, str]) -> dict[int, str]:
        """The normalized prefixes by line, of the labels that are prefixes."""
        _, walker = levels_of(self.register.namespace)
        labels = {}
        for number, label in typed.items():
            try:
                prefix = self.register.place.before + checked_label(label)
                labels[number] = read_prefix(prefix, "label")
            except (RegistryError, InvalidProfile):
                continue  # It is refused like one entry.
        known = StoredPrefixes(self.register.namespace)
        known.read(prefix for label in labels.values() for prefix in walker.known_of(label))
        return {number: walker.key_of(label, known) for number, label in labels.items()}

    def _check_first(self, key: str, number: int, texts: EntryTexts) -> None:
        at, other = self._first.setdefault(key, (number, texts))
        if at != number:
            raise EntryTaken(
                f"“{shortened(texts.label)}” is the same label as “{shortened(other.label)}” on line {at}. Remove one."
            )

    def _with_more_history(
        self, keys: Mapping[int, str], stored: Mapping[str, SubNamespace], lines: Iterable[Line]
    ) -> ListedEntries:
        """Of the listed entries, those whose lines have another history."""
        given = {keys[number]: texts.history for number, texts in lines if texts.history and number in keys}
        rows = [stored[key] for key in given.keys() & stored.keys()]
        return ListedEntries.read(self.register, [row for row in rows if given[row.key] != kept_history(row)])

    def _new(self, number: int, texts: EntryTexts) -> Content:
        """The content of a new entry, without its successor, which can be on a later line."""
        content = checked_content(
            self.register,
            label=texts.label,
            title=texts.title,
            reference=texts.reference,
            fields=dict(texts.fields),
        )
        check_past(texts.status, texts.successor, texts.history)
        if texts.successor:
            self._successors[content.prefix] = number, texts
        return replace(content, status=texts.status or Status.ACTIVE.value, history=texts.history)

    def _changed(self, row: SubNamespace, texts: EntryTexts, listed: ListedEntries) -> Content | None:
        """The new content of a listed entry; None if it says the same."""
        # Not cut from the prefix: what is before the label can be written in another way there.
        if not self.register.place.is_direct(row.key):
            label = self.register.place.rest_of(row.key)
            check_is_whole(self.register, label, label)
        stored = row.value_of(self.register.namespace.nid)
        check_same_status(
            row, texts.status, texts.successor.strip(), label_of(self.register, stored.successor)
        )
        changed = changed_texts(
            self.register, stored, title=texts.title, reference=texts.reference, fields=dict(texts.fields)
        )
        changed = replace(changed, history=texts.history or stored.history)
        if changed == stored:
            return None
        if row.status == Status.RETIRED:
            raise EntryTaken(
                f"“{shortened(row.prefix)}” is retired, and a label is never assigned again. Remove the line."
            )
        if changed.history != stored.history:
            listed.check_added(row, changed.history, stored.history)
        return stated_anew(self.register, stored, changed)

    def _held_by_others(self, rows: Iterable[SubNamespace]) -> dict[int, str]:
        """Who holds those of the listed entries that the holder of the register does not hold, by the key of the row."""
        found = Entry.objects.filter(register=self.register, subnamespace__in=[row.pk for row in rows])
        others = found.exclude(person=None, organisation=None).select_related("person", "organisation")
        own = self.register.controller
        return {
            each.subnamespace_id: str(each.organisation or each.person)
            for each in others
            if each.controller != own
        }

    def _check_is_own(self, row: SubNamespace, held: Mapping[int, str]) -> None:
        """Raise EntryTaken if another person or organisation holds a listed entry."""
        if row.pk in held:
            raise EntryTaken(
                f"“{shortened(row.prefix)}” is held by {held[row.pk]}: only its holder changes it (RFC 8126, Section 2.3). Remove the "
                "line, or write what the entry says."
            )

    def _add(self, new: dict[str, tuple[int, Content]]) -> None:
        """Check new labels against the list and the requests, and note those that are free."""
        change, failures = plan_entries(
            self.register.namespace,
            [content for _, content in new.values()],
            ends=self.register.place.ends,
        )
        for prefix, sentences in failures.items():
            if prefix in new:
                label = prefix.removeprefix(self.register.place.before)
                refusal = cannot_begin(self.register, label, ListRefused(sentences))
                self.faults.add(new[prefix][0], str(refusal))
        self.contradicts_profile |= "" in failures
        place = self.register.place
        looks = {each: skeleton_of(place.rest_of(each)) for each in change.added}
        against = Conflicts.read(self.register, looks, looks.values(), may_decide=True, in_lines=self._alike)
        for each, content in change.added.items():
            number, _ = new[content.prefix]
            with self.faults.of(number):
                against.check(content.prefix.removeprefix(place.before), each, looks[each], number)
        self.added |= change.added

    def finish(self) -> None:
        """Note what is wrong with the list as a whole. An example of the profile can need what a later batch adds."""
        if self.contradicts_profile:
            _, failures = plan_entries(
                self.register.namespace, self.added.values(), ends=self.register.place.ends
            )
            for sentence in failures.get("", ()):
                self.faults.add(0, sentence)
        if self._successors:
            self._name_successors()

    def _name_successors(self) -> None:
        """Give new entries the successors that their lines name: others of the list, or of the register."""
        keys = self._keys_of({number: texts.successor for number, texts in self._successors.values()})
        entries = Entry.objects.filter(
            register=self.register, subnamespace__key__any=sorted(set(keys.values()))
        )
        known = self.added.keys() | set(entries.values_list("subnamespace__key", flat=True))
        for own, content in self.added.items():
            if content.prefix not in self._successors:
                continue
            number, texts = self._successors[content.prefix]
            if keys.get(number, own) == own or keys[number] not in known:
                self.faults.add(
                    number,
                    f"“{shortened(texts.successor)}” is no other entry of the register or of the list. Correct the successor.",
                )
            else:
                successor = self.register.place.before + texts.successor.strip()
                self.added[own] = replace(content, successor=successor)
