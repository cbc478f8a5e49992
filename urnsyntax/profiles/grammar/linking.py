"""Linking of rules: each reference is replaced with its rule, and grammars that cannot be matched safely are refused.

A linked tree has no recursion, a limited depth, and a limited size when all rules are written out.
"""

from dataclasses import dataclass, replace
from functools import cache
from typing import NoReturn

from ..errors import InvalidGrammar
from .abnf import MAX_REPETITIONS, Definition, parse_abnf
from .patterns import MAX_GRAMMAR_STEPS
from .tree import Characters, Choice, Node, Reference, Repeat, Rule, Sequence, Text

MAX_DEPTH = 100  # nodes from the first rule to a character
# The estimate is more than RE2 needs, for example where alternatives begin in the same way. RE2's own count decides.
_MAX_ESTIMATE = 2 * MAX_GRAMMAR_STEPS
_STEPS_OF_A_CLASS = 2

# RFC 5234, Appendix B.1, without the rules whose characters no NSS contains.
_CORE_RULES = """
ALPHA  = %x41-5A / %x61-7A
BIT    = "0" / "1"
CHAR   = %x01-7F
DIGIT  = %x30-39
DQUOTE = %x22
HEXDIG = DIGIT / "A" / "B" / "C" / "D" / "E" / "F"
OCTET  = %x00-FF
VCHAR  = %x21-7E
"""
_OUTSIDE_AN_NSS = frozenset({"cr", "crlf", "ctl", "htab", "lf", "lwsp", "sp", "wsp"})


@dataclass(frozen=True, slots=True)
class _Linked:
    """A linked node, with its estimated size in steps of RE2, its height, and its nested repetitions.

    `is_character` says that it matches exactly one character.
    """

    node: Node
    steps: int
    height: int
    repetitions: int = 1
    is_character: bool = False


def link_abnf(text: str) -> Rule:
    """The linked tree of a grammar's first rule.

    Raises `InvalidGrammar` for a fault in the syntax, for undefined and recursive rules, and for a grammar that is
    too large.

    >>> link_abnf("a = 2b").name
    Traceback (most recent call last):
    ...
    urnsyntax.profiles.errors.InvalidGrammar: Line 1, column 6: The rule “b” is not defined. Define it, \
or quote the text.
    """
    definitions = parse_abnf(text)
    linker = _Linker(text, definitions)
    rules = [linker.link_rule(each.name, each.position, 0) for each in definitions]
    return Rule(definitions[0].name, rules[0].node)


@cache
def _core_definitions() -> dict[str, Definition]:
    return {each.name: each for each in parse_abnf(_CORE_RULES)}


class _Linker:
    def __init__(self, text: str, definitions: list[Definition]) -> None:
        self._text = text
        self._definitions = _core_definitions() | {each.name: each for each in definitions}
        self._linked: dict[str, _Linked] = {}
        self._open: list[str] = []

    def link_rule(self, name: str, position: int, depth: int) -> _Linked:
        """Link a rule that is used at a position, below a number of nodes."""
        if name not in self._linked:
            if name in self._open:
                cycle = " → ".join([*self._open[self._open.index(name) :], name])
                self._fail(
                    position, f"The rule “{name}” refers to itself: {cycle}.", "Use repetition instead."
                )
            self._open.append(name)
            definition = self._definition(name, position)
            below = self._link(definition.node, depth + 1)
            self._open.pop()
            self._check_size(below.steps, definition.position, f"The rule “{name}”")
            self._linked[name] = replace(below, node=Rule(name, below.node), height=below.height + 1)
        linked = self._linked[name]
        self._check_depth(depth + linked.height, position)
        return linked

    def _definition(self, name: str, position: int) -> Definition:
        found = self._definitions.get(name)
        if found is None and name in _OUTSIDE_AN_NSS:
            self._fail(position, f"“{name.upper()}” stands for characters that no NSS has.", "Remove it.")
        if found is None:
            self._fail(position, f"The rule “{name}” is not defined.", "Define it, or quote the text.")
        return found

    def _link(self, node: Node, depth: int) -> _Linked:
        self._check_depth(depth, self._position_of(node))
        match node:
            case Characters():
                return _Linked(node, 1, 1, is_character=True)
            case Text(text):
                return _Linked(node, max(len(text), 1), 1, is_character=len(text) == 1)
            case Reference(name, position):
                return self.link_rule(name, position, depth)
            case Repeat(item=item):
                return self._link_repeat(node, self._link(item, depth + 1))
            case Sequence(items) | Choice(items):
                return self._link_items(node, [self._link(each, depth + 1) for each in items])
        raise AssertionError(node)

    def _link_items(self, node: Sequence | Choice, items: list[_Linked]) -> _Linked:
        is_character = isinstance(node, Choice) and all(each.is_character for each in items)
        steps = sum(each.steps for each in items)
        if isinstance(node, Choice):
            steps = _STEPS_OF_A_CLASS + sum(each.steps + 1 for each in items if not each.is_character)
        return _Linked(
            type(node)(tuple(each.node for each in items)),
            steps,
            max(each.height for each in items) + 1,
            max(each.repetitions for each in items),
            is_character,
        )

    def _link_repeat(self, node: Repeat, item: _Linked) -> _Linked:
        times = max(node.least, 1) if node.most is None else node.most
        repetitions = item.repetitions * max(times, 1)
        if repetitions > MAX_REPETITIONS:
            reason = f"Nested repetitions multiply to {repetitions:,}; the limit is {MAX_REPETITIONS:,}."
            self._fail(node.position, reason, "Use smaller repetitions, or “*” without a limit.")
        steps = item.steps * times + times
        self._check_size(steps, node.position, "This repetition")
        repeat = Repeat(item.node, node.least, node.most, node.position)
        return _Linked(repeat, steps, item.height + 1, repetitions)

    def _position_of(self, node: Node) -> int:
        if isinstance(node, Reference | Repeat):
            return node.position
        return self._definitions[self._open[-1]].position

    def _check_depth(self, depth: int, position: int) -> None:
        if depth > MAX_DEPTH:
            self._fail(position, f"The rules are nested more than {MAX_DEPTH} deep.", "Join rules.")

    def _check_size(self, steps: int, position: int, what: str) -> None:
        if steps > _MAX_ESTIMATE:
            reason = f"{what} is too large: about {steps:,} steps; the limit is {MAX_GRAMMAR_STEPS:,}."
            self._fail(position, reason, "Use fewer or smaller repetitions.")

    def _fail(self, position: int, reason: str, advice: str) -> NoReturn:
        raise InvalidGrammar(reason, advice, text=self._text, position=position)
