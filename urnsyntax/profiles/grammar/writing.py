"""Patterns of RE2 for a linked syntax tree."""

import re

from .tree import Characters, Choice, Node, Repeat, Rule, Sequence, Text

CHOICE, SEQUENCE, ATOM = range(3)  # how tightly a written pattern binds
_EMPTY = "(?:)"
_IN_CLASS = re.compile(r"([\\\]\[^-])")
_UNESCAPED = frozenset("%:-_~!@&',;=/\"<>#`")


def write_pattern(node: Node) -> str:
    """The pattern of the names of a tree.

    >>> from .linking import link_abnf
    >>> write_pattern(link_abnf('a = "rfc:" 1*DIGIT / 2("x" / "y")'))
    '(?i:rfc:)[0-9]+|[XYxy]{2}'
    """
    return PatternWriter().written(node)[0]


def wrapped(pattern: str) -> str:
    """A pattern as one unit, without a group."""
    return f"(?:{pattern})"


def quantifier(least: int, most: int | None) -> str:
    """The quantifier of a repetition.

    >>> quantifier(0, None), quantifier(1, None), quantifier(0, 1), quantifier(3, 3), quantifier(2, None)
    ('*', '+', '?', '{3}', '{2,}')
    """
    short = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get((least, most))
    if short:
        return short
    return f"{{{least}}}" if least == most else f"{{{least},{'' if most is None else most}}}"


class PatternWriter:
    """Writes patterns of nodes, each once. Subclasses write some nodes in another way, such as in groups."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[str, int]] = {}
        self._masks: dict[int, int | None] = {}

    def written(self, node: Node) -> tuple[str, int]:
        """The pattern of a node, and how tightly it binds."""
        if id(node) not in self._known:
            self._known[id(node)] = self._write(node)
        return self._known[id(node)]

    def bound(self, node: Node, tightness: int) -> str:
        """The pattern of a node, wrapped if it binds less tightly."""
        pattern, binds = self.written(node)
        return pattern if binds >= tightness else wrapped(pattern)

    def _write(self, node: Node) -> tuple[str, int]:
        match node:
            case Rule(item=item):
                return self.written(item)
            case Text(text, any_case):
                return _text(text, any_case)
            case Sequence(items):
                return "".join(self.bound(each, SEQUENCE) for each in items), SEQUENCE
            case Choice(items):
                return self._choice(items)
            case Repeat(item, least, most) if (least, most) != (1, 1):
                return self.bound(item, ATOM) + quantifier(least, most), SEQUENCE
            case Repeat(item=item):
                return self.written(item)
        return _class(self.mask(node) or 0), ATOM

    def _choice(self, items: tuple[Node, ...]) -> tuple[str, int]:
        """Single characters become one class, the other alternatives follow."""
        masks = [self.mask(each) for each in items]
        together = 0
        for mask in masks:
            together |= mask or 0
        characters = [_class(together)] if together else []
        others = [self.bound(each, SEQUENCE) for each, mask in zip(items, masks, strict=True) if mask is None]
        patterns = list(dict.fromkeys([*characters, *others]))
        return "|".join(patterns), CHOICE if others else ATOM

    def mask(self, node: Node) -> int | None:
        """The characters of a node that matches exactly one, as bits; None for all other nodes."""
        if id(node) not in self._masks:
            self._masks[id(node)] = self._find_mask(node)
        return self._masks[id(node)]

    def _find_mask(self, node: Node) -> int | None:
        match node:
            case Rule(item=item):
                return self.mask(item)
            case Characters(ranges):
                return sum((2 << last) - (1 << first) for first, last in ranges)
            case Text(text, any_case) if len(text) == 1:
                return bits_of(text.upper() + text.lower() if any_case else text)
            case Choice(items):
                mask = 0
                for each in map(self.mask, items):
                    if each is None:
                        return None
                    mask |= each
                return mask
        return None


def _text(text: str, any_case: bool) -> tuple[str, int]:
    if not text:
        return _EMPTY, ATOM
    if any_case and text.lower() != text.upper():
        if len(text) == 1:
            return _class(bits_of(text.upper() + text.lower())), ATOM
        return f"(?i:{''.join(map(_escaped, text))})", ATOM
    return "".join(map(_escaped, text)), ATOM if len(text) == 1 else SEQUENCE


def _escaped(character: str) -> str:
    return character if character.isalnum() or character in _UNESCAPED else f"\\{character}"


def bits_of(characters: str) -> int:
    """Characters as bits of a number, by their code points."""
    mask = 0
    for each in characters:
        mask |= 1 << ord(each)
    return mask


def _class(mask: int) -> str:
    codes = [code for code in range(128) if mask >> code & 1]
    if len(codes) == 1:
        return _escaped(chr(codes[0]))
    parts, start = [], codes[0]
    for code, following in zip(codes, [*codes[1:], -1], strict=True):
        if following != code + 1:
            parts.append(_range(start, code))
            start = following
    return f"[{''.join(parts)}]"


def _range(first: int, last: int) -> str:
    ends = [_IN_CLASS.sub(r"\\\1", chr(code)) for code in (first, last)]
    if first == last:
        return ends[0]
    return "".join(ends) if last == first + 1 else "-".join(ends)
