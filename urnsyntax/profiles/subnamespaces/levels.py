"""Levels: how a namespace is divided into sub-namespaces, and the walk along a name from one to the next.

The sub-namespaces are a mapping from normalized prefixes: a `dict`, or the result of a query for the prefixes of one name.
The effort of a walk depends on the length of the name, and not on the number of sub-namespaces.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import starmap
from typing import TYPE_CHECKING, Any, NamedTuple

from ...grammar import PCHAR, PCT_ENCODED
from ...urn import normal_nss
from .. import schema
from ..errors import InvalidProfile
from ..schema import DatedSource, key

if TYPE_CHECKING:
    from ..profile import Names
    from .lists import SubNamespace, SubNamespaces
COVERAGES = ("complete", "partial", "free")
"""How much of a level is known: a name outside its list does not conform, is noted, or is like any other."""

BELOW = ("free", "nothing")
ANY = "*"
MAX_LEVELS = 200
MAX_PREFIX = 255  # characters
MAX_BOUNDARIES = 32  # of a name at which a sub-namespace is looked for

_PREFIX = re.compile(rf"(?!/)(?:[{PCHAR}/]|{PCT_ENCODED})+")
_SEPARATORS = re.compile(r"(?:([!$&'()*+,\-./:;=@_~])(?!.*\1))+")
_ADVICE = "Write the beginning of a name, such as “de:bvb”."

read_prefix = schema.matching(_PREFIX, MAX_PREFIX, "a prefix of names (RFC 8141, Section 2)", _ADVICE)


def _of(value: Any, at: str) -> str:
    return "" if value == "" else str(read_prefix(value, at))


@dataclass(frozen=True, slots=True)
class Level:
    """What is known of the sub-namespaces below one prefix.

    `of` is the prefix: "" for the namespace itself, "*" for each sub-namespace without a level of its own. `name` is what one
    is called. A further sub-namespace follows after the first character of `separator` only; after the others, none follows.
    `below` says what can follow a sub-namespace without a level of its own, and `rest` what follows the last one, in words.
    A prefix is normalized together with `sample`, because an equivalence may depend on what follows.
    """

    name: str = key(schema.text(60))
    coverage: str = key(schema.one_of(COVERAGES, "a coverage"))
    of: str = key(_of, "")
    separator: str = key(
        schema.matching(
            _SEPARATORS, 10, "one or more separators", "Write each character once, such as “:-”."
        ),
        ":",
    )
    below: str = key(schema.one_of(BELOW, "what can follow"), "free")
    rest: str = key(schema.text(200), "")
    sample: str = key(schema.text(20), "")
    source: DatedSource | None = key(schema.object_of(DatedSource), None)  # noqa: RUF009  # a field, not a default value


class Found(NamedTuple):
    """A sub-namespace on the way, the level that lists it, and the first and last index of its label in the name."""

    entry: SubNamespace
    level: Level
    start: int
    end: int


class Walk:
    """Which sub-namespaces a name belongs to, and whether what follows the last one is known.

    `nss` is the normalized NSS, `name` the text that is compared instead, to which all indexes belong. `level` is what the
    rest, which begins at `start`, is looked up in. `is_open` says whether the rest begins with a label that is not listed;
    `has_excess`, whether something follows a sub-namespace after which nothing can follow.
    """

    __slots__ = ("_steps", "has_excess", "is_open", "level", "name", "nss", "start")

    def __init__(
        self,
        nss: str,
        name: str,
        steps: list[tuple[SubNamespace, Level, int, int]],
        level: Level,
        start: int,
        is_open: bool,
        has_excess: bool,
    ) -> None:
        """`steps` are the members of `Found`: making those takes a third of the time of a walk."""
        self.nss = nss
        self.name = name
        self._steps = steps
        self.level = level
        self.start = start
        self.is_open = is_open
        self.has_excess = has_excess

    @property
    def found(self) -> list[Found]:
        """The sub-namespaces of the name, the outermost first."""
        return list(starmap(Found, self._steps))

    @property
    def found_prefixes(self) -> tuple[str, ...]:
        """The prefixes of the sub-namespaces of the name, as the list writes them."""
        return tuple([entry.prefix for entry, *_ in self._steps])

    @property
    def coverage(self) -> str:
        """How much is known of the level to which the name does not keep; "free" if it keeps to all."""
        return self.level.coverage if self.is_open or self.has_excess else "free"

    @property
    def conforms(self) -> bool:
        """Whether no complete list and no rule of a sub-namespace forbids the name."""
        if (self.is_open or self.has_excess) and self.level.coverage == "complete":
            return False
        for entry, *_ in self._steps:
            if entry.names is not None:
                return all(
                    each.names is None or each.names.rules.verdict_on(rest).conformant is not False
                    for each, rest in self.rests
                )
        return True

    @property
    def is_unremarkable(self) -> bool:
        """Whether all sub-namespaces are listed, active, and without rules of their own, so that there is nothing to note."""
        return self.coverage == "free" and all(
            entry.status == "active" and entry.names is None for entry, *_ in self._steps
        )

    @property
    def rests(self) -> list[tuple[SubNamespace, str]]:
        """The sub-namespaces with rules or services, each with the text after its prefix and its separator."""
        # Only a text of the same length as the name has the same places.
        text = self.nss if self.keeps_places else self.name
        return [
            (each.entry, text[each.end + 1 :])
            for each in self.found
            if (each.entry.names or each.entry.services) and each.end + 1 < len(text)
        ]

    @property
    def keeps_places(self) -> bool:
        """Whether the indexes in the name are those in the NSS, too."""
        return len(self.nss) == len(self.name)

    @property
    def canonical(self) -> str:
        """The text that is compared instead of the NSS, by the rules of the last sub-namespace that states some, too."""
        for entry, _, _, end in reversed(self._steps):
            if entry.names is not None and end + 1 < len(self.name):
                return self.name[: end + 1] + entry.names.rules.canonical(self.name[end + 1 :])
        return self.name

    @property
    def label(self) -> str:
        """The label that is not listed."""
        if self.level.below == "nothing":
            return self.name[self.start :]
        return re.split(f"[{re.escape(self.level.separator)}]", self.name[self.start :], maxsplit=1)[0]


class Walker:
    """The levels of a namespace, prepared for many names."""

    def __init__(self, names: Names, levels: Sequence[Level]) -> None:
        self.levels = levels
        self._canonical = names.rules.canonical
        self.separators = "".join(sorted({each for level in levels for each in level.separator}))
        self._boundaries = re.compile(f"[{re.escape(self.separators)}]").finditer
        self.top = next(each for each in levels if not each.of)
        self._any = next((each for each in levels if each.of == ANY), None)
        of_prefixes = [each for each in levels if each.of not in ("", ANY)]
        self._written = {each.of.lower(): each for each in of_prefixes}
        self._own = {self.key_of(each.of, self._written): each for each in of_prefixes}

    def prefixes(self, name: str) -> list[str]:
        """The prefixes of a compared name that can be those of sub-namespaces, the shortest first."""
        return [name[:end] for end in self._ends(name)]

    def walk(self, nss: str, entries: SubNamespaces) -> Walk:
        """The sub-namespaces of a normalized NSS. `entries` has at least those of its `prefixes`, by normalized prefix."""
        name = self._canonical(nss)
        steps = []
        level, start, is_open, has_excess = self.top, 0, True, False
        find = entries.get
        for end in self._ends(name):
            entry = find(name[:end])
            if entry is None:
                continue
            follows = name[end : end + 1]
            if follows not in level.separator:  # "" is in each
                continue
            steps.append((entry, level, start, end))
            below = self._own.get(name[:end]) or (None if level.below == "nothing" else self._any)
            is_open, has_excess = False, False
            if below is None:
                # The next sub-namespace is one of the same level, with a longer label.
                has_excess = bool(follows) and level.below == "nothing"
            elif follows == level.separator[0]:
                level, start, is_open = below, end + 1, True
            else:
                break
        return Walk(nss, name, steps, level, start, is_open, has_excess)

    def level_of(self, prefix: str, known: Container[str]) -> tuple[Level, int]:
        """The level that lists a prefix, and the index of its label. `known` are the other prefixes in lower case."""
        # Of each shorter prefix that is known: its end, its level, and the level below it, the longest first.
        around: list[tuple[int, Level, Level | None]] = []
        found, start = self.top, 0
        for end in self._ends(prefix):
            found, start = self.top, 0
            for before, level, below in around:
                if below is not None and prefix[before] == level.separator[0]:
                    found, start = below, before + 1
                    break
            part = prefix[:end].lower()
            if part in known or part in self._written:
                below = self._written.get(part) or (None if found.below == "nothing" else self._any)
                around.insert(0, (end, found, below))
        return found, start

    def level_below(self, key: str, level: Level) -> Level | None:
        """The level below a normalized prefix that `level` lists; None if its holder decides, or nothing follows."""
        return self._own.get(key) or (None if level.below == "nothing" else self._any)

    def beginning_of(self, prefix: str, known: Container[str]) -> str:
        """The prefix with the sample of its level, as the beginning of a normalized NSS."""
        return normal_nss(prefix) + self.level_of(prefix, known)[0].sample

    def known_of(self, prefix: str) -> set[str]:
        """What `level_of` looks for in `known`."""
        return {each.lower() for each in self.prefixes(prefix)}

    def key_of(self, prefix: str, known: Container[str]) -> str:
        """The normalized prefix."""
        sample = self.level_of(prefix, known)[0].sample
        normalized = self._canonical(normal_nss(prefix) + sample)
        return normalized.removesuffix(sample if normalized.endswith(sample) else sample.lower())

    def _ends(self, name: str) -> list[int]:
        ends = [each.start() for each in self._boundaries(name, 0, MAX_PREFIX + 1)]
        ends.append(len(name))
        return ends[:MAX_BOUNDARIES]


def check_levels(levels: Sequence[Level]) -> None:
    """Raise `InvalidProfile` for levels that contradict each other, or that have no source."""
    seen: set[str] = set()
    for index, level in enumerate(levels):
        if level.of.lower() in seen:
            raise InvalidProfile(f"levels[{index}].of", f"“{level.of}” has two levels.", "Keep one.")
        seen.add(level.of.lower())
        if level.source is None and level.coverage != "free":
            reason = f"The source of a list that is {level.coverage} is missing."
            raise InvalidProfile(
                f"levels[{index}].source", reason, "Name the document, its address and its date."
            )
    if levels and "" not in seen:
        raise InvalidProfile(
            "levels", "The level of the namespace itself is missing.", "Add one without “of”."
        )
