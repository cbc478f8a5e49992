"""A parser for ABNF (RFC 5234, with the case-sensitive strings of RFC 7405).

A rule begins where a name is followed by "=" or "=/"; indentation has no meaning. The time is proportional to the
length of the text, which is limited, as are the number of rules and the depth of parentheses.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from ..errors import InvalidGrammar
from .patterns import describe_character, shortened
from .tree import Characters, Choice, Node, Reference, Repeat, Sequence, Text

MAX_GRAMMAR = 20_000  # characters
MAX_RULES = 400
MAX_NAME = 80  # characters of the name of a rule
MAX_TEXT = 500  # characters of a string or a list of numbers
MAX_PARENTHESES = 30
MAX_REPETITIONS = 1_000  # the limit of RE2

_TOKEN = re.compile(
    r"""(?P<space>(?:[ \t\r\n]|;[^\n]*)+)
      | (?P<name>[A-Za-z][A-Za-z0-9-]*)
      | (?P<defined>=/|=)
      | (?P<repeat>[0-9]*\*[0-9]*|[0-9]+)
      | (?P<string>(?:%[siSI])?"[^"\n]*")
      | (?P<number>%[xdbXDB][0-9A-Fa-f]+(?:-[0-9A-Fa-f]+|(?:\.[0-9A-Fa-f]+)*))
      | (?P<prose><[^>\n]*>)
      | (?P<mark>[/()\[\]])""",
    re.VERBOSE,
)
_BASES = {"x": 16, "d": 10, "b": 2}
_CLOSING = {"(": ")", "[": "]"}
_LAST_CODE_POINT = 0x10FFFF


@dataclass(frozen=True, slots=True)
class Definition:
    """A rule as written: its name in lower case, its elements, and its index in the text."""

    name: str
    node: Node
    position: int


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    position: int


def parse_abnf(text: str) -> list[Definition]:
    """The rules of a grammar, in their order; "=/" has added its alternatives to the rule.

    Raises `InvalidGrammar` with the position and the reason.

    >>> [rule.name for rule in parse_abnf('name = 1*DIGIT ; a comment')]
    ['name']
    """
    if len(text) > MAX_GRAMMAR:
        raise InvalidGrammar(
            f"The grammar has {len(text):,} characters; the limit is {MAX_GRAMMAR:,}.", "Shorten it."
        )
    return _Parser(text).rules()


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(self._read_tokens())
        self._next = 0
        self._parentheses = 0

    def rules(self) -> list[Definition]:
        found: dict[str, Definition] = {}
        while (token := self._peek()).kind != "end":
            if not self._at_rule():
                self._fail(
                    token, f"{_shown(token)} stands where a rule must begin.", "Write: name = elements"
                )
            name, adds = token.text.lower(), self._tokens[self._next + 1].text == "=/"
            self._next += 2
            node = self._choice()
            found[name] = self._defined(found, Definition(name, node, token.position), adds)
            if len(found) > MAX_RULES:
                self._fail(token, f"The grammar has more than {MAX_RULES} rules.", "Remove rules.")
        if not found:
            raise InvalidGrammar("The grammar has no rule.", "Write: name = elements")
        return list(found.values())

    def _defined(self, found: dict[str, Definition], new: Definition, adds: bool) -> Definition:
        before = found.get(new.name)
        if before is None:
            return new
        if not adds:
            reason = f"The rule “{new.name}” is defined twice."
            raise InvalidGrammar(
                reason, "Remove one, or add alternatives with “=/”.", text=self._text, position=new.position
            )
        items = before.node.items if isinstance(before.node, Choice) else (before.node,)
        return Definition(new.name, Choice((*items, new.node)), before.position)

    def _choice(self) -> Node:
        items = [self._sequence()]
        while self._take("/"):
            items.append(self._sequence())
        return items[0] if len(items) == 1 else Choice(tuple(items))

    def _sequence(self) -> Node:
        items = []
        while (item := self._repetition()) is not None:
            items.append(item)
        if not items:
            token = self._peek()
            self._fail(
                token, f"An element is missing before {_shown(token)}.", "Write a rule name or a string."
            )
        return items[0] if len(items) == 1 else Sequence(tuple(items))

    def _repetition(self) -> Node | None:
        token = self._peek()
        if token.kind != "repeat":
            return self._element()
        self._next += 1
        least, most = self._bounds(token)
        element = self._element()
        if element is None:
            self._fail(
                self._peek(), f"An element is missing after “{token.text}”.", "Write what is repeated."
            )
        return element if (least, most) == (1, 1) else Repeat(element, least, most, token.position)

    def _bounds(self, token: _Token) -> tuple[int, int | None]:
        first, star, last = token.text.partition("*")
        if len(token.text) > 12:
            self._fail(token, "The repetition is too large.", f"Use at most {MAX_REPETITIONS:,}.")
        least = int(first or 0)
        most = (int(last) if last else None) if star else least
        if max(least, most or 0) > MAX_REPETITIONS:
            advice = f"Use at most {MAX_REPETITIONS:,}, or “*” without a limit."
            self._fail(token, f"“{token.text}” repeats too often.", advice)
        if most is not None and most < least:
            self._fail(token, f"“{token.text}” has a minimum above its maximum.", "Exchange the numbers.")
        if most == 0:
            self._fail(token, f"“{token.text}” never occurs.", "Remove it.")
        return least, most

    def _element(self) -> Node | None:
        token = self._peek()
        if token.kind in {"end", "defined", "repeat"} or token.text in {"/", ")", "]"} or self._at_rule():
            return None
        self._next += 1
        match token.kind:
            case "name":
                return Reference(token.text.lower(), token.position)
            case "string":
                return self._string(token)
            case "number":
                return self._number(token)
            case "prose":
                advice = "Write the rule in ABNF, or state that the grammar is unstated."
                self._fail(token, f"{_shown(token)} is prose, which cannot be matched.", advice)
        return self._group(token)

    def _group(self, opening: _Token) -> Node:
        self._parentheses += 1
        if self._parentheses > MAX_PARENTHESES:
            self._fail(opening, f"Parentheses are nested more than {MAX_PARENTHESES} deep.", "Define a rule.")
        node = self._choice()
        closing = _CLOSING[opening.text]
        if not self._take(closing):
            token = self._peek()
            self._fail(token, f"“{closing}” is missing before {_shown(token)}.", f"Close “{opening.text}”.")
        self._parentheses -= 1
        return node if opening.text == "(" else Repeat(node, 0, 1, opening.position)

    def _string(self, token: _Token) -> Node:
        text = token.text[token.text.index('"') + 1 : -1]
        start = token.position + token.text.index('"') + 1
        for index, character in enumerate(text):
            self._check_visible(character, start + index)
        return self._literal(token, text, any_case=token.text[:2].lower() != "%s")

    def _literal(self, token: _Token, text: str, *, any_case: bool) -> Text:
        if len(text) > MAX_TEXT:
            self._fail(
                token, f"The text has {len(text):,} characters; the limit is {MAX_TEXT}.", "Shorten it."
            )
        return Text(text, any_case)

    def _number(self, token: _Token) -> Node:
        base = _BASES[token.text[1].lower()]
        try:
            codes = [int(each, base) for each in re.split("[-.]", token.text[2:])]
        except ValueError:
            shown = shortened(token.text, 20)
            self._fail(token, f"“{shown}” is not a number in base {base}.", "Correct the number.")
        if max(codes) > _LAST_CODE_POINT:
            self._fail(token, f"“{shortened(token.text, 20)}” is beyond Unicode.", "Use at most %x10FFFF.")
        if "-" not in token.text:
            for code in codes:
                self._check_visible(chr(code), token.position)
            return self._literal(token, "".join(map(chr, codes)), any_case=False)
        if codes[0] > codes[1]:
            self._fail(token, f"The range “{token.text}” is empty.", "Exchange its ends.")
        visible = max(codes[0], ord("!")), min(codes[1], ord("~"))
        if visible[0] > visible[1]:
            self._fail(token, f"No NSS has a character of “{token.text}”.", "Use visible ASCII characters.")
        return Characters((visible,))

    def _check_visible(self, character: str, position: int) -> None:
        if not "!" <= character <= "~":
            reason = f"No NSS can contain {describe_character(character)}."
            raise InvalidGrammar(
                reason, "Remove it, or percent-encode it.", text=self._text, position=position
            )

    def _read_tokens(self) -> Iterator[_Token]:
        position = 0
        while position < len(self._text):
            match = _TOKEN.match(self._text, position)
            if match is None or match.lastgroup is None:
                self._reject_character(position)
            if match.lastgroup == "name" and len(match[0]) > MAX_NAME:
                reason = f"The name of the rule has more than {MAX_NAME} characters."
                raise InvalidGrammar(reason, "Shorten it.", text=self._text, position=position)
            if match.lastgroup != "space":
                yield _Token(match.lastgroup, match[0], position)
            position = match.end()
        yield _Token("end", "", position)

    def _reject_character(self, position: int) -> NoReturn:
        character = self._text[position]
        reason = {
            '"': "The string has no closing quotation mark in its line.",
            "<": "The prose has no closing “>”.",
            "%": "After “%”, one of x, d, b with a number, or s, i with a string, must follow.",
        }.get(character, f"{describe_character(character)} has no meaning in ABNF.")
        advice = "Quote it if it is part of names." if "!" <= character <= "~" else "Remove it."
        raise InvalidGrammar(reason, advice, text=self._text, position=position)

    def _peek(self) -> _Token:
        return self._tokens[self._next]

    def _take(self, mark: str) -> bool:
        found = self._peek().kind == "mark" and self._peek().text == mark
        self._next += found
        return found

    def _at_rule(self) -> bool:
        here = self._tokens[self._next : self._next + 2]
        return [each.kind for each in here] == ["name", "defined"]

    def _fail(self, token: _Token, reason: str, advice: str) -> NoReturn:
        raise InvalidGrammar(reason, advice, text=self._text, position=token.position)


def _shown(token: _Token) -> str:
    return "the end" if token.kind == "end" else f"“{shortened(token.text, 40)}”"
