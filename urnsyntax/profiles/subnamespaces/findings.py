"""What a walk found, for people: the sub-namespaces of a URN, the first unknown one, and the reasons and notes."""

from __future__ import annotations

import string
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from ...nid import edits_of
from ..grammar.patterns import shortened

if TYPE_CHECKING:
    from .levels import Found, Walk
    from .lists import SubNamespace, SubNamespaces

RULE = "sub-namespace"
MAX_NEAR = 3
EDITED = range(3, 65)  # characters of a label for which near ones are looked up; shorter ones have too many
LETTERS = string.ascii_lowercase + string.digits + "-._"


class FoundSubNamespace(NamedTuple):
    """A sub-namespace that a URN belongs to. `start` and `end` are the first and last index of its label in the URN.

    They are None if the names of the namespace are compared by a text of another length. `level` is what such a
    sub-namespace is called; `source` and `as_of` are those of the level if the entry has none.
    """

    prefix: str
    label: str
    level: str
    title: str
    holder: str
    status: str
    successor: str
    reference: str
    url: str
    source: str
    as_of: str
    start: int | None
    end: int | None

    @property
    def description(self) -> str:
        """The label, the title and the holder, such as "de: Germany, German National Library"."""
        who = f", {self.holder}" if self.holder not in ("", self.title) else ""
        return f"{self.label}: {self.title}{who}"


class UnknownSubNamespace(NamedTuple):
    """The first label that is in no list, or the text after a sub-namespace after which nothing can follow.

    `parent` is the prefix before it, "" for the namespace itself; `start` and `end` are as in `FoundSubNamespace`. `coverage`
    says whether the list is complete or partial. `document`, `url` and `stated_on` name the list. `near` are labels of the
    list that differ by one edit.
    """

    label: str
    parent: str
    level: str
    coverage: str
    document: str
    url: str
    stated_on: str
    start: int | None
    end: int | None
    near: tuple[str, ...] = ()


class Findings:
    """What a walk found. `start` is the index of the NSS in the URN. Near labels are looked up in `entries`."""

    def __init__(self, walk: Walk, nid: str, start: int, entries: SubNamespaces) -> None:
        self.walk = walk
        self._nid = nid
        self._start = start
        self._entries = entries

    @cached_property
    def subnamespaces(self) -> tuple[FoundSubNamespace, ...]:
        """The sub-namespaces of the URN, the outermost first."""
        return tuple(map(self._described, self.walk.found))

    @property
    def rest(self) -> tuple[str, str]:
        """What follows the last sub-namespace, and what that is in words, "" if that is not known; ("", "") without one."""
        if not self.walk.found:
            return "", ""
        last = self.walk.found[-1]
        text = self._text[last.end + 1 :]
        return text, last.level.rest if text and self.unknown is None else ""

    @cached_property
    def unknown(self) -> UnknownSubNamespace | None:
        """The first unknown sub-namespace; None if all are listed, or if the level is free."""
        walk = self.walk
        if walk.coverage == "free":
            return None
        start = walk.found[-1].end + 1 if walk.has_excess else walk.start
        end = len(walk.name) if walk.has_excess else start + len(walk.label)
        source = walk.level.source
        return UnknownSubNamespace(
            self._text[start:end],
            walk.found[-1].entry.prefix if walk.found else "",
            walk.level.name,
            walk.coverage,
            source.document if source else "",
            source.url if source else "",
            source.stated_on if source else "",
            self._place(start),
            self._place(end),
            self._near(),
        )

    @property
    def reason(self) -> str:
        """What is wrong or doubtful about the unknown sub-namespace, in sentences; "" without one."""
        unknown = self.unknown
        if unknown is None:
            return ""
        parent = f"urn:{self._nid}:{unknown.parent}".removesuffix(":")
        label, is_complete = f"“{shortened(unknown.label)}”", unknown.coverage == "complete"
        extent = "is complete" if is_complete else "is not complete"
        by = f"The list {extent}: {unknown.document}, as of {unknown.stated_on}."
        if self.walk.has_excess:
            return f"Nothing can follow {parent}, but {label} does. {by}"
        if not unknown.label:
            return f"The {unknown.level} is missing after {parent}. {by}"
        names = ", ".join(f"“{shortened(each)}”" for each in unknown.near)
        near = f"; {names} {'is' if len(unknown.near) == 1 else 'are'}" if names else ""
        return f"{label} is no {'' if is_complete else 'known '}{unknown.level} of {parent}{near}. {by}"

    def repairs(self) -> Iterator[str]:
        """The NSS with the near label, if there is only one, in place of the unknown one."""
        unknown, walk = self.unknown, self.walk
        if unknown and len(unknown.near) == 1 and walk.keeps_places:
            yield walk.nss[: walk.start] + unknown.near[0] + walk.nss[walk.start + len(unknown.label) :]

    def notes(self) -> Iterator[tuple[str, int | None]]:
        """What is doubtful, as sentences, each with its index in the URN."""
        if (unknown := self.unknown) and unknown.coverage == "partial":
            yield self.reason, unknown.start
        for each in self.subnamespaces:
            name = f"urn:{self._nid}:{each.prefix}"
            if each.status == "deprecated":
                use = f" Use urn:{self._nid}:{each.successor} instead." if each.successor else ""
                yield f"{name} ({each.title}) is deprecated.{use}", each.start
            elif each.status == "retired":
                use = f" Its successor is urn:{self._nid}:{each.successor}." if each.successor else ""
                yield f"{name} ({each.title}) is retired: no new names are assigned.{use}", each.start

    def _described(self, found: Found) -> FoundSubNamespace:
        entry, source = found.entry, found.level.source
        return FoundSubNamespace(
            entry.prefix,
            self._label_of(entry, found.start, found.end),
            found.level.name,
            entry.title,
            entry.holder,
            entry.status,
            entry.successor,
            entry.reference,
            entry.url,
            entry.source or (source.document if source else ""),
            entry.as_of or (source.stated_on if source and not entry.source else ""),
            self._place(found.start),
            self._place(found.end),
        )

    def _near(self) -> tuple[str, ...]:
        """The labels of the list that differ from the unknown one by one edit."""
        walk, label = self.walk, self.walk.label
        if not walk.is_open or not self._entries or len(label) not in EDITED:
            return ()
        before = walk.name[: walk.start]
        letters = LETTERS if label == label.lower() else LETTERS + string.ascii_uppercase
        # Compared at once: a list in a database needs one query.
        candidates = {
            before + each for each in {label.lower(), label.upper(), *edits_of(label, letters)} if each
        }
        known = sorted((self._entries.keys() & candidates) - {before + label})
        found = ((each, self._entries[each]) for each in known)
        near = (
            self._label_of(entry, len(before), len(each))
            for each, entry in found
            if entry.status != "retired"
        )
        return tuple(islice(near, MAX_NEAR))

    def _label_of(self, entry: SubNamespace, start: int, end: int) -> str:
        """The label between two indexes of the normalized prefix, as the list writes it."""
        return entry.prefix[start:] if len(entry.prefix) == end else self.walk.name[start:end]

    @property
    def _text(self) -> str:
        """The text that the indexes belong to, as it was written if possible."""
        return self.walk.nss if self.walk.keeps_places else self.walk.name

    def _place(self, index: int) -> int | None:
        return self._start + index if self.walk.keeps_places else None
