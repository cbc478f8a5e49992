"""Conversion between names of other identifier systems and an NSS (RFC 8141, Sections 2.2 and 4.4).

`encode_name` writes a name as an NSS: UTF-8, percent-encoded where RFC 3986 requires it. `decode_name` is its
inverse, and rejects every NSS that `encode_name` would not write. `encode_component` and `decode_component` do the
same for the texts in r-, q- and f-components (Section 2.3). `display` formats a complete URN for people, and
`parse_displayed` parses that format; `readable` decodes any text, to be read only.

RFC 8141 says that "software that is not aware of namespace-specific canonicalization and encoding rules MUST
NOT construct URNs from the name in the non-URN identifier system": know the namespace before you encode.
"""

import re
import unicodedata
from functools import lru_cache
from typing import Literal

from . import grammar
from .confusable_characters import MAX_MARKS, is_unseen
from .errors import InvalidIdentifier
from .faults import Fault, fault_of_part
from .percent_encoding import percent_decoded, percent_encoded, position_of_octet
from .regex import compile_pattern
from .urn import URN, normal_nss

_TRIPLETS_BEYOND_ASCII = compile_pattern("(?:%[89A-Fa-f][0-9A-Fa-f])++")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
_TRIPLETS = compile_pattern(f"(?:{grammar.PCT_ENCODED})++")
Component = Literal["r-component", "q-component", "f-component"]
SECTIONS = {"NSS": "2.2", "r-component": "2.3.1", "q-component": "2.3.2", "f-component": "2.3.3"}


class UnencodableName(InvalidIdentifier):
    """The text cannot be written as an NSS or a component: it is empty or contains a lone surrogate."""

    kind = "a text that can be encoded"


class IrreversibleNSS(InvalidIdentifier):
    """Decoding the NSS and encoding the result does not give the same NSS."""

    kind = "an NSS that can be decoded and encoded again"


class UndecodableComponent(InvalidIdentifier):
    """The text is not a component, or its octets are not UTF-8."""

    kind = "a component that can be decoded"


def encode_name(name: str, *, delimiters: str = "") -> str:
    """Encode a name as an NSS (RFC 8141, Section 2.2).

    Characters that RFC 3986 allows remain; all others are replaced with the percent-encoding of their UTF-8
    octets. A "/" remains, except as the first character. `delimiters` are characters with a special meaning
    in the NSS of the namespace; in a name they are data, so they are percent-encoded.

    Raises `UnencodableName` for the empty name and for lone surrogates.

    >>> encode_name("1/406/47452/2"), encode_name("Größe #7 (50%)")
    ('1/406/47452/2', 'Gr%C3%B6%C3%9Fe%20%237%20(50%25)')
    >>> encode_name("a:b", delimiters=":")
    'a%3Ab'
    """
    encoded = _encoded(name, "NSS", f"{grammar.PCHAR}/", delimiters)
    return "%2F" + encoded[1:] if encoded[0] == "/" else encoded


def decode_name(nss: str, *, delimiters: str = "") -> str:
    """Decode an NSS that `encode_name` wrote, and return the name.

    Raises `IrreversibleNSS` for a text that is not an NSS, for octets that are not UTF-8, and if encoding the
    name would give a different NSS: ``%41`` is the letter A, which is never percent-encoded. The case of
    hexadecimal digits is ignored.

    >>> decode_name("Gr%c3%b6%c3%9Fe")
    'Größe'
    >>> decode_name("%41")
    Traceback (most recent call last):
    ...
    urnsyntax.encoding.IrreversibleNSS: "%41" is not an NSS that can be decoded and encoded again: at \
position 0, it would be encoded as "A" (RFC 8141, Section 2.2, NSS).
    """
    if fault := fault_of_part(nss, "NSS"):
        raise IrreversibleNSS(nss, fault)
    try:
        name = percent_decoded(nss).decode()
    except UnicodeDecodeError as error:
        position = position_of_octet(nss, error.start)
        raise IrreversibleNSS(nss, Fault(position, "NSS", "2.2", "these octets are not UTF-8")) from None
    written, back = normal_nss(nss), encode_name(name, delimiters=delimiters)
    if back != written:
        raise IrreversibleNSS(nss, _fault_of_difference(written, back))
    return name


def encode_component(text: str, component: Component, *, delimiters: str = "") -> str:
    """Encode a text as an r-, q- or f-component, or as a part of one that is not empty (RFC 8141, Section 2.3).

    Characters that the component allows remain; all others are replaced with the percent-encoding of their UTF-8
    octets, as is the first character if it is "/" or "?" in an r- or q-component, and each "?" of an r-component,
    which "?=" would end. `delimiters` are characters with a meaning of their own in the component, such as "&=" between
    parameters; in the text they are data, so they are percent-encoded.

    Raises `UnencodableName` for lone surrogates, and for the empty text where a component needs a character.

    >>> encode_component("50% of a/b?", "q-component"), encode_component("?", "f-component")
    ('50%25%20of%20a/b?', '?')
    >>> "q=" + encode_component("a&b", "q-component", delimiters="&=")
    'q=a%26b'
    """
    allowed = f"{grammar.PCHAR}/" if component == "r-component" else f"{grammar.PCHAR}/?"
    encoded = _encoded(text, component, allowed, delimiters)
    if component != "f-component" and encoded[0] in "/?":
        encoded = "%" + encoded[0].encode().hex().upper() + encoded[1:]
    return encoded


