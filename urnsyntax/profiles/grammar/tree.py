"""The syntax tree of a grammar.

Trees share the rules that they use, so a tree is a directed graph without cycles. Nodes are compared by identity,
because comparing or printing by value could take exponential time.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, eq=False)
class Characters:
    """One character out of sorted ranges of code points, each with its ends."""

    ranges: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """A literal text, which may be empty."""

    text: str
    any_case: bool


@dataclass(frozen=True, slots=True, eq=False)
class Sequence:
    """One node after the other."""

    items: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """One of several nodes."""

    items: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True, eq=False)
class Repeat:
    """A node repeated `least` to `most` times; without a limit if `most` is None.

    `position` is the index of the repetition in the text of the grammar.
    """

    item: "Node"
    least: int
    most: int | None
    position: int


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """A reference to a rule by its name in lower case, at an index of the text. Linked trees contain none."""

    name: str
    position: int


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """A rule in a linked tree, by its name in lower case."""

    name: str
    item: "Node" = field(repr=False)


Node = Characters | Text | Sequence | Choice | Repeat | Reference | Rule


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly below a node."""
    match node:
        case Sequence(items) | Choice(items):
            return items
        case Repeat(item=item) | Rule(item=item):
            return (item,)
        case _:
            return ()


def rule_names(node: Node) -> frozenset[str]:
    """The names of all rules in a linked tree."""
    names: set[str] = set()
    waiting, seen = [node], set()
    while waiting:
        each = waiting.pop()
        if isinstance(each, Rule):
            names.add(each.name)
        if id(each) not in seen:
            seen.add(id(each))
            waiting += children(each)
    return frozenset(names)
