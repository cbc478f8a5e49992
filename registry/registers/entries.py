"""Entries of registers: whether a label is well-formed and free, and writing an entry into the list of sub-namespaces.

What is directly below the NID, or below the entry of a branch with a register, has an entry, also if it was imported. If only
“beech:east” is listed, its entry has the skeleton of “beech”. Entries are written with the rows of the list, so that a check of a
label reads few rows of a long one.
"""

import unicodedata
from bisect import bisect_left
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from typing import Any
from urllib.parse import unquote

from django.db.models import Q, QuerySet
from django.utils import timezone

from registry.accounts.models import User
from registry.actions.declarations import ActionContext
from registry.core.database.bulk_copy import batches, copy_insert, copy_update
from registry.core.names import check_name, skeleton, unseen_in
from registry.core.validators import MAX_NAME_LENGTH, check_optional_text, check_text, shortened
from registry.namespaces.actions.profiles import profile_written
from registry.namespaces.models import Namespace
from registry.registers.branches import registers_around, registers_of, requests_in, rows_in
from registry.registers.fields import NO_VALUES, FieldValueRefused, check_values
from registry.registers.models import MAX_ENTRY_REFERENCE, MAX_SKELETON, Entry, EntryRequest, Register
from registry.registers.policies import Policy
from registry.registers.subjects import EntryLooksAlike, EntryTaken, InvalidEntry
from registry.subnamespaces.adding import plan_entry
from registry.subnamespaces.affected import StoredPrefixes
from registry.subnamespaces.importing import (
    ListChange,
    ListRefused,
    NoLevels,
    list_written,
    write_list,
)
from registry.subnamespaces.models import HIGHEST, SubNamespace
from urnsyntax.confusable_characters import is_unseen
from urnsyntax.profiles import InvalidProfile, Profile
from urnsyntax.profiles.subnamespaces.levels import MAX_PREFIX
from urnsyntax.profiles.subnamespaces.lists import SubNamespace as Content

# With which a label is refused.
REFUSALS = (InvalidEntry, EntryTaken, EntryLooksAlike, FieldValueRefused, NoLevels)
# The arguments of actions by the keys of a sub-namespace.
_ARGUMENTS = {"prefix": "label", "title": "title", "reference": "reference"}
OF_LABEL = "Write letters from A to Z, digits and characters such as “-” and “.”, and percent-encode others (RFC 3986, Section 2.1)."
BATCH = 20_000  # rows of a list
MAX_CACHED = 1_000  # skeletons: many rows of a list begin with the same label


@dataclass(frozen=True)
class CheckedEntry:
    """An entry that could be written now. `change` is what it changes in the list."""

    label: str
    title: str
    reference: str
    fields: dict[str, str]
    key: str
    skeleton: str
    change: ListChange

    @property
    def columns(self) -> dict[str, Any]:
        """Those of a request."""
        return {
            name: getattr(self, name) for name in ("label", "title", "reference", "fields", "key", "skeleton")
        }