def decode_component(part: str, component: Component) -> str:
    """Decode an r-, q- or f-component (RFC 3986, Section 2.1). Split it at its delimiters first.

    Raises `UndecodableComponent` for a text that is not such a component, and for octets that are not UTF-8.

    >>> decode_component("50%25%20of%20a/b?", "q-component"), decode_component("%41", "f-component")
    ('50% of a/b?', 'A')
    """
    if fault := fault_of_part(part, component):
        raise UndecodableComponent(part, fault)
    try:
        return percent_decoded(part).decode()
    except UnicodeDecodeError as error:
        position = position_of_octet(part, error.start)
        fault = Fault(position, component, SECTIONS[component], "these octets are not UTF-8")
        raise UndecodableComponent(part, fault) from None


def readable(text: str) -> str:
    """Decode the percent-encodings of any text, to be read by people only: the result is not a URN or a part of one.

    Octets that are not UTF-8 stay as they are, as do characters that are invisible. No text raises an error.

    >>> readable("50%25%20of%20a%2Fb%0A%E9%")
    '50% of a/b%0A%E9%'
    """
    return _TRIPLETS.sub(lambda match: _shown_where_utf8(match[0]), text)


def display(urn: URN | str) -> str:
    """Format a URN for people: percent-encoded UTF-8 beyond ASCII is decoded (RFC 8141, Section 4.4).

    The rest is unchanged, as are octets that are not UTF-8 and characters that are invisible or that copying
    could change (white space, directional controls, text that is not in Unicode Normalization Form C), and marks
    without a letter. The scheme is always shown, as the RFC requires. Raises `InvalidURN` for a text that is not a URN.

    >>> display("urn:example:Gr%C3%B6%C3%9Fe%2Fa%C2%A0b")
    'urn:example:Größe%2Fa%C2%A0b'
    """
    text = str(urn if isinstance(urn, URN) else URN.parse(urn))
    shown = _TRIPLETS_BEYOND_ASCII.sub(lambda match: _shown(match[0]), text)
    return shown if unicodedata.is_normalized("NFC", shown) else text


def parse_displayed(text: str) -> URN:
    """Parse a URN as `display` shows it: characters beyond ASCII stand for their UTF-8 octets.

    Raises `InvalidURN` if the result is not a URN; the error contains the encoded text.

    >>> str(parse_displayed("urn:example:Größe"))
    'urn:example:Gr%C3%B6%C3%9Fe'
    """
    return URN.parse(_BEYOND_ASCII.sub(lambda match: percent_encoded(match[0]) or match[0], text))


@lru_cache
def _to_be_encoded(allowed: str, delimiters: str) -> re.Pattern[str]:
    beyond_grammar = f"[^{allowed}]++"
    return re.compile(f"{beyond_grammar}|[{re.escape(delimiters)}]++" if delimiters else beyond_grammar)


def _encoded(text: str, rule: str, allowed: str, delimiters: str) -> str:
    """Return a text with percent-encodings for all but the allowed characters, and for the delimiters."""
    if not text and rule != "f-component":
        article = "an" if rule in ("NSS", "r-component") else "a"
        raise UnencodableName(
            text, Fault(0, rule, SECTIONS[rule], f"{article} {rule} needs at least one character")
        )
    to_be_encoded = _to_be_encoded(allowed, delimiters)
    try:
        return to_be_encoded.sub(lambda match: "%" + match[0].encode().hex("%").upper(), text)
    except UnicodeEncodeError:
        position = next(at for at, character in enumerate(text) if "\ud800" <= character <= "\udfff")
        reason = f"UTF-8 has no octets for U+{ord(text[position]):04X}, a lone surrogate"
        raise UnencodableName(text, Fault(position, rule, SECTIONS[rule], reason)) from None


def _fault_of_difference(written: str, back: str) -> Fault:
    pairs = zip(written, back, strict=False)
    position = next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(written), len(back)))
    encoded = (
        back[position : position + 3]
        if back[position : position + 1] == "%"
        else back[position : position + 1]
    )
    return Fault(position, "NSS", "2.2", f'it would be encoded as "{encoded}"')


def _shown(triplets: str) -> str:
    """Return the characters of octets; all triplets stay if they are not UTF-8."""
    try:
        return _seen(percent_decoded(triplets).decode(), triplets)
    except UnicodeDecodeError:
        return triplets


def _shown_where_utf8(triplets: str) -> str:
    """Return the characters of octets; an octet that is not UTF-8 becomes a surrogate, which stays encoded."""
    return _seen(percent_decoded(triplets).decode(errors="surrogateescape"), triplets)


def _seen(characters: str, triplets: str) -> str:
    """Return the characters. Those that should not be shown stay percent-encoded.

    These are also marks that would stand on another character than a letter, and more marks than a letter can have.
    A vowel sign beside its letter (Mc) is as wide as a letter, and can have marks itself.
    """
    shown, at, marks = [], 0, MAX_MARKS
    for character in characters:
        length = 3 * len(character.encode(errors="surrogateescape"))
        category = unicodedata.category(character)
        if category == "Mn":
            marks += 1
        elif category != "Mc":
            marks = 0 if character.isalnum() else MAX_MARKS
        stays = marks > MAX_MARKS or (character != " " and is_unseen(character))
        shown.append(triplets[at : at + length] if stays else character)
        at += length
    return "".join(shown)
