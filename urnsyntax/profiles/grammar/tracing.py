"""The place at which a name stops following a grammar, and what could stand there.

A `Tracer` follows a name through a nondeterministic automaton of the grammar and remembers the sets of states that it
has met, so most names cost one dictionary lookup for each character. The work for one name and the memory are limited.
"""

import re
import string
from collections import Counter, deque
from collections.abc import Iterable
from functools import lru_cache

from .automaton import END
from .expectations import NSS_CHARACTERS, in_words
from .misfits import Explanation, Misfit, Stop
from .state_sets import StateSet, StateSets, TooMuchWork, Work
from .tree import Node
from .writing import bits_of

_MAX_EXPLAINED = 1_000  # states in a set for which rules are named
_MAX_WORD = 100  # characters of a wrong word that are looked back at
_MAX_REPLACED = 40  # characters of a name in which a wrong digit is sought
_WORD = re.compile("[A-Za-z0-9]+")
_TRIPLET = re.compile("%[0-9A-F]{2}")


class Tracer:
    """Traces names through one grammar. Threads can share it."""

    def __init__(self, tree: Node) -> None:
        self._sets = StateSets(tree)

    def misfit_of(self, nss: str, names: frozenset[str]) -> Misfit | None:
        """Where a name that does not match goes wrong, with the rules of these names around the place.

        None if the name matches, or if finding the place would take long.
        """
        try:
            return _Trace(self._sets, nss, names).misfit()
        except TooMuchWork:
            return None

    def stop_of(self, nss: str) -> Stop | None:
        """The character at which a name stops following the grammar; None as in `misfit_of`."""
        try:
            return _Trace(self._sets, nss, frozenset()).stop()
        except TooMuchWork:
            return None