@lru_cache(maxsize=MAX_CACHED)
def skeleton_of(label: str) -> str:
    """A digest of what a label of a normalized prefix looks like (UTS #39, Section 4)."""
    looks = skeleton(unquote(label, errors="backslashreplace"))
    return blake2b(looks.encode(), digest_size=MAX_SKELETON // 2).hexdigest()


def check_entry(
    register: Register,
    *,
    label: str,
    title: str,
    reference: str,
    fields: Mapping[str, str] = NO_VALUES,
    revised: EntryRequest | None = None,
    may_decide: bool = False,
) -> CheckedEntry:
    """An entry that is well-formed and free, in a locked register.

    Raises the errors of texts, NameRefused, and those of `REFUSALS`. The label may be that of the request which is `revised`.
    `may_decide` says that the person who enters it decides on requests.
    """
    content = checked_content(register, label=label, title=title, reference=reference, fields=fields)
    label = content.prefix.removeprefix(register.place.before)
    change, key, looks = _planned(register, content, label)
    against = Conflicts.read(register, [key], [looks], revised=revised, may_decide=may_decide)
    against.check(label, key, looks)
    return CheckedEntry(label, content.title, content.reference, dict(content.fields), key, looks, change)


def check_label(register: Register, label: str) -> str:
    """The label, without spaces around it. Raises what `check_entry` raises if it is not well-formed, is listed, or looks like what
    is listed. It is not compared with requests, which are private.
    """
    label = checked_label(label)
    _check_characters(register, label)
    _, key, looks = _planned(register, _content_of(register, label, "Title", "", {}), label)
    Conflicts(Conflicts.listed_in(register, [looks])).check(label, key, looks)
    return label


def _planned(register: Register, content: Content, label: str) -> tuple[ListChange, str, str]:
    """What a new entry adds to the list, its key and its skeleton. Raises NoLevels, InvalidEntry and EntryTaken."""
    try:
        change = plan_entry(register.namespace, content, ends=register.place.ends)
    except ListRefused as refusal:
        raise cannot_begin(register, label, refusal) from refusal
    if not change.added:
        raise EntryTaken(
            f"“{shortened(label)}” is listed already. Choose another label: none is assigned twice.",
            argument="label",
        )
    (key,) = change.added
    return change, key, skeleton_of(register.place.rest_of(key))


def checked_content(
    register: Register, *, label: str, title: str, reference: str, fields: Mapping[str, str]
) -> Content:
    """A new sub-namespace whose texts are well-formed.

    Raises the errors of texts, NameRefused, FieldValueRefused and InvalidEntry.
    """
    label = checked_label(label)
    title = checked_title(title)
    reference = checked_reference(register, reference)
    values = check_values(register.declared, fields)
    _check_characters(register, label)
    return _content_of(register, label, title, reference, values)


def checked_label(label: str) -> str:
    return check_text(label, "the label", longest=MAX_PREFIX, argument="label")


def checked_title(title: str) -> str:
    return check_name(title, "the title", longest=MAX_NAME_LENGTH, argument="title")


def checked_reference(register: Register, reference: str) -> str:
    check_reference = check_text if register.policy == Policy.SPECIFICATION else check_optional_text
    reference = check_reference(
        " ".join(reference.split()), "the specification", longest=MAX_ENTRY_REFERENCE, argument="reference"
    )
    if fault := unseen_in(reference):
        raise InvalidEntry(f"In the specification, {fault}", argument="reference")
    return reference


def _check_characters(register: Register, label: str) -> None:
    """Raise InvalidEntry unless each character of the label, also a percent-encoded one, can be seen and is no separator.

    People copy whole names, so that for one, the message has the label in it.
    """
    beginning = register.beginning
    rest = label[len(beginning) :] if label.lower().startswith(beginning.lower()) else ""
    if only := register.place.first_in(rest):
        raise InvalidEntry(
            f"“{shortened(label)}” begins with “{beginning}”, which stands before each label. Write only “{shortened(only)}”.",
            argument="label",
        )
    try:
        shown = unquote(label, errors="strict")
    except UnicodeDecodeError as fault:
        raise InvalidEntry(
            f"“{shortened(label)}” has percent-encoded octets that are not UTF-8 (RFC 3986, Section 2.5). Correct them.",
            argument="label",
        ) from fault
    if " " in shown:
        raise InvalidEntry(f"“{shortened(label)}” contains a space. Remove it.", argument="label")
    if unseen := next(filter(is_unseen, shown), ""):
        raise InvalidEntry(
            f"“{shortened(label)}” has U+{ord(unseen):04X} ({unicodedata.name(unseen, 'a control character')}), which can't be seen, "
            "or changes how the label is read (UTS #39, Section 3). Remove it.",
            argument="label",
        )
    check_is_whole(register, label, shown)


def check_is_whole(register: Register, label: str, shown: str) -> None:
    """Raise InvalidEntry if the characters of a label, as they are `shown`, have one that ends it."""
    if found := set(shown).intersection(register.place.ends):
        raise InvalidEntry(
            f"“{shortened(label)}” contains “{min(found)}”, which ends a label in {register.name}. Remove it.",
            argument="label",
        )


def statement_of(register: Register) -> dict[str, Any]:
    """Whose statement an entry is that the register writes today, as members of its content."""
    return {"source": register.source, "as_of": timezone.now().date().isoformat()}


def _content_of(
    register: Register, label: str, title: str, reference: str, values: dict[str, str]
) -> Content:
    """The sub-namespace of an entry. Raises InvalidEntry."""
    prefix = register.place.before + label
    row: dict[str, Any] = {"prefix": prefix, "title": title, "reference": reference, "fields": values}
    row |= statement_of(register)
    try:
        return Content.from_dict(
            {name: value for name, value in row.items() if value}, register.namespace.nid
        )
    except InvalidProfile as fault:
        advice = OF_LABEL if fault.key == "prefix" else fault.advice
        raise InvalidEntry(
            f"{fault.reason} {advice}".rstrip(), argument=_ARGUMENTS.get(fault.key, "label")
        ) from fault


def cannot_begin(register: Register, label: str, refusal: ListRefused) -> InvalidEntry:
    """The refusal of a label that does not fit the list."""
    return InvalidEntry(
        f"“{shortened(label)}” can't begin a name of {register.name}. {refusal}",
        argument="label",
    )


@dataclass(frozen=True)
class Conflicts:
    """What stands against new labels: entries by their skeletons, and the keys and skeletons of undecided requests.

    `in_lines` are the labels by their skeletons, each with its line, that were checked before in the same list.
    """

    listed: dict[str, str]
    requested: frozenset[str] = frozenset()
    requested_alike: frozenset[str] = frozenset()
    may_decide: bool = False
    in_lines: dict[str, tuple[str, int]] = field(default_factory=dict)

    @classmethod
    def read(
        cls,
        register: Register,
        keys: Collection[str],
        skeletons: Collection[str],
        *,
        revised: EntryRequest | None = None,
        **more: Any,
    ) -> "Conflicts":
        """Read them for these keys and skeletons, with two queries. The request that is `revised` does not count."""
        pending = register.requests.undecided().for_new_entries()
        if revised is not None:
            pending = pending.exclude(pk=revised.pk)
        same = Q(key__any=sorted(keys)) | Q(skeleton__any=sorted(skeletons))
        requested = list(pending.filter(same).values_list("key", "skeleton"))
        return cls(
            cls.listed_in(register, skeletons),
            frozenset(key for key, _ in requested),
            frozenset(looks for _, looks in requested),
            **more,
        )

    @staticmethod
    def listed_in(register: Register, skeletons: Collection[str]) -> dict[str, str]:
        """The listed labels with these skeletons, as prefixes by skeleton."""
        alike = register.entries.filter(skeleton__any=sorted(skeletons))
        listed = dict(alike.values_list("skeleton", "subnamespace__prefix"))
        return {str(looks): prefix for looks, prefix in (_in_outer(register) | listed).items()}

    def check(self, label: str, key: str, looks: str, line: int = 0) -> None:
        """Raise EntryTaken or EntryLooksAlike if the label is requested, or looks like one that is listed, requested or on an
        earlier line.
        """
        shown = shortened(label)
        if looks in self.listed:
            raise EntryLooksAlike(
                f"“{shown}” could be mistaken for “{self.listed[looks]}”, which is listed "
                "(UTS #39, Section 4). Choose another label.",
                argument="label",
            )
        if key in self.requested:
            advice = "Decide on the request, or choose" if self.may_decide else "Choose"
            raise EntryTaken(f"“{shown}” is requested already. {advice} another label.", argument="label")
        if looks in self.requested_alike:
            raise EntryLooksAlike(
                f"“{shown}” could be mistaken for a label that is requested (UTS #39, Section 4). "
                "Choose another label.",
                argument="label",
            )
        other, at = self.in_lines.setdefault(looks, (label, line))
        if at != line:
            raise EntryLooksAlike(
                f"“{shown}” could be mistaken for “{shortened(other)}” on line {at} (UTS #39, Section 4). "
                "Choose another label.",
                argument="label",
            )


def _in_outer(register: Register) -> dict[str, str]:
    """The labels in outer registers that stand for one in this register, by its skeleton: their entries were imported before what is
    around them. There are as many at most as registers around it.
    """
    place, outer, found = register.place, register, {}
    while outer.entry is not None:
        inner, outer = outer.entry, outer.entry.register
        first = skeleton_of(outer.place.label_of(inner.subnamespace.key))
        entry = outer.entries.filter(skeleton=first).select_related("subnamespace").first()
        if entry is not None and place.contains(entry.subnamespace.key):
            found[skeleton_of(place.label_of(entry.subnamespace.key))] = entry.subnamespace.prefix
    return found


def write_entry(
    context: ActionContext[Any],
    register: Register,
    checked: CheckedEntry,
    *,
    person: User | None,
    contact: str = "",
) -> Entry:
    """Write an entry as the next version of the list, and describe the event. `contact` is its address."""
    namespace = register.namespace
    made = write_list(
        namespace,
        checked.change,
        by=context.by,
        basis=f"Entry “{register.place.before}{checked.label}” of the register “{register.title}”",
        last=namespace.subnamespace_list_versions.last(),
        is_registered=True,
    )
    prefix = f"{register.place.before}{checked.label}"
    context.details |= {"entry": prefix, "version": made.version, "text_digest": made.digest}
    entry = register.entries.select_related("subnamespace").get(
        subnamespace__namespace=namespace, subnamespace__key=checked.key
    )
    entry.person, entry.register, entry.subnamespace.namespace = person, register, namespace
    entry.contact = contact
    entry.save(update_fields=["person", "contact"])
    return entry


def add_entries(register: Register, rows: QuerySet[SubNamespace]) -> None:
    """Add entries for those rows of the list that stand at the place of the register, and for the first one below each other label.

    Of those whose labels look alike, the first one gets the skeleton.
    """
    place = register.place
    listed = rows.order_by("pk").values_list("pk", "key").iterator()
    labels = ((pk, place.rest_of(key), place.label_of(key)) for pk, key in listed)
    for batch in batches(((pk, key == label, skeleton_of(label)) for pk, key, label in labels), BATCH):
        wanted = sorted({found for *_, found in batch})
        taken = set(register.entries.filter(skeleton__any=wanted).values_list("skeleton", flat=True))
        entries = []
        for pk, is_label, found in batch:
            if is_label or found not in taken:
                given = None if found in taken else found
                entries.append(Entry(register=register, subnamespace_id=pk, skeleton=given))
                taken.add(found)
        copy_insert(Entry, entries)


def add_listed_entries(register: Register) -> None:
    """Add entries for the rows that are in the list when a register is opened."""
    add_entries(register, rows_in(register).filter(entry=None))


def _follow_list(namespace: Namespace, added: Collection[str], **_: Any) -> None:
    """Add entries for new rows of a list with registers, to the outermost register first."""
    keys = sorted(added)
    for register in registers_around(namespace, keys) if keys else ():
        before = register.place.key_before
        inside = keys[bisect_left(keys, before) : bisect_left(keys, f"{before}{HIGHEST}")] if before else keys
        if inside:
            add_entries(register, rows_in(register).filter(key__any=inside, entry=None))


def _follow_profile(namespace: Namespace, profile: Profile, **_: Any) -> None:
    """Compare the labels by a new profile, whose normalized prefixes are written. Without levels, it compares none."""
    for register in registers_of(namespace) if profile.walker else ():
        compare_again(register)


def compare_again(register: Register) -> None:
    """Compare the labels of the entries and the undecided requests of a locked register, because the profile changed, or what is
    known of characters that look alike.
    """
    if (profile := register.namespace.current_profile) and profile.walker is not None:
        _compare_entries_again(register)
        add_listed_entries(register)
    renew_keys(register)


def _compare_entries_again(register: Register) -> None:
    """Give each skeleton to the first entry that has it."""
    given, changed = set[str](), []
    entries = register.entries.values_list("pk", "skeleton", "subnamespace__key")
    for pk, stored, key in entries.iterator():
        found = skeleton_of(register.place.label_of(key))
        wanted = None if found in given else found
        given.add(found)
        if stored != wanted:
            changed.append(Entry(pk=pk, skeleton=wanted))
    # Two entries can exchange theirs.
    copy_update(Entry, [Entry(pk=each.pk, skeleton=None) for each in changed], ["skeleton"])
    copy_update(Entry, [each for each in changed if each.skeleton], ["skeleton"])


def renew_keys(register: Register) -> None:
    """Give the undecided requests of a locked register the keys that they have by the current profile.

    One keeps its own if another one has or had the new ones, until that one ends; the check before it is accepted compares the new
    ones.
    """
    profile = register.namespace.current_profile
    waiting = requests_in(register)
    if profile is None or profile.walker is None or not waiting:
        return
    known = StoredPrefixes(register.namespace)
    known.read(prefix for each in waiting for prefix in profile.walker.known_of(each.prefix))
    keys, skeletons = {each.key: each for each in waiting}, {each.skeleton: each for each in waiting}
    changed = []
    for each in waiting:
        key = profile.walker.key_of(each.prefix, known)
        looks = skeleton_of(register.place.rest_of(key))
        is_free = keys.setdefault(key, each) is each is skeletons.setdefault(looks, each)
        if is_free and (each.key, each.skeleton) != (key, looks):
            each.key, each.skeleton = key, looks
            changed.append(each)
    copy_update(EntryRequest, changed, ["key", "skeleton"])


def follow_lists() -> None:
    """Keep the entries in step with the lists and the profiles."""
    list_written.connect(_follow_list, dispatch_uid="entries of registers")
    profile_written.connect(_follow_profile, dispatch_uid="labels of registers")
