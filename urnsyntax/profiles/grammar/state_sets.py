"""The sets of states in which names can be, remembered up to a limit.

Threads share the sets of a grammar. What they visit for one name is counted in a `Work` of each trace.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from threading import Lock

from .automaton import END, Automaton
from .misfits import Explanation
from .tree import Node

MAX_WORK = 400_000  # states visited for one name
MAX_REMEMBERED = 200_000  # states in all remembered sets


class TooMuchWork(Exception):
    """The limit for one name is reached."""


class Work:
    """The number of states that were visited for one name. Raises `TooMuchWork` above the limit."""

    __slots__ = ("_visited",)

    def __init__(self) -> None:
        self._visited = 0

    def add(self, visited: int) -> None:
        self._visited += visited
        if self._visited > MAX_WORK:
            raise TooMuchWork


class StateSet:
    """The states in which a name can be after some of its characters, and the set after each next character."""

    __slots__ = ("after", "explanations", "may_end", "states")

    def __init__(self, states: frozenset[int]) -> None:
        self.states = states - {END}
        self.may_end = END in states
        self.after: dict[str, StateSet | None] = {}
        self.explanations: dict[tuple[frozenset[str], bool], Explanation] = {}


class StateSets:
    """The sets of the automaton of one grammar, from `first` on."""

    def __init__(self, tree: Node) -> None:
        self.automaton = Automaton()
        start = self.automaton.add(tree, END, ())
        # The first set is not among the known ones, because no name ends there.
        self.first = StateSet(self.closure([start], Work()))
        self._known: dict[frozenset[int], StateSet] = {}
        self._known_beginnings: dict[str, frozenset[int]] = {}
        self._remembered = 0
        self._lock = Lock()

    def step(self, current: StateSet, character: str, work: Work) -> StateSet | None:
        """The set after a character; None if no name goes on with it."""
        try:
            return current.after[character]
        except KeyError:
            return self._first_step(current, character, work)

    def closure(self, states: Iterable[int], work: Work) -> frozenset[int]:
        """`END` and the states with a character that are reached without one."""
        return frozenset(self._reached(states, work))

    def beginnings(self, rule: str, work: Work) -> frozenset[int]:
        """The states with the first characters of a rule."""
        if rule not in self._known_beginnings:
            self._known_beginnings[rule] = self.closure(self.automaton.entries[rule], work)
        return self._known_beginnings[rule]

    @cached_property
    def distances(self) -> list[int]:
        """The least number of characters that complete a name, for each state."""
        return self.automaton.distances()

    def _first_step(self, current: StateSet, character: str, work: Work) -> StateSet | None:
        masks, targets, bit = self.automaton.masks, self.automaton.targets, ord(character)
        work.add(len(current.states))
        reached = {targets[state][0] for state in current.states if masks[state] >> bit & 1}
        states = self.closure(reached, work)
        with self._lock:
            following = current.after[character] = self._remembered_set(states) if states else None
        return following

    def _reached(self, states: Iterable[int], work: Work) -> Iterator[int]:
        masks, targets = self.automaton.masks, self.automaton.targets
        waiting, seen = list(states), set()
        while waiting:
            state = waiting.pop()
            if state not in seen:
                seen.add(state)
                if state == END or masks[state]:
                    yield state
                else:
                    waiting += targets[state]
        work.add(len(seen))

    def _remembered_set(self, states: frozenset[int]) -> StateSet:
        return self._known.get(states) or self._remember(states)

    def _remember(self, states: frozenset[int]) -> StateSet:
        self._remembered += len(states) + 1
        if self._remembered > MAX_REMEMBERED:
            # The other sets are reachable only from the first one and from each other.
            self._known.clear()
            self.first.after.clear()
            self._remembered = len(states) + 1
        found = self._known[states] = StateSet(states)
        return found
