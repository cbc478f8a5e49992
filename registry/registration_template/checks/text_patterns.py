"""Patterns of words that checks look for in texts."""

import re

_NOTHING = re.compile(
    r"(?:none|nothing|nil|n/?a|not applicable|[-\u2013\u2014.]+)\.?(?: \([^)]*\))?\.?", re.IGNORECASE
)
PLACEHOLDER = re.compile(
    r"\b(?:TODO|FIXME|TBD|TBA|assignedNID|[Xx]{3,}|(?:urn|RFC)[ -]?[Xx]{3,}|[Ll]orem ipsum)\b"
)
COMPONENTS = re.compile(r"\b[rqf]-?components?\b|\br-, q-|\bquery\b|\bfragments?\b|\?=|\?\+", re.IGNORECASE)
OPENNESS = re.compile(
    r"\bopen(?:ly)?\b|\bclosed\b|\bdelegat|\bfirst[- ]come|\bFCFS\b|\banyone\b|\banybody\b|\beveryone\b"
    r"|\bself-assign|\bsole(?:ly)?\b|\bexclusive|\bonly\b|\brestricted\b|\blimited\b|\bauthori[tsz]|\bappointed\b"
    r"|\bassigned by\b|\bresponsib|\bregistrars?\b|\bapply\b|\brequest",
    re.IGNORECASE,
)
UNIQUENESS = re.compile(
    r"\buniq|\bcollision|\bduplica|\bre-?assign|\bre-?us|\bnever\b|\bsequen|\bUUID|\bGUID|\brandom|\bhash|\bconflict",
    re.IGNORECASE,
)
OBSOLETE_RFC = re.compile(r"\bRFC[ -]?(2141|2611|3406)\b", re.IGNORECASE)
REFERENCE_TO_PAST = re.compile(
    r"\bobsolet|\breplac|\bsupersed|\bformer|\bprevious|\bearlier|\bolder?\b|\bupdat|\bhistor", re.IGNORECASE
)
NON_ASCII = re.compile(
    r"%[89A-Fa-f][0-9A-Fa-f]|\bnon-ASCII\b|\bunicode\b|\bUTF-?8\b|\binternationali[sz]ed\b", re.IGNORECASE
)
JUSTIFICATION = re.compile(
    r"\bbecause\b|\bnecess|\bneed|\bin order to\b|\bnative\b|\blanguage|\bscripts?\b|\bsince\b", re.IGNORECASE
)


def has_no_substance(text: str) -> bool:
    """Whether a text is empty, or contains only words such as “none” or “not applicable”."""
    return not text or _NOTHING.fullmatch(text) is not None
