"""The ABNF of RFC 8141, section 2, each rule quoted above its regular expression.

Two rules of craft hold for every pattern here. Classes are spelt out in ASCII (no ``\\d``, ``\\w`` or
IGNORECASE, which know Unicode) and patterns are used with ``fullmatch`` only (``$`` would let a newline
pass). Loops are unrolled and possessive, so that no text, however nasty, is read twice.

The three ``*NID_PATTERN`` are kept to the part of the regular-expression language that means the same in
Python's ``re.fullmatch(pattern, text)`` and in PostgreSQL's ``text ~ '^(pattern)$'``: a database constraint
can be written from them.

>>> import re
>>> bool(re.fullmatch(FORMAL_NID_PATTERN, "isbn")), bool(re.fullmatch(FORMAL_NID_PATTERN, "de-isbn"))
(True, False)
"""

from .regex import compile_pattern

# RFC 3986:  unreserved  = ALPHA / DIGIT / "-" / "." / "_" / "~"
#            sub-delims  = "!" / "$" / "&" / "'" / "(" / ")" / "*" / "+" / "," / ";" / "="
#            pchar       = unreserved / pct-encoded / sub-delims / ":" / "@"
PCHAR = r"A-Za-z0-9\-._~!$&'()*+,;=:@"

# RFC 3986:  pct-encoded = "%" HEXDIG HEXDIG
PCT_ENCODED = "%[0-9A-Fa-f][0-9A-Fa-f]"

END_OF_TEXT = r"\Z"

# A component begins with a pchar. Where a whole text must match, it is enough to look for "%": if that begins
# no triplet, nothing that follows will match it.
_FIRST_PCHAR = f"(?=[{PCHAR}]|{PCT_ENCODED})"
_FIRST_PCHAR_OF_WHOLE = f"(?=[{PCHAR}%])"

# assigned-name = "urn" ":" NID ":" NSS
SCHEME = "[Uu][Rr][Nn]:"

# NID = (alphanum) 0*30(ldh) (alphanum)
# ldh = alphanum / "-"
NID = r"[A-Za-z0-9][A-Za-z0-9\-]{1,31}+(?<!-)"
NID_PATTERN = "[A-Za-z0-9][A-Za-z0-9-]{0,30}[A-Za-z0-9]"

# Section 5.1: not "urn-" (2); more than two characters, not ALPHA ALPHA "-" (3); not "X-" (4).
FORMAL_NID_PATTERN = "(?![Uu][Rr][Nn]-)(?![A-Za-z][A-Za-z]-)(?![Xx]-)[A-Za-z0-9][A-Za-z0-9-]{1,30}[A-Za-z0-9]"

# Section 5.2:  InformalNamespaceName = "urn-" Number
#               Number                = DigitNonZero 0*Digit
# A NID has at most 32 characters, and four of them are "urn-".
INFORMAL_NID_PATTERN = "[Uu][Rr][Nn]-[1-9][0-9]{0,27}"

# NSS = pchar *(pchar / "/")
# A "run" is what a component may hold, without the demand that its first character be a pchar.
NSS_RUN = f"[{PCHAR}/]*+(?:{PCT_ENCODED}[{PCHAR}/]*+)*+"

# r-component = pchar *( pchar / "/" / "?" )
# Section 2.3.1 adds that it "ends with a "?=" sequence", so no "?" in it is followed by "=".
R_RUN = rf"[{PCHAR}/]*+(?:(?:{PCT_ENCODED}|\?(?!=))[{PCHAR}/]*+)*+"

# q-component = pchar *( pchar / "/" / "?" )
Q_RUN = f"[{PCHAR}/?]*+(?:{PCT_ENCODED}[{PCHAR}/?]*+)*+"

# f-component = fragment        RFC 3986: fragment = *( pchar / "/" / "?" )
F_COMPONENT = Q_RUN


# namestring    = assigned-name [ rq-components ] [ "#" f-component ]
# rq-components = [ "?+" r-component ] [ "?=" q-component ]
#
# Written twice: for a yes or no, followed by some end, and with the parts as groups. In both, what may follow
# a run of plain characters is told apart by its first character, which spares the engine an attempt at each
# optional part; most URNs have none of them.
def _namestring(first_pchar: str, end: str) -> str:
    rq_components = rf"\?(?:\+{first_pchar}{R_RUN}(?:\?={first_pchar}{Q_RUN})?+|={first_pchar}{Q_RUN})"
    components = rf"{rq_components}(?:\#{F_COMPONENT})?+(?:{end})|\#{F_COMPONENT}(?:{end})"
    rest_of_nss = f"{PCT_ENCODED}[{PCHAR}/]*+(?:{PCT_ENCODED}[{PCHAR}/]*+)*+"
    return (
        f"{SCHEME}{NID}:{first_pchar}[{PCHAR}/]*+(?:{rest_of_nss}(?:{components}|{end})|{components}|{end})"
    )


NAMESTRING = _namestring(_FIRST_PCHAR, "")
NAMESTRING_LINE = _namestring(_FIRST_PCHAR_OF_WHOLE, r"\n|\r\n")

# The groups are NID, NSS, r-component, q-component after one, q-component without one, and the f-component
# after an r- or q-component and without one.
_NSS, _R_COMPONENT, _Q_COMPONENT = (f"({_FIRST_PCHAR_OF_WHOLE}{run})" for run in (NSS_RUN, R_RUN, Q_RUN))
NAMESTRING_PARTS = (
    f"{SCHEME}({NID}):{_NSS}"
    rf"(?:\?(?:\+{_R_COMPONENT}(?:\?={_Q_COMPONENT}|)|={_Q_COMPONENT})(?:\#({F_COMPONENT})|)"
    rf"|\#({F_COMPONENT})|)"
)

# "No" rather than "yes": for the texts that are URNs, and most are, no match object has to be made.
match_no_namestring = compile_pattern(rf"(?!{_namestring(_FIRST_PCHAR_OF_WHOLE, END_OF_TEXT)})").match
match_parts = compile_pattern(NAMESTRING_PARTS).fullmatch
match_nid = compile_pattern(NID).fullmatch
match_formal_nid = compile_pattern(FORMAL_NID_PATTERN).fullmatch
match_informal_nid = compile_pattern(INFORMAL_NID_PATTERN).fullmatch
