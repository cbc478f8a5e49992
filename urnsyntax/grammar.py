"""The ABNF of RFC 8141, Section 2, each rule quoted above its regular expression.

Two conventions apply to every pattern. Character classes are written out in ASCII (``\\d``, ``\\w`` and
IGNORECASE would match further Unicode characters), and patterns are used with ``fullmatch`` only (``$`` would
accept a trailing newline). Loops are unrolled and possessive, so matching takes linear time for every text.

The three ``*NID_PATTERN`` use only syntax that means the same in Python's ``re.fullmatch(pattern, text)`` and
in PostgreSQL's ``text ~ '^(pattern)$'``, so database constraints can use them.

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

# A component begins with a pchar. Where a whole text must match, a lookahead for "%" is enough: a "%" that
# does not begin a triplet is not matched by any later part of the pattern.
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
# A "run" matches the content of a component without the condition that the first character is a pchar.
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
# There are two versions. `NAMESTRING` only tests a text: the first character after a run of plain characters selects
# the alternative, so that the engine does not try each optional part; most URNs have none. `NAMESTRING_PARTS` has a
# group for each part, and trying the optional ones costs less than more groups would.
def _namestring(first_pchar: str, end: str) -> str:
    rq_components = rf"\?(?:\+{first_pchar}{R_RUN}(?:\?={first_pchar}{Q_RUN})?+|={first_pchar}{Q_RUN})"
    components = rf"{rq_components}(?:\#{F_COMPONENT})?+(?:{end})|\#{F_COMPONENT}(?:{end})"
    rest_of_nss = f"{PCT_ENCODED}[{PCHAR}/]*+(?:{PCT_ENCODED}[{PCHAR}/]*+)*+"
    return (
        f"{SCHEME}{NID}:{first_pchar}[{PCHAR}/]*+(?:{rest_of_nss}(?:{components}|{end})|{components}|{end})"
    )


NAMESTRING = _namestring(_FIRST_PCHAR, "")
NAMESTRING_LINE = _namestring(_FIRST_PCHAR_OF_WHOLE, r"\n|\r\n")

# The groups are NID, NSS, r-component, q-component and f-component.
_NSS, _R_COMPONENT, _Q_COMPONENT = (f"({_FIRST_PCHAR_OF_WHOLE}{run})" for run in (NSS_RUN, R_RUN, Q_RUN))
NAMESTRING_PARTS = (
    rf"{SCHEME}({NID}):{_NSS}(?:\?\+{_R_COMPONENT})?+(?:\?={_Q_COMPONENT})?+(?:\#({F_COMPONENT}))?+"
)

# The pattern is negated so that no match object is created for valid URNs, which are the usual case.
match_no_namestring = compile_pattern(rf"(?!{_namestring(_FIRST_PCHAR_OF_WHOLE, END_OF_TEXT)})").match
match_parts = compile_pattern(NAMESTRING_PARTS).fullmatch
match_nid = compile_pattern(NID).fullmatch
match_formal_nid = compile_pattern(FORMAL_NID_PATTERN).fullmatch
match_informal_nid = compile_pattern(INFORMAL_NID_PATTERN).fullmatch
