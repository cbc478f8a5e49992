"""The place where a name stops to follow a grammar, and what could stand there.

A `Tracer` follows a name through a nondeterministic automaton of the grammar and remembers the sets of states that it
has met, so most names cost one dictionary lookup for each character. The work for one name and the memory are limited.
"""

import re
import string
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache

from .automaton import END, Automaton
from .expectations import NSS_CHARACTERS, in_words
from .misfits import Explanation, Misfit, Stop
from .tree import Node
from .writing import bits_of

MAX_WORK = 400_000  # states visited for one name
_MAX_REMEMBERED = 200_000  # states in all remembered sets
_MAX_EXPLAINED = 1_000  # states in a set for which rules are named
_MAX_WORD = 100  # characters of a wrong word that are looked back at
_MAX_REPLACED = 40  # characters of a name in which a wrong digit is sought
_WORD = re.compile("[A-Za-z0-9]+")
_TRIPLET = re.compile("%[0-9A-F]{2}")


class _StateSet:
    """The states in which a name can be after some of its characters, and the set after each next character."""

    __slots__ = ("after", "explanations", "may_end", "states")

    def __init__(self, states: frozenset[int]) -> None:
        self.states = states - {END}
        self.may_end = END in states
        self.after: dict[str, _StateSet | None] = {}
        self.explanations: dict[tuple[frozenset[str], bool], Explanation] = {}


class _TooMuchWork(Exception):
    """The limit for one name is reached."""


