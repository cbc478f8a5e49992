"""URNs by RFC 2141, the predecessor of RFC 8141 (text of draft-ietf-urn-syntax-03).

Many URNs in use follow these rules. They differ from RFC 8141: a NID has 1 to 32 characters and may end with
a hyphen; "/", "?" and "#" are reserved characters of the NSS; "~" and "&" are excluded. `compatibility`
compares both RFCs. Section numbers in this module are those of RFC 2141.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from .errors import InvalidIdentifier, InvalidURN
from .faults import RFC2141, Fault, advice, describe, fault_of_nid_at, fault_of_scheme
from .grammar import PCT_ENCODED
from .notes import Note
from .percent_encoding import percent_encoded
from .regex import compile_pattern
from .text_search import FoundURN, found_by
from .urn import normal_form

# <other>    ::= "(" | ")" | "+" | "," | "-" | "." | ":" | "=" | "@" | ";" | "$" | "_" | "!" | "*" | "'"
_UNRESERVED = r"A-Za-z0-9()+,\-.:=@;$_!*'"
# <reserved> ::= "%" | "/" | "?" | "#"      and Section 2.3.1: "%" MUST be followed by two <hex>
_TRANS = rf"{_UNRESERVED}/?\#"
# <NSS>      ::= 1*<URN chars>              <URN chars> ::= <trans> | "%" <hex> <hex>
_URN_CHARS = f"[{_TRANS}]*+(?:%[0-9A-Fa-f][0-9A-Fa-f][{_TRANS}]*+)*+"
# <NID>      ::= <let-num> [ 1,31<let-num-hyp> ]
# Section 2.1: "the NID "urn" is reserved and MUST NOT be used".
_NID = r"(?![Uu][Rr][Nn]:)[A-Za-z0-9][A-Za-z0-9\-]{0,31}+"
# <URN>      ::= "urn:" <NID> ":" <NSS>
_URN = f"[Uu][Rr][Nn]:({_NID}):((?=[{_TRANS}]|%[0-9A-Fa-f][0-9A-Fa-f]){_URN_CHARS})"

_urn = compile_pattern(_URN)
_match = _urn.fullmatch
_run_of_urn_chars = compile_pattern(_URN_CHARS)
_reserved = re.compile(r"[/?\#]").search
_untranslatable = re.compile("[\0\ud800-\udfff]").search
_triplets = re.compile(PCT_ENCODED).finditer
# Punctuation may have a special meaning in a namespace, and then it is %-encoded where it is literal: Section 5 has
# examples with "%2C". Letters and digits have none.
_is_literal = re.compile("[A-Za-z0-9]").fullmatch


class InvalidURN2141(InvalidURN):
    """The text is not a URN by RFC 2141.

    >>> error = InvalidURN2141("urn:a:x&y")
    >>> error.position, error.document, error.section
    (7, 'RFC 2141', '2.4')
    """

    kind = "a URN by RFC 2141"

    def _find_fault(self, text: str) -> Fault | None:
        return fault_of_urn(text)


class UntranslatableName(InvalidIdentifier):
    """The name has no canonical form: it is empty, or contains the octet 0 or a lone surrogate."""

    kind = "a name with a canonical form"

    def _find_fault(self, text: str) -> Fault | None:
        if not text:
            return Fault(0, "NSS", "2.2", "an NSS needs at least one character", RFC2141)
        match = _untranslatable(text)
        if match is None:
            return None
        if match[0] == "\0":
            return Fault(match.start(), "excluded", "2.4", "the octet 0 should never be used", RFC2141)
        reason = f"UTF-8 cannot encode {describe(match[0])}"
        return Fault(match.start(), "URN chars", "2.2", reason, RFC2141)


@dataclass(frozen=True, slots=True)
class URN2141:
    """A URN by RFC 2141: the text and its two parts, as returned by `parse`."""

    text: str
    nid: str
    nss: str

    def __str__(self) -> str:
        return self.text

    def normalized(self) -> str:
        """Return the text that Section 5 compares: "urn:" and NID in lower case, %-escapes in upper case.

        >>> parse("URN:FOO:a123%2c456").normalized()
        'urn:foo:a123%2C456'
        """
        return normal_form(self.nid, self.nss)

    @property
    def notes(self) -> tuple[Note, ...]:
        """Warnings about %-encoded letters and digits (2.3.1), reserved characters (2.3.2) and the octet 0 (2.4).

        >>> [note.section for note in parse("urn:a:x?y%00%41").notes]
        ['2.3.1', '2.3.2', '2.4']
        """
        return tuple(_notes_on(self.nss))


def is_urn(text: str) -> bool:
    """Return whether a text is a URN by RFC 2141.

    >>> is_urn("urn:x-foo-:a/b"), is_urn("urn:urn:a")
    (True, False)
    """
    return _match(text) is not None


def parse(text: str) -> URN2141:
    """Parse a URN by RFC 2141 (Section 2). Raises `InvalidURN2141`.

    >>> parse("URN:Foo-:a/b#c")
    URN2141(text='URN:Foo-:a/b#c', nid='Foo-', nss='a/b#c')
    """
    match = _match(text)
    if match is None:
        raise InvalidURN2141(text)
    return URN2141(match[0], match[1], match[2])


def lexically_equivalent(a: str, b: str) -> bool:
    """Return whether two URNs are lexically equivalent (Section 5). Raises `InvalidURN2141`.

    >>> lexically_equivalent("URN:foo:a123%2c456", "urn:FOO:a123%2C456")
    True
    """
    return parse(a).normalized() == parse(b).normalized()


def translate(name: str, *, designated: str = "") -> str:
    """Encode a name as an NSS in the canonical form (Section 2.2).

    Characters outside the URN character set become the %-encoding of their UTF-8 octets, and so do the
    reserved characters "%", "/", "?" and "#" (2.3). `designated` are characters to which the namespace gives a special
    meaning; in a name they are literal, so they are %-encoded (2.3.1). Raises `UntranslatableName`.

    >>> translate("40% of Größe/~x"), translate("a:b", designated=":")
    ('40%25%20of%20Gr%C3%B6%C3%9Fe%2F%7Ex', 'a%3Ab')
    """
    if not name or _untranslatable(name):
        raise UntranslatableName(name)
    to_be_translated = re.compile(
        f"[^{_UNRESERVED}]|[{re.escape(designated)}]" if designated else f"[^{_UNRESERVED}]"
    )
    return to_be_translated.sub(lambda match: percent_encoded(match[0]) or "", name)


def find(text: str) -> Iterator[FoundURN]:
    """Find the URNs in running text, with their positions (Section 2.4).

    A URN ends before the first excluded character. Punctuation after a URN is part of the match; see
    `FoundURN.without_punctuation`.

    >>> [(found.start, found.urn) for found in find("<urn:x-a-:b/c> and urn:oid:1.2~3")]
    [(1, 'urn:x-a-:b/c'), (19, 'urn:oid:1.2')]
    """
    return found_by(_urn, text)


def fault_of_urn(text: str) -> Fault | None:
    """Return the first fault of a text that should be a URN by RFC 2141, None if it is one.

    >>> fault_of_urn("urn:urn:a").reason
    'the NID "urn" is reserved and must not be used'
    """
    fault = fault_of_scheme(text, RFC2141) or fault_of_nid_at(text, 4, RFC2141)
    if fault:
        return fault
    start = text.index(":", 4) + 1
    if text[4:start].lower() == "urn:":
        return Fault(4, "NID", "2.1", 'the NID "urn" is reserved and must not be used', RFC2141)
    match = _run_of_urn_chars.match(text, start)
    end = match.end() if match else start
    if start == len(text):
        return Fault(start, "NSS", "2.2", "the NSS is empty; it needs at least one character", RFC2141)
    return _fault_of_stray_character(text, end) if end < len(text) else None


def _fault_of_stray_character(text: str, position: int) -> Fault:
    character = text[position]
    if character == "%":
        reason = '"%" must be followed by two hexadecimal digits; write "%25" for the character itself'
        return Fault(position, "URN chars", "2.3.1", reason, RFC2141)
    reason = f"{describe(character)} is an excluded character"
    if character == "\0":
        return Fault(position, "excluded", "2.4", f"{reason} and should never be used", RFC2141)
    return Fault(position, "excluded", "2.4", f"{reason}; {advice(character)}", RFC2141)


def _notes_on(nss: str) -> Iterator[Note]:
    encoded = ((match.start(), chr(int(match[0][1:], 16))) for match in _triplets(nss))
    for position, character in islice(((at, each) for at, each in encoded if _is_literal(each)), 1):
        message = (
            f'The character "{character}" must not be %-encoded unless the namespace gives it a special meaning '
            "(RFC 2141, Section 2.3.1)."
        )
        yield Note("NSS", position, "2.3.1", message)
    if match := _reserved(nss):
        message = f'The reserved character "{match[0]}" should be %-encoded (RFC 2141, Section 2.3.2).'
        yield Note("NSS", match.start(), "2.3.2", message)
    if (position := nss.find("%00")) >= 0:
        message = "The octet 0 (%00) should never be used, not even %-encoded (RFC 2141, Section 2.4)."
        yield Note("NSS", position, "2.4", message)
