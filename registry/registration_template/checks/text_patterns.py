"""Patterns of words that checks look for in texts."""

import re
from collections.abc import Iterator

_NOTHING = re.compile(
    r"(?:none|nothing|nil|n/?a|not applicable|[-\u2013\u2014.]+)\.?(?: \([^)]*\))?\.?", re.IGNORECASE
)
_TO_DO = re.compile(
    r"tbd|tba|tbc|to ?do|fixme|xxx+|to be (?:determined|defined|done|added|confirmed|announced|completed)"
    r"|to follow|(?:coming )?later|soon|unknown|asdf+|test|lorem ipsum\b.*",
    re.IGNORECASE | re.DOTALL,
)
_WORD_CHARACTER = re.compile(r"\w")
# “There is no external documentation.”, “None yet.”
_NO_DOCUMENTATION = re.compile(
    r"(?:(?:there|(?:this|the) (?:urn )?namespace|it|[a-z0-9-]+) (?:is|are|has|have) )?(?:currently )?"
    r"(?:no|not|without|none)"
    r"(?:,? (?:external|additional|further|relevant|ancillary|other|such|public|published|separate|known|formal))*"
    r"(?: (?:documentation|documents?|specifications?|references?))?"
    r"(?: (?:is|are|exists?|has been|have been|available|needed|required|provided|applicable|cited|published|known"
    r"|yet|currently|so far|at (?:this|present)(?: (?:time|moment))?))*\.?"
    r"|to be (?:determined|defined|announced|provided|supplied)\.?",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"\b(?:TODO|FIXME|TBD|TBA|assignedNID|[Xx]{3,}|(?:urn|RFC)[ -]?[Xx]{3,}|[Ll]orem ipsum)\b"
)
COMPONENTS = re.compile(r"\b[rqf]-?components?\b|\br-, q-|\bquery\b|\bfragments?\b|\?=|\?\+", re.IGNORECASE)
OPENNESS = re.compile(
    r"\bopen(?:ly)?\b|\bclosed\b|\bdelegat|\b(?:de)?centrali[sz]|\bdistributed\b|\bfirst[- ]come|\bFCFS\b|\banyone\b|\banybody\b|\beveryone\b"
    r"|\bself-assign|\bsole(?:ly)?\b|\bexclusive|\bonly\b|\brestricted\b|\blimited\b|\bauthori[tsz]|\bappointed\b"
    r"|\bassigned by\b|\bresponsib|\bregistrars?\b|\bapply\b|\brequest|\bcentral(?:ly)?\b|\bmanaged by\b|\bcontrolled\b"
    r"|\bappl(?:ication|icants?|ies)\b|\bapprov|\bown(?:s|ed)? (?:their|its|the) |\b(?:their|its) own\b|\bon behalf of\b"
    r"|\bthrough (?:the )?(?:publication|registration|submission|filing)\b|\bjoin(?:s|ed)?\b|\b(?:each|every|a|the) (?:\w+ ){1,2}(?:chooses|assigns|numbers) |\b(?:can|may|could) (?:then |also |freely )?(?:create|assign|choose|mint|obtain|register)|\b(?:issued|allocated) by\b",
    re.IGNORECASE,
)
UNIQUENESS = re.compile(
    r"\buniq|\bcollision|\bcollide|\bclash|\bduplica|\bre-?assign|\bre-?us|\bre-?allocat|\bre-?issu|\bre-?cycl|\bnever\b"
    r"|\bsequen|\bUUID|\bGUID|\brandom|\bhash|\bconflict|\bonce\b|\btwice\b|\bonly one\b|\bat most one\b|\bno two\b"
    r"|\b(?:two|several|different|other|another|second|both) (?:\w+ )?(?:resources?|objects?|things?|items?|names?|works?) (?:\w+ ){0,3}"
    r"(?:same|one)\b|\bthe same (?:name|number|identifier|string|code|value|NSS|URN|one)\b|\balready (?:\w+ )?(?:assigned|taken|used"
    r"|in use|exists?|issued|registered|given|allocated|held|has)\b|\bnext (?:free|available|unused|number|integer|value)\b|\bfree number"
    r"|\bcounter\b|\bconsecutive|\bsuccessive|\bserial\b|\bincrement|\bascending\b|\bdistinct|\bdisjoint|\b(?:non-?)?overlap"
    r"|\bown (?:range|block|prefix|part|set)\b|\bsingle (?:register|registry|list|database|authority|source)\b|\bregister of\b"
    r"|\b(?:in|into|against|the) (?:\w+ ){0,2}Register\b|\bkeeps? (?:a|one|the) (?:\w+ ){0,2}(?:list|register|registry|record|database)\b"
    r"|\bretired?\b|\bwithdrawn (?:names?|numbers?|identifiers?)\b|\bone-to-one\b|\bexactly one\b|\bexists? already\b|\bagain\b"
    r"|\bsecond (?:entry|time|name|number)\b|\bchecks? (?:that|whether|if)\b|\bprimary key\b|\bdigest\b|\bchecksum of\b",
    re.IGNORECASE,
)
# “Described in Section 3 of the reference manual.”, “See ISO 2108.”: a text that only names another document.
ELSEWHERE = re.compile(
    r"\W*(?:(?:this|it|assignment|the (?:process|procedure|rules)(?: (?:of|for) \w+)?) (?:is|are) )?"
    r"(?:(?:described|defined|specified|explained|documented|laid down|given) (?:in|by)|see)\b",
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


# “xxx” in “bdxxx.html, where xxx is the tag” and in “xxxx-xxxx”, in contrast to “RFC XXXX”.
_VARIABLE = re.compile(r"[Xx]{3,}")
_EXPLAINED = re.compile(
    r"\b([Xx]{3,})[\"'>\u201d]?,?\s+(?:(?:is|are|stands?|denotes?|represents?|means?|identif\w+|being)\b|=)"
)
_PART_OF_PATTERN_BEFORE = re.compile(r"[\w/:<{\[\"'=_-]$")
_PART_OF_PATTERN_AFTER = re.compile(r"[/:>}\]\"'=_-]|\.\w")
SCOPE = re.compile(
    r"(?:(?:[0-9.]+ +)?(?:the )?(?:namespace )?scope(?: of (?:the|this) namespace)?(?: and applicability)?(?::| is)?\s*"
    r"(?:[\w-]+ ){0,4}(?:global|local|international|national|worldwide|regional|private|public|internet)\b"
    r"|global|local|international|national|worldwide)(?: (?:in )?scope)?\.?",
    re.IGNORECASE,
)
STRUCTURE = re.compile(
    r"::?=|=/|[A-Za-z>]\s*=\s|[<{\[][\w .-]+[>}\]]|\burn:[a-z0-9-]+:|\bopaque\b|\b[AE]?BNF\b|\bregular expression"
    r"|\bdigits?\b|\bletters?\b|\bcharacters?\b|\bstrings?\b|\bstructured?\b|\bgrammar\b|\bhexadecimal\b|\bnumbers?\b"
    r"|\bprefix|\bsuffix|\bdelimit|\bseparat|\bconsists?\b|\bcomposed\b|\bhierarch|\bhyphen|\bcolons?\b|\bwords?\b"
    r"|\bUUIDs?\b|\bfields?\b|\bcomponents? of the NSS\b|\bISO[ -]?[0-9]|\bRFC ?[0-9]",
    re.IGNORECASE,
)
_NAME = r"[0-9]{1,2}(?:\.[0-9]{1,2}){0,4}"
SECTION_REFERENCE = re.compile(
    rf"\b[Ss]ections?\s+({_NAME}(?:(?:,?\s+(?:and|or|to)\s+|,\s*|[-\u2013]){_NAME})*)(?![\w-]|\.[0-9])"
)
SECTION_NUMBER = re.compile(_NAME)
NUMBERED_LINE = re.compile(rf"(?m)^[ \t]*({_NAME})\.?[ \t]+[A-Z]")
OTHER_DOCUMENT = re.compile(
    r"\[[^\[\]]+\]|\bRFC|\bISO\b|\bIEC\b|https?:|\bstandard|\bspecification|\bdocument|\bmanual|\bguide|\breport\b"
    r"|\bregulation|\bdirective|\bact\b|\blaw\b|\bdraft|\bpolicy|\bpart [0-9]|\bRecommendation\b|\bhandbook|[\u201c\"]"
    r"|\b(?:of|in|from)\s+(?:the\s+)?(?-i:[A-Z])",
    re.IGNORECASE,
)
SENTENCE = re.compile(r"(?:[^.!?\n]|[.!?](?!\s)|[.!?](?=\s+[a-z(\[])|\n(?![^\S\n]*\n))+[.!?]?")
THIS_DOCUMENT = re.compile(r"\b(?:of|in) this (?:document|RFC|memo|specification|draft)\b", re.IGNORECASE)
ABOUT_UNICODE = re.compile(
    r"\bno\b|\bnot\b|\bnone\b|\bnever\b|\bnor\b|\bonly ASCII\b|\bASCII(?:[- ]only| characters only)\b|\bwithout\b|\bexclud"
    r"|\bforbid|\bdisallow|\bprohibit|\bavoid|\bunlike\b|\bother (?:namespaces?|systems?|schemes?)\b|\bdomain names\b"
    r"|\bUnicode (?:Consortium|Standard|Technical)|\b(?:files?|documents?|texts?|content|titles?|labels?)\b[^.]{0,40}\b(?:is|are)\b",
    re.IGNORECASE,
)
_COMPARISON = re.compile(
    r"\bunlike\b|\bsimilar|\bother (?:urn )?(?:namespaces?|identifiers?|schemes?)\b|\bcompar|\bexisting\b|\bin contrast\b"
    r"|\bdiffer|\brelate[sd]?\b|\brelation|\bcorrespond|\binstead of\b|\brather than\b|\balready\b|\balternative|\boverlap",
    re.IGNORECASE,
)


def find_placeholders(text: str) -> set[str]:
    """The placeholders in a text, without “xxx” that is part of a pattern or is explained in the text."""
    explained = {match[1] for match in _EXPLAINED.finditer(text)}
    return {
        match[0]
        for match in _PLACEHOLDER.finditer(text)
        if match[0] not in explained and not _is_part_of_pattern(text, match)
    }


def _is_part_of_pattern(text: str, word: re.Match[str]) -> bool:
    before, after = text[max(0, word.start() - 1) : word.start()], text[word.end() : word.end() + 2]
    is_next_to_others = _PART_OF_PATTERN_BEFORE.search(before) or _PART_OF_PATTERN_AFTER.match(after)
    return bool(is_next_to_others and _VARIABLE.fullmatch(word[0]))


def has_no_substance(text: str) -> bool:
    """Whether a text is empty, or contains only words such as “none” or “not applicable”."""
    return not text or _NOTHING.fullmatch(text) is not None


def is_to_do(text: str) -> bool:
    """Whether a text contains only a placeholder, such as “TBD”, or only punctuation."""
    words = _without_punctuation_around(text)
    return bool(text) and (not words or _TO_DO.fullmatch(words) is not None)


def _without_punctuation_around(text: str) -> str:
    """In linear time, which a pattern that ends in the punctuation would not take."""
    first = _WORD_CHARACTER.search(text)
    if first is None:
        return ""
    last = _WORD_CHARACTER.search(text[::-1])
    return text[first.start() : len(text) - (last.start() if last else 0)]


def has_no_documentation(text: str) -> bool:
    """Whether a text contains only a sentence such as “There is no external documentation”."""
    return has_no_substance(text) or _NO_DOCUMENTATION.fullmatch(" ".join(text.split())) is not None


def find_comparisons(text: str) -> Iterator[str]:
    """The sentences that compare the namespace with others."""
    sentences = (match[0] for match in SENTENCE.finditer(text))
    return (each for each in sentences if _COMPARISON.search(each))