class Tracer:
    """Traces names through one grammar."""

    def __init__(self, tree: Node) -> None:
        self._automaton = Automaton()
        start = self._automaton.add(tree, END, ())
        self._known: dict[frozenset[int], _StateSet] = {}
        self._known_beginnings: dict[str, frozenset[int]] = {}
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
            found = self._trace(nss)
            return self._misfit(nss, *found, names) if found else None
        except _TooMuchWork:
            return None

    def stop_of(self, nss: str) -> Stop | None:
        """The character at which a name stops to follow the grammar; None as in `misfit_of`."""
        self._work = 0
        try:
            found = self._trace(nss)
        except _TooMuchWork:
            return None
        return Stop(found[0], self._characters(found[1][-1].states)) if found else None

    def _trace(self, nss: str) -> tuple[int, deque[_StateSet]] | None:
        """The place at which a name stops to follow the grammar, and the last sets of states; None if it matches."""
        sets = deque([self._first], _MAX_WORD)
        current = self._first
        for position, character in enumerate(nss):
            following = self._step(current, character)
            if following is None:
                return position, sets
            current = following
            sets.append(current)
        return None if current.may_end else (len(nss), sets)

    def _step(self, current: _StateSet, character: str) -> _StateSet | None:
        if character not in current.after:
            masks, targets, bit = self._automaton.masks, self._automaton.targets, ord(character)
            self._count(len(current.states))
            reached = {targets[state][0] for state in current.states if masks[state] >> bit & 1}
            current.after[character] = self._closed(reached) if reached else None
        return current.after[character]

    def _closed(self, states: Iterable[int]) -> _StateSet:
        """The set of states with a character that are reached without one."""
        found = frozenset(self._reached(states))
        if found not in self._known:
            self._remember(found)
        return self._known[found]

    def _reached(self, states: Iterable[int]) -> Iterator[int]:
        masks, targets = self._automaton.masks, self._automaton.targets
        waiting, seen = list(states), set()
        while waiting:
            state = waiting.pop()
            if state not in seen:
                seen.add(state)
                if state == END or masks[state]:
                    yield state
                else:
                    waiting += targets[state]
        self._count(len(seen))

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

    def _misfit(self, nss: str, position: int, sets: deque[_StateSet], names: frozenset[str]) -> Misfit:
        if position == len(nss):
            return self._described(sets[-1], position, position, names)
        if misfit := self._wrong_digit(nss, position, sets, names):
            return misfit
        start = self._start_of_word(nss, position, sets[-1])
        if position - start >= len(sets) or self._takes(sets[start - position - 1], nss[start]):
            start = position
        current = sets[start - position - 1]
        return self._described(current, start, self._end_of_word(nss, start, current), names)

    def _described(self, current: _StateSet, position: int, end: int, names: frozenset[str]) -> Misfit:
        key = (names, position == end)
        if key not in current.explanations:
            may_end = current.may_end and position > 0  # no NSS is empty
            current.explanations[key] = (
                self._explanation_at_the_end(current, names)
                if position == end
                else self._explanation(current.states, names, may_end)
            )
        rules, expected, missing = current.explanations[key]
        return Misfit(position, rules, expected, end, missing)

    def _explanation(
        self, states: frozenset[int], names: frozenset[str], may_end: bool = False
    ) -> Explanation:
        texts = self._automaton.texts
        expected = in_words(
            self._characters(state for state in states if state not in texts),
            [texts[state] for state in states if state in texts],
            may_end=may_end,
        )
        rules = self._rules_around(states, names, self._mask(states))
        missing = "" if may_end else self._beginning(states, rules)
        return Explanation(rules, expected, missing)

    def _explanation_at_the_end(self, current: _StateSet, names: frozenset[str]) -> Explanation:
        states = self._likely_at_the_end(current)
        found = self._explanation(states, names)
        if found.missing or self._mask(states).bit_count() > 1:
            return found
        following = self._closed(self._automaton.targets[state][0] for state in states).states
        rules = self._rules_around(following, names, self._mask(following))
        return found._replace(missing=self._beginning(following, rules))

    def _beginning(self, states: frozenset[int], rules: tuple[str, ...]) -> str:
        """The innermost rule that begins in these states; "" if none does."""
        return next((rule for rule in reversed(rules) if states <= self._beginnings(rule)), "")

    def _beginnings(self, rule: str) -> frozenset[int]:
        if rule not in self._known_beginnings:
            self._known_beginnings[rule] = frozenset(self._reached(self._automaton.entries[rule]))
        return self._known_beginnings[rule]

    def _characters(self, states: Iterable[int]) -> frozenset[str]:
        return _characters_of(self._mask(states))

    def _mask(self, states: Iterable[int]) -> int:
        mask = 0
        for state in states:
            mask |= self._automaton.masks[state]
        return mask

    def _likely_at_the_end(self, current: _StateSet) -> frozenset[int]:
        """The states with what is probably missing: the rest of a text, or what completes the name soonest."""
        distances = self._distances
        least = min((distances[state] for state in current.states), default=0)
        soonest = frozenset(state for state in current.states if distances[state] == least)
        within = frozenset(state for state in current.states if state in self._automaton.offsets)
        return soonest if not within or self._is_mark(soonest) else within

    def _is_mark(self, states: frozenset[int]) -> bool:
        characters = self._characters(states)
        return len(characters) == 1 and not min(characters).isalnum()

    @cached_property
    def _distances(self) -> list[int]:
        return self._automaton.distances()

    def _start_of_word(self, nss: str, position: int, current: _StateSet) -> int:
        """The index at which the wrong text begins: a percent-encoding, or a word of which some letters are right."""
        for start in range(max(position - 2, 0), position):
            if _TRIPLET.match(nss, start):
                return start
        offsets = {self._automaton.offsets.get(state, 0) for state in current.states}
        is_word = nss[position].isalnum() and not self._is_mark(current.states)
        start = position - offsets.pop() if len(offsets) == 1 and is_word else position
        while start < position and not nss[start:position].isalnum():
            start += 1
        return start if nss[start].isalpha() else position

    def _takes(self, current: _StateSet, character: str) -> bool:
        """Whether a character is expected for itself, not as the beginning of a longer text."""
        texts = self._automaton.texts
        return character != "%" and character in self._characters(
            state for state in current.states if state not in texts
        )

    def _end_of_word(self, nss: str, start: int, current: _StateSet) -> int:
        word = _TRIPLET.match(nss, start)
        begins_word = start == 0 or not nss[start - 1].isalnum()
        if begins_word and any(state in self._automaton.texts for state in current.states):
            word = word or _WORD.match(nss, start)
        return word.end() if word else start + 1

    def _wrong_digit(
        self, nss: str, position: int, sets: deque[_StateSet], names: frozenset[str]
    ) -> Misfit | None:
        """The misfit at an earlier digit, if the name would match with another one there.

        The digit is sought in the word before a place at which the name must go on, or else in the whole name.
        """
        if len(nss) > _MAX_REPLACED or not nss[position].isdigit() or self._has_digit(sets[-1]):
            return None
        first = 0 if sets[-1].may_end else position
        while first and nss[first - 1].isalnum():
            first -= 1
        self._work = 0
        try:
            for place in reversed(range(first, position)):
                digits = self._right_digits(nss, place, sets) if nss[place].isdigit() else None
                if digits:
                    rules = self._rules_around(sets[place].states, names, bits_of("".join(digits)))
                    return Misfit(place, rules, in_words(digits), place + 1)
        except _TooMuchWork:
            pass
        return None

    def _has_digit(self, current: _StateSet) -> bool:
        return not self._characters(current.states).isdisjoint(string.digits)

    def _right_digits(self, nss: str, place: int, sets: deque[_StateSet]) -> frozenset[str]:
        return frozenset(
            digit
            for digit in string.digits
            if (following := self._step(sets[place], digit)) not in {None, sets[place + 1]}
            and self._ends_well(following, nss[place + 1 :])
        )

    def _ends_well(self, current: _StateSet | None, text: str) -> bool:
        """Whether a name matches that goes on with a text."""
        for character in text:
            if current is None:
                return False
            current = self._step(current, character)
        return current is not None and current.may_end

    def _is_one_of_several(self, states: frozenset[int], rule: str) -> bool:
        """Whether a rule can begin in these states, but other texts can too."""
        rules, texts = self._automaton.rules, self._automaton.texts
        within = frozenset(state for state in states if rule in rules[state])
        return within <= self._beginnings(rule) and any(state in texts for state in states - within)

    def _rules_around(self, states: frozenset[int], names: frozenset[str], expected: int) -> tuple[str, ...]:
        if len(states) > _MAX_EXPLAINED:
            return ()
        masks, rules = self._automaton.masks, self._automaton.rules
        labelled = [(masks[state], tuple(rule for rule in rules[state] if rule in names)) for state in states]
        labelled.sort(key=lambda each: (-len(each[1]), each[1]))
        found: Counter[tuple[str, ...]] = Counter()
        for mask, around in labelled:  # the innermost rules first
            found[around] += (mask & expected).bit_count()
            expected &= ~mask
        around = max(found, key=lambda around: (found[around], len(around)), default=())
        return around[:-1] if around and self._is_one_of_several(states, around[-1]) else around


@lru_cache(maxsize=10_000)
def _characters_of(mask: int) -> frozenset[str]:
    return frozenset(each for each in NSS_CHARACTERS if mask >> ord(each) & 1)
