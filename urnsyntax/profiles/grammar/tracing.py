"""The place where a name stops to follow a grammar, and what could stand there.

A `Tracer` follows a name through a nondeterministic automaton of the grammar and remembers the sets of states that it
has met, so most names cost one dictionary lookup for each character. The work for one name and the memory are limited.
"""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from .expectations import NSS_CHARACTERS, in_words
from .tree import Choice, Node, Repeat, Rule, Sequence, Text
from .writing import PatternWriter, bits_of

MAX_WORK = 400_000  # states visited for one name
_MAX_REMEMBERED = 200_000  # states in all remembered sets
_MAX_EXPLAINED = 1_000  # states in a set for which rules are named
_END = 0


class Misfit(NamedTuple):
    """The place where a name stops to follow a grammar.

    `position` is an index in the NSS, its length if something is missing at the end. `rules` are the labelled rules
    around it, the innermost last. `expected` describes what can stand there, and `characters` can come first in it.
    """

    position: int
    rules: tuple[str, ...]
    expected: str
    characters: frozenset[str]


class _StateSet:
    """The states in which a name can be after some of its characters, and the set after each next character."""

    __slots__ = ("after", "explanations", "may_end", "states")

    def __init__(self, states: frozenset[int]) -> None:
        self.states = states - {_END}
        self.may_end = _END in states
        self.after: dict[str, _StateSet | None] = {}
        self.explanations: dict[frozenset[str], tuple[tuple[str, ...], str, frozenset[str]]] = {}


class _TooMuchWork(Exception):
    """The limit for one name is reached."""


class Tracer:
    """Traces names through one grammar."""

    def __init__(self, tree: Node) -> None:
        automaton = _Automaton()
        start = automaton.add(tree, _END, ())
        self._automaton = automaton
        self._known: dict[frozenset[int], _StateSet] = {}
        self._remembered = self._work = 0
        # The first set is not shared, because no name ends there.
        self._first = self._closed([start])
        self._known.clear()

    def misfit_of(self, nss: str, names: frozenset[str]) -> Misfit | None:
        """Where a name that does not match goes wrong, with the rules of these names around the place.

        None if the name matches, or if finding the place would take long.
        """
        self._work = 0
        try:
            current = self._first
            for position, character in enumerate(nss):
                following = self._step(current, character)
                if following is None:
                    return self._misfit(current, position, names)
                current = following
        except _TooMuchWork:
            return None
        return None if current.may_end else self._misfit(current, len(nss), names)

    def _step(self, current: _StateSet, character: str) -> _StateSet | None:
        if character not in current.after:
            masks, targets, bit = self._automaton.masks, self._automaton.targets, ord(character)
            self._count(len(current.states))
            reached = {targets[state][0] for state in current.states if masks[state] >> bit & 1}
            current.after[character] = self._closed(reached) if reached else None
        return current.after[character]

    def _closed(self, states: Iterable[int]) -> _StateSet:
        """The set of states with a character that are reached without one."""
        masks, targets = self._automaton.masks, self._automaton.targets
        waiting, seen = list(states), set()
        while waiting:
            state = waiting.pop()
            if state not in seen:
                seen.add(state)
                if state and not masks[state]:
                    waiting += targets[state]
        self._count(len(seen))
        found = frozenset(state for state in seen if masks[state] or state == _END)
        if found not in self._known:
            self._remember(found)
        return self._known[found]

    def _remember(self, states: frozenset[int]) -> None:
        self._remembered += len(states) + 1
        if self._remembered > _MAX_REMEMBERED:
            self._known.clear()
            self._remembered = len(states) + 1
        self._known[states] = _StateSet(states)

    def _count(self, visited: int) -> None:
        self._work += visited
        if self._work > MAX_WORK:
            raise _TooMuchWork

    def _misfit(self, current: _StateSet, position: int, names: frozenset[str]) -> Misfit:
        if names not in current.explanations:
            current.explanations[names] = self._explanation(current, names, position > 0)
        return Misfit(position, *current.explanations[names])

    def _explanation(
        self, current: _StateSet, names: frozenset[str], is_begun: bool
    ) -> tuple[tuple[str, ...], str, frozenset[str]]:
        masks, texts = self._automaton.masks, self._automaton.texts
        alone = together = 0
        for state in current.states:
            together |= masks[state]
            if state not in texts:
                alone |= masks[state]
        expected = in_words(
            _characters_of(alone),
            [texts[state] for state in current.states if state in texts],
            may_end=current.may_end and is_begun,  # no NSS is empty
        )
        return self._rules_around(current, names, together), expected, _characters_of(together)

    def _rules_around(self, current: _StateSet, names: frozenset[str], expected: int) -> tuple[str, ...]:
        if len(current.states) > _MAX_EXPLAINED:
            return ()
        masks, rules = self._automaton.masks, self._automaton.rules
        labelled = [
            (masks[state], tuple(rule for rule in rules[state] if rule in names)) for state in current.states
        ]
        labelled.sort(key=lambda each: (-len(each[1]), each[1]))
        found: Counter[tuple[str, ...]] = Counter()
        for mask, around in labelled:  # the innermost rules first
            found[around] += (mask & expected).bit_count()
            expected &= ~mask
        return max(found, key=lambda around: (found[around], len(around)), default=())


def _characters_of(mask: int) -> frozenset[str]:
    return frozenset(each for each in NSS_CHARACTERS if mask >> ord(each) & 1)


class _Automaton:
    """States with a character (`masks` has its bits, `targets` one state) and states without; state 0 is the end.

    `rules` are the names of the rules around a state, the innermost last; `texts` is the rest of the text that a state
    of a longer text begins.
    """

    def __init__(self) -> None:
        self.masks = [0]
        self.targets: list[list[int]] = [[]]
        self.rules: list[tuple[str, ...]] = [()]
        self.texts: dict[int, str] = {}
        self._writer = PatternWriter()

    def add(self, node: Node, after: int, rules: tuple[str, ...]) -> int:
        """Add the states of a node that continues at a state; return its first state."""
        if isinstance(node, Rule):
            return self.add(node.item, after, (*rules, node.name))
        mask = self._writer.mask(node)
        if mask is not None:
            return self._state(mask, [after], rules)
        match node:
            case Text(text, any_case):
                return self._add_text(text, any_case, after, rules)
            case Sequence(items):
                for item in reversed(items):
                    after = self.add(item, after, rules)
                return after
            case Choice(items):
                return self._state(0, [self.add(item, after, rules) for item in items], rules)
            case Repeat():
                return self._add_repeat(node, after, rules)
        raise AssertionError(node)

    def _add_text(self, text: str, any_case: bool, after: int, rules: tuple[str, ...]) -> int:
        for index in reversed(range(len(text))):
            each = text[index]
            bits = bits_of(each.upper() + each.lower() if any_case else each)
            after = self._state(bits, [after], rules)
            if index < len(text) - 1:
                self.texts[after] = text[index:]
        return after

    def _add_repeat(self, repeat: Repeat, after: int, rules: tuple[str, ...]) -> int:
        first = after
        if repeat.most is None:
            first = self._state(0, [after], rules)
            self.targets[first].append(self.add(repeat.item, first, rules))
        for _ in range((repeat.most or repeat.least) - repeat.least):
            first = self._state(0, [after, self.add(repeat.item, first, rules)], rules)
        for _ in range(repeat.least):
            first = self.add(repeat.item, first, rules)
        return first

    def _state(self, mask: int, targets: list[int], rules: tuple[str, ...]) -> int:
        self.masks.append(mask)
        self.targets.append(targets)
        self.rules.append(rules)
        return len(self.masks) - 1