class _Trace:
    """The way of one name through the sets of states. `names` are the rules that a misfit can name."""

    def __init__(self, sets: StateSets, nss: str, names: frozenset[str]) -> None:
        self._sets, self._automaton = sets, sets.automaton
        self._nss, self._names = nss, names
        self._work = Work()

    def misfit(self) -> Misfit | None:
        """Where the name goes wrong; None if it matches."""
        found = self._end()
        return self._misfit(*found) if found else None

    def stop(self) -> Stop | None:
        """The first character that the name cannot have; None if it matches."""
        found = self._end()
        return Stop(found[0], self._characters(found[1][-1].states)) if found else None

    def _end(self) -> tuple[int, deque[StateSet]] | None:
        """The place at which the name stops following the grammar, and the last sets of states; None if it matches."""
        current = self._sets.first
        sets = deque([current], _MAX_WORD)
        for position, character in enumerate(self._nss):
            following = self._sets.step(current, character, self._work)
            if following is None:
                return position, sets
            current = following
            sets.append(current)
        return None if current.may_end else (len(self._nss), sets)

    def _misfit(self, position: int, sets: deque[StateSet]) -> Misfit:
        if position == len(self._nss):
            return self._described(sets[-1], position, position)
        if misfit := self._wrong_digit(position, sets):
            return misfit
        start = self._start_of_word(position, sets[-1])
        if position - start >= len(sets) or self._takes(sets[start - position - 1], self._nss[start]):
            start = position
        current = sets[start - position - 1]
        return self._described(current, start, self._end_of_word(start, current))

    def _described(self, current: StateSet, position: int, end: int) -> Misfit:
        key = (self._names, position == end)
        if key not in current.explanations:
            may_end = current.may_end and position > 0  # no NSS is empty
            current.explanations[key] = (
                self._explanation_at_the_end(current)
                if position == end
                else self._explanation(current.states, may_end)
            )
        rules, expected, missing = current.explanations[key]
        return Misfit(position, rules, expected, end, missing)

    def _explanation(self, states: frozenset[int], may_end: bool = False) -> Explanation:
        texts = self._automaton.texts
        expected = in_words(
            self._characters(state for state in states if state not in texts),
            [texts[state] for state in states if state in texts],
            may_end=may_end,
        )
        rules = self._rules_around(states, self._mask(states))
        missing = "" if may_end else self._beginning(states, rules)
        return Explanation(rules, expected, missing)

    def _explanation_at_the_end(self, current: StateSet) -> Explanation:
        states = self._likely_at_the_end(current)
        found = self._explanation(states)
        if found.missing or self._mask(states).bit_count() > 1:
            return found
        targets = self._automaton.targets
        following = self._sets.closure((targets[state][0] for state in states), self._work) - {END}
        rules = self._rules_around(following, self._mask(following))
        return found._replace(missing=self._beginning(following, rules))

    def _beginning(self, states: frozenset[int], rules: tuple[str, ...]) -> str:
        """The innermost rule that begins in these states; "" if none does."""
        return next((rule for rule in reversed(rules) if states <= self._beginnings(rule)), "")

    def _beginnings(self, rule: str) -> frozenset[int]:
        return self._sets.beginnings(rule, self._work)

    def _characters(self, states: Iterable[int]) -> frozenset[str]:
        return _characters_of(self._mask(states))

    def _mask(self, states: Iterable[int]) -> int:
        mask = 0
        for state in states:
            mask |= self._automaton.masks[state]
        return mask

    def _likely_at_the_end(self, current: StateSet) -> frozenset[int]:
        """The states with what is probably missing: the rest of a text, or what completes the name soonest."""
        distances = self._sets.distances
        least = min((distances[state] for state in current.states), default=0)
        soonest = frozenset(state for state in current.states if distances[state] == least)
        within = frozenset(state for state in current.states if state in self._automaton.offsets)
        return soonest if not within or self._is_mark(soonest) else within

    def _is_mark(self, states: frozenset[int]) -> bool:
        characters = self._characters(states)
        return len(characters) == 1 and not min(characters).isalnum()

    def _start_of_word(self, position: int, current: StateSet) -> int:
        """The index at which the wrong text begins: a percent-encoding, or a word of which some letters are right."""
        nss = self._nss
        for start in range(max(position - 2, 0), position):
            if _TRIPLET.match(nss, start):
                return start
        offsets = {self._automaton.offsets.get(state, 0) for state in current.states}
        is_word = nss[position].isalnum() and not self._is_mark(current.states)
        start = position - offsets.pop() if len(offsets) == 1 and is_word else position
        while start < position and not nss[start:position].isalnum():
            start += 1
        return start if nss[start].isalpha() else position

    def _takes(self, current: StateSet, character: str) -> bool:
        """Whether a character is expected for itself, not as the beginning of a longer text."""
        texts = self._automaton.texts
        return character != "%" and character in self._characters(
            state for state in current.states if state not in texts
        )

    def _end_of_word(self, start: int, current: StateSet) -> int:
        nss = self._nss
        word = _TRIPLET.match(nss, start)
        begins_word = start == 0 or not nss[start - 1].isalnum()
        if begins_word and any(state in self._automaton.texts for state in current.states):
            word = word or _WORD.match(nss, start)
        return word.end() if word else start + 1

    def _wrong_digit(self, position: int, sets: deque[StateSet]) -> Misfit | None:
        """The misfit at an earlier digit, if the name would match with another one there.

        The digit is sought in the word before a place at which the name must go on, or else in the whole name.
        """
        nss = self._nss
        if len(nss) > _MAX_REPLACED or not nss[position].isdigit() or self._has_digit(sets[-1]):
            return None
        first = 0 if sets[-1].may_end else position
        while first and nss[first - 1].isalnum():
            first -= 1
        work = Work()  # of the search alone, so that the place is described if the search takes too long
        try:
            for place in reversed(range(first, position)):
                digits = self._right_digits(place, sets, work) if nss[place].isdigit() else None
                if digits:
                    rules = self._rules_around(sets[place].states, bits_of("".join(digits)))
                    return Misfit(place, rules, in_words(digits), place + 1)
        except TooMuchWork:
            pass
        return None

    def _has_digit(self, current: StateSet) -> bool:
        return not self._characters(current.states).isdisjoint(string.digits)

    def _right_digits(self, place: int, sets: deque[StateSet], work: Work) -> frozenset[str]:
        return frozenset(
            digit
            for digit in string.digits
            if (following := self._sets.step(sets[place], digit, work)) not in {None, sets[place + 1]}
            and self._ends_well(following, place + 1, work)
        )

    def _ends_well(self, current: StateSet | None, place: int, work: Work) -> bool:
        """Whether the name matches if it goes on at a place from a set."""
        for character in self._nss[place:]:
            if current is None:
                return False
            current = self._sets.step(current, character, work)
        return current is not None and current.may_end

    def _is_one_of_several(self, states: frozenset[int], rule: str) -> bool:
        """Whether a rule can begin in these states, but other texts can too."""
        rules, texts = self._automaton.rules, self._automaton.texts
        within = frozenset(state for state in states if rule in rules[state])
        return within <= self._beginnings(rule) and any(state in texts for state in states - within)

    def _rules_around(self, states: frozenset[int], expected: int) -> tuple[str, ...]:
        if len(states) > _MAX_EXPLAINED:
            return ()
        masks, rules = self._automaton.masks, self._automaton.rules
        labelled = [
            (masks[state], tuple(rule for rule in rules[state] if rule in self._names)) for state in states
        ]
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
