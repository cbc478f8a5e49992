"""Values that describe why a name does not follow a grammar."""

from typing import NamedTuple


class Misfit(NamedTuple):
    """The place where a name stops following a grammar.

    `position` is an index in the NSS, its length if something is missing at the end. `rules` are the labelled rules
    around it, the innermost last. `expected` describes what can stand there. The wrong text ends before `end`.
    `missing` is the labelled rule that has to begin at the place, or at the end of the name after what is expected; ""
    if there is none.
    """

    position: int
    rules: tuple[str, ...]
    expected: str
    end: int
    missing: str = ""


class Stop(NamedTuple):
    """The first character that a name cannot have, and the characters that it can have there.

    `position` is the length of the name if something is missing at the end.
    """

    position: int
    characters: frozenset[str]


class Explanation(NamedTuple):
    """The part of a misfit that depends only on a set of states."""

    rules: tuple[str, ...]
    expected: str
    missing: str
