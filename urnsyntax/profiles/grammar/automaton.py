"""The nondeterministic automaton of a grammar, with the rules and texts that its states belong to."""

from collections import defaultdict, deque

from .tree import Choice, Node, Repeat, Rule, Sequence, Text
from .writing import PatternWriter, bits_of

END = 0
"""The state in which a name is complete."""


class Automaton:
    """States with a character (`masks` has its bits, `targets` one state) and states without; `END` has neither.

    `rules` are the names of the rules around a state, the innermost last; `entries` are the states in which a rule
    begins. `texts` is the rest of the text that a state of a longer text begins; `offsets` is the number of characters
    of the text before a state inside it.
    """

    def __init__(self) -> None:
        self.masks = [0]
        self.targets: list[list[int]] = [[]]
        self.rules: list[tuple[str, ...]] = [()]
        self.entries: defaultdict[str, set[int]] = defaultdict(set)
        self.texts: dict[int, str] = {}
        self.offsets: dict[int, int] = {}
        self._writer = PatternWriter()

    def add(self, node: Node, after: int, rules: tuple[str, ...]) -> int:
        """Add the states of a node that continues at a state; return its first state."""
        if isinstance(node, Rule):
            first = self.add(node.item, after, (*rules, node.name))
            self.entries[node.name].add(first)
            return first
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

    def distances(self) -> list[int]:
        """The least number of characters that complete a name, for each state."""
        before: list[list[int]] = [[] for _ in self.masks]
        for state, targets in enumerate(self.targets):
            for target in targets:
                before[target].append(state)
        distances = [len(self.masks)] * len(self.masks)
        distances[END] = 0
        waiting = deque([END])
        while waiting:
            state = waiting.popleft()
            for each in before[state]:
                distance = distances[state] + (1 if self.masks[each] else 0)
                if distance < distances[each]:
                    distances[each] = distance
                    waiting.append(each)
        return distances

    def _add_text(self, text: str, any_case: bool, after: int, rules: tuple[str, ...]) -> int:
        for index in reversed(range(len(text))):
            each = text[index]
            bits = bits_of(each.upper() + each.lower() if any_case else each)
            after = self._state(bits, [after], rules)
            if index < len(text) - 1:
                self.texts[after] = text[index:]
            if index:
                self.offsets[after] = index
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
