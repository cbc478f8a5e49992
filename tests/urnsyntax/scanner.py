"""An independent implementation of the ABNF with loops over characters, without regular expressions or imports.

Each function returns what it found as a dictionary, or the position of the first wrong character.
"""

LETTERS = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
DIGITS = set("0123456789")
HEX = DIGITS | set("abcdefABCDEF")
UNRESERVED = LETTERS | DIGITS | set("-._~")
SUB_DELIMS = set("!$&'()*+,;=")
PCHAR = UNRESERVED | SUB_DELIMS | {":", "@"}
TRANS_2141 = LETTERS | DIGITS | set("()+,-.:=@;$_!*'") | set("/?#")


class WrongError(Exception):
    def __init__(self, position):
        self.position = position


def scan(text):
    """Return the parts by RFC 8141, or the position of the first fault."""
    try:
        return _namestring(text)
    except WrongError as wrong:
        return wrong.position


def scan_2141(text):
    """Return the parts by RFC 2141, or the position of the first fault."""
    try:
        return _namestring_2141(text)
    except WrongError as wrong:
        return wrong.position


def _namestring_2141(text):
    nid, start = _nid(text, _scheme(text), shortest=1, may_end_with_hyphen=True)
    if nid.lower() == "urn":
        raise WrongError(4)
    at = _run(text, start, TRANS_2141)
    if at < len(text) or at == start:
        raise WrongError(at)
    return {"nid": nid, "nss": text[start:]}


def _namestring(text):
    nid, at = _nid(text, _scheme(text), shortest=2, may_end_with_hyphen=False)
    parts = {"nid": nid, "r": None, "q": None, "f": None}
    start, at = at, _first(text, at, "/?#")
    at = _run(text, at, PCHAR | {"/"})
    parts["nss"] = text[start:at]
    if text[at : at + 2] == "?+":
        start = at + 2
        if text[start : start + 2] == "?=":
            raise WrongError(start)
        at = _first(text, start, "/?#")
        at = _run(text, at, PCHAR | {"/", "?"}, ends_at="?=")
        parts["r"] = text[start:at]
    if text[at : at + 2] == "?=":
        start = at + 2
        at = _first(text, start, "/?#")
        at = _run(text, at, PCHAR | {"/", "?"})
        parts["q"] = text[start:at]
    if text[at : at + 1] == "#":
        start = at + 1
        at = _run(text, start, PCHAR | {"/", "?"})
        parts["f"] = text[start:at]
    if at < len(text):
        raise WrongError(at)
    return parts


def _scheme(text):
    for position, pair in enumerate(["uU", "rR", "nN", ":"]):
        if position >= len(text) or text[position] not in list(pair):
            raise WrongError(position)
    return 4


def _nid(text, start, shortest, may_end_with_hyphen):
    at = start
    while at < len(text) and (text[at] in LETTERS or text[at] in DIGITS or text[at] == "-"):
        at += 1
    if at == start or text[start] == "-":
        raise WrongError(start)
    if at - start > 32:
        raise WrongError(start + 32)
    if at == len(text) or text[at] != ":" or at - start < shortest:
        raise WrongError(at)
    if text[at - 1] == "-" and not may_end_with_hyphen:
        raise WrongError(at - 1)
    return text[start:at], at + 1


def _first(text, at, forbidden):
    """A component needs a first character, and it must be a pchar."""
    if at == len(text) or text[at] in forbidden:
        raise WrongError(at)
    return at


def _run(text, at, allowed, ends_at=None):
    while at < len(text):
        if ends_at and text[at : at + len(ends_at)] == ends_at:
            break
        if text[at] == "%":
            at = _triplet(text, at)
        elif text[at] in allowed:
            at += 1
        else:
            break
    return at


def _triplet(text, at):
    pair = text[at + 1 : at + 3]
    if len(pair) < 2 or pair[0] not in HEX or pair[1] not in HEX:
        raise WrongError(at)
    return at + 3
