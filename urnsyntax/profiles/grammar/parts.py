"""The labelled parts of names: where each rule of a list matches in a name.

A rule in a repetition matches several times, but a group of RE2 keeps only its last match. So a repetition is
captured as a whole and then divided item by item. The number of items and the work for one name are limited.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import re2

from ..errors import InvalidGrammar
from .patterns import MAX_EFFORT, compiled_with_groups
from .tree import Choice, Node, Repeat, Rule, Sequence, children
from .writing import ATOM, SEQUENCE, PatternWriter, quantifier, wrapped

MAX_ITEMS = 100  # items of one repetition; the parts of later items are not found
MAX_GROUPS = 200
_MAX_SPENT = 4 * MAX_EFFORT  # takes at most 0.3 s
_MAX_WRITTEN_OUT = 4  # items of a repetition that each get groups of their own


class Part(NamedTuple):
    """A part of a name: the rule that matches it, and its first and last index in the NSS."""

    rule: str
    start: int
    end: int


class PartFinder:
    """Finds the parts of names that match a tree."""

    def __init__(self, tree: Node, names: Iterable[str]) -> None:
        """Raise `InvalidGrammar` if the rules occur in too many places."""
        writer = _GroupWriter(frozenset(names))
        self._use(writer.written(tree)[0], writer.groups)

    def _use(self, pattern: str, groups: "list[str | _ItemFinder]") -> None:
        try:
            compiled = compiled_with_groups(pattern)
        except re2.error as refusal:
            reason = f"RE2 rejects the labelled rules: {refusal.args[0].decode('latin-1')[:80]}."
            raise InvalidGrammar(reason, "Label fewer rules.") from refusal
        self._match, self._steps = compiled.fullmatch, compiled.programsize
        self._groups = tuple(enumerate(groups, 1))

    def find(self, name: str) -> list[Part]:
        """The parts, in the order in which they begin; a part that contains others comes before them."""
        found = self._parts_in(name.encode("ascii"), 0, _Effort())
        if len(found) > 1:
            found.sort(key=lambda part: (part.start, -part.end))
        return found

    def _parts_in(self, name: bytes, offset: int, effort: "_Effort") -> list[Part]:
        effort.spent += len(name) * self._steps
        match = self._match(name)
        found: list[Part] = []
        if match is None:
            return found
        for number, group in self._groups:
            start, end = match.span(number)
            if start < 0:
                continue
            if isinstance(group, str):
                found.append(Part(group, offset + start, offset + end))
            else:
                found += group.parts_in(name[start:end], offset + start, effort)
        return found


class _Effort:
    """The work for one name: steps of patterns times characters."""

    spent = 0


class _ItemFinder(PartFinder):
    """Finds the parts of the items of a repetition, whose whole text is given."""

    def __init__(self, repeat: Repeat, names: frozenset[str]) -> None:
        writer = _GroupWriter(names)
        writer.groups.append(_ITEM)
        item = writer.written(repeat.item)[0]
        others = PatternWriter().bound(repeat.item, ATOM)
        self._use(f"({item}){others}*", writer.groups)

    def parts_in(self, items: bytes, offset: int, effort: _Effort) -> Iterator[Part]:
        for _ in range(MAX_ITEMS):
            if not items or effort.spent > _MAX_SPENT:
                return
            found = self._parts_in(items, 0, effort)
            end = next((part.end for part in found if part.rule == _ITEM), 0)
            yield from (
                Part(part.rule, offset + part.start, offset + part.end)
                for part in found
                if part.rule != _ITEM
            )
            if not end:
                return
            items, offset = items[end:], offset + end


_ITEM = " item"  # no rule has such a name


class _GroupWriter(PatternWriter):
    """Writes each rule of a list as a group, and each repetition that contains one."""

    def __init__(self, names: frozenset[str]) -> None:
        super().__init__()
        self._names = names
        self._grouped: dict[int, bool] = {}
        self.groups: list[str | _ItemFinder] = []

    def written(self, node: Node) -> tuple[str, int]:
        return (self._write_grouped(node), ATOM) if self._is_grouped(node) else super().written(node)

    def mask(self, node: Node) -> int | None:
        return None if self._is_grouped(node) else super().mask(node)

    def _is_grouped(self, node: Node) -> bool:
        """Whether the node is or contains a group; such a node is written anew each time."""
        if id(node) not in self._grouped:
            is_named = isinstance(node, Rule) and node.name in self._names
            self._grouped[id(node)] = is_named or any(self._is_grouped(each) for each in children(node))
        return self._grouped[id(node)]

    def _write_grouped(self, node: Node) -> str:
        match node:
            case Rule(name, item) if name in self._names:
                self._add(name)
                return f"({self.written(item)[0]})"
            case Rule(item=item):
                return self.bound(item, ATOM)
            case Repeat():
                return self._repeat(node)
            case Choice(items):
                return wrapped("|".join(self.bound(each, SEQUENCE) for each in items))
            case Sequence(items):
                return wrapped("".join(self.bound(each, SEQUENCE) for each in items))
        raise AssertionError(node)

    def _add(self, group: "str | _ItemFinder") -> None:
        if len(self.groups) == MAX_GROUPS:
            reason = f"The labelled rules occur in more than {MAX_GROUPS} places."
            raise InvalidGrammar(reason, "Label fewer rules.")
        self.groups.append(group)

    def _repeat(self, repeat: Repeat) -> str:
        item, least, most = repeat.item, repeat.least, repeat.most
        if most is None or most > _MAX_WRITTEN_OUT:
            self._add(_ItemFinder(repeat, self._names))
            return f"({PatternWriter().bound(item, ATOM)}{quantifier(least, most)})"
        needed = "".join(self.bound(item, ATOM) for _ in range(least))
        pattern = ""
        # Groups are numbered from the left, so the outermost optional item is written first.
        optional = [self.bound(item, ATOM) for _ in range(most - least)]
        for each in reversed(optional):
            pattern = wrapped(each + pattern) + "?"
        return wrapped(needed + pattern)
