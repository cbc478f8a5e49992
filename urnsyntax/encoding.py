"""Names of other identifier systems as an NSS, and back (RFC 8141, sections 2.2 and 4.4).

`encode_name` writes a name as an NSS: UTF-8, percent-encoded where RFC 3986 asks for it. `decode_name` is its
inverse, and refuses every NSS that would not come back. `display` shows a whole URN to people, and
`parse_displayed` reads what they copy.

RFC 8141 says that "software that is not aware of namespace-specific canonicalization and encoding rules MUST
NOT construct URNs from the name in the non-URN identifier system": know the namespace before you encode.
"""

import re
import unicodedata
from functools import lru_cache

from . import grammar
from .errors import InvalidIdentifier
from .faults import Fault, fault_of_part
from .percent_encoding import percent_decoded, percent_encoded, position_of_octet
from .regex import compile_pattern
from .urn import URN, normal_form

_TRIPLETS_BEYOND_ASCII = compile_pattern("(?:%[89A-Fa-f][0-9A-Fa-f])++")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
_UNSEEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"})


class UnencodableName(InvalidIdentifier):
    """The name cannot be written as an NSS: it is empty, or holds what UTF-8 has no octets for."""

    kind = "a name that can be encoded"

    def _find_fault(self, text: str) -> Fault | None:
        if not text:
            return Fault(0, "NSS", "2.2", "an NSS needs at least one character")
        try:
            text.encode()
        except UnicodeEncodeError as error:
            reason = f"UTF-8 has no octets for U+{ord(text[error.start]):04X}, a lone surrogate"
            return Fault(error.start, "NSS", "2.2", reason)
        return None


class IrreversibleNSS(InvalidIdentifier):
    """The NSS cannot be decoded into a name that would come back as the same NSS."""

    kind = "an NSS that can be decoded and encoded again"


def encode_name(name: str, *, delimiters: str = "") -> str:
    """Write a name as an NSS (RFC 8141, section 2.2).

    What RFC 3986 lets stand for itself stays; everything else becomes the percent-encoding of its UTF-8
    octets. A "/" stays, except as the first character. `delimiters` are characters that have a meaning in the
    NSS of the namespace: in a name they stand for themselves, and so they are percent-encoded.

    Raises `UnencodableName` for the empty name and for lone surrogates.

    >>> encode_name("1/406/47452/2"), encode_name("Größe #7 (50%)")
    ('1/406/47452/2', 'Gr%C3%B6%C3%9Fe%20%237%20(50%25)')
    >>> encode_name("a:b", delimiters=":")
    'a%3Ab'
    """
    try:
        encoded = _to_be_encoded(delimiters).sub(lambda match: "%" + match[0].encode().hex("%").upper(), name)
    except UnicodeEncodeError:
        raise UnencodableName(name) from None
    if not encoded:
        raise UnencodableName(name)
    return "%2F" + encoded[1:] if encoded[0] == "/" else encoded


def decode_name(nss: str, *, delimiters: str = "") -> str:
    """Read the name that `encode_name` wrote as an NSS.

    Raises `IrreversibleNSS` for a text that is no NSS, for octets that are no UTF-8, and where encoding the
    name would give another NSS than this one: ``%41`` is the letter A, which nobody percent-encodes. The
    case of hexadecimal digits does not count.

    >>> decode_name("Gr%c3%b6%c3%9Fe")
    'Größe'
    >>> decode_name("%41")
    Traceback (most recent call last):
    ...
    urnsyntax.encoding.IrreversibleNSS: "%41" is not an NSS that can be decoded and encoded again: at \
position 0, it would come back as "A" (RFC 8141, section 2.2, NSS).
    """
    if fault := fault_of_part(nss, "NSS"):
        raise IrreversibleNSS(nss, fault)
    try:
        name = percent_decoded(nss).decode()
    except UnicodeDecodeError as error:
        position = position_of_octet(nss, error.start)
        raise IrreversibleNSS(nss, Fault(position, "NSS", "2.2", "these octets are not UTF-8")) from None
    written, back = normal_form("", nss)[len("urn::") :], encode_name(name, delimiters=delimiters)
    if back != written:
        raise IrreversibleNSS(nss, _fault_of_difference(written, back))
    return name


def display(urn: URN | str) -> str:
    """Show a URN to people: percent-encoded UTF-8 beyond ASCII becomes characters (RFC 8141, section 4.4).

    The rest stays as it is, and so do octets that are no UTF-8 and characters that cannot be seen or would
    not survive being copied (white space, controls of direction, text that is not in Unicode's form C). The
    scheme is always shown, as the RFC asks. Raises `InvalidURN` for a text that is no URN.

    >>> display("urn:example:Gr%C3%B6%C3%9Fe%2Fa%C2%A0b")
    'urn:example:Größe%2Fa%C2%A0b'
    """
    text = str(urn if isinstance(urn, URN) else URN.parse(urn))
    shown = _TRIPLETS_BEYOND_ASCII.sub(lambda match: _shown(percent_decoded(match[0]), match[0]), text)
    return shown if unicodedata.is_normalized("NFC", shown) else text


def parse_displayed(text: str) -> URN:
    """Read a URN as `display` shows it: characters beyond ASCII stand for their UTF-8 octets.

    Raises `InvalidURN` if the text is no URN after that; the error holds the encoded text.

    >>> str(parse_displayed("urn:example:Größe"))
    'urn:example:Gr%C3%B6%C3%9Fe'
    """
    return URN.parse(_BEYOND_ASCII.sub(lambda match: percent_encoded(match[0]) or match[0], text))


@lru_cache
def _to_be_encoded(delimiters: str) -> re.Pattern[str]:
    beyond_grammar = f"[^{grammar.PCHAR}/]++"
    return re.compile(f"{beyond_grammar}|[{re.escape(delimiters)}]++" if delimiters else beyond_grammar)


def _fault_of_difference(written: str, back: str) -> Fault:
    pairs = zip(written, back, strict=False)
    position = next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(written), len(back)))
    came = (
        back[position : position + 3]
        if back[position : position + 1] == "%"
        else back[position : position + 1]
    )
    return Fault(position, "NSS", "2.2", f'it would come back as "{came}"')


def _shown(octets: bytes, triplets: str) -> str:
    """The characters of some octets, each one that should not be shown in its percent-encoding."""
    try:
        characters = octets.decode()
    except UnicodeDecodeError:
        return triplets
    shown, at = [], 0
    for character in characters:
        length = 3 * len(character.encode())
        unseen = unicodedata.category(character) in _UNSEEN
        shown.append(triplets[at : at + length] if unseen else character)
        at += length
    return "".join(shown)
