"""Advice about texts that do not describe what the RFC asks for, by patterns of words.

Advice on the criteria of RFC 8141, Section 5.1, for an organisation that assigns names in a formal namespace, consists of
questions: only a person can tell whether a text answers them. Whether the organisation is competent (2) gets no finding; decision 30 has the reason.
"""

import re
from collections.abc import Iterator

from registry.core.validators import first_of, shortened
from registry.registration_template.checks.findings import CheckContext, Finding, advice
from registry.registration_template.sections import SECTION_BY_KEY, TEXT_SECTIONS

_NOTHING = re.compile(
    r"(?:none|nothing|nil|n/?a|not applicable|[-\u2013\u2014.]+)\.?(?: \([^)]*\))?\.?", re.IGNORECASE
)
_NOT_APPLICABLE = re.compile(r"(?:n/?a|not applicable)\.?", re.IGNORECASE)
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


def is_not_applicable(text: str) -> bool:
    """Whether a text contains only “N/A” or “not applicable”, which does not even say “none”."""
    return _NOT_APPLICABLE.fullmatch(text) is not None


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


_SHORT_PURPOSE = 60


def advise_purpose(context: CheckContext) -> Iterator[Finding]:
    """Purpose describes the resources, users and benefits, not only the scope (Section 6.4.1)."""
    text = " ".join(context.template.purpose.split())
    if has_no_substance(text):
        return
    if SCOPE.fullmatch(text):
        message = (
            f"Purpose contains only the scope: “{shortened(text)}”. Add the resources, users and benefits."
        )
        yield advice("purpose", "only-scope", message)
    elif len(text) < _SHORT_PURPOSE:
        message = (
            f"Purpose has only {len(text)} characters. Describe the resources, their users and the benefits."
        )
        yield advice("purpose", "too-short", message)


def advise_structure(context: CheckContext) -> Iterator[Finding]:
    """Syntax describes the structure of a name, or states that names are opaque (Section 6.4.2)."""
    text = context.template.syntax
    if not has_no_substance(text) and not STRUCTURE.search(text):
        message = "Syntax does not describe the structure of a name. Give a grammar, or state that names are opaque."
        yield advice("syntax", "no-structure", message, "RFC 8141, Section 6.4.2 (1)")


def advise_section_references(context: CheckContext) -> Iterator[Finding]:
    """A template can be read without the document from which it was taken (Section 6.2)."""
    texts = {
        key: getattr(context.template, key)
        for key in TEXT_SECTIONS
        if not SECTION_BY_KEY[key].is_change_history
    }
    own = {match[1] for text in texts.values() for match in NUMBERED_LINE.finditer(text)}
    for key, text in texts.items():
        missing = sorted(_referenced_sections(text) - own)
        if missing:
            noun, verb = ("Section", "is") if len(missing) == 1 else ("Sections", "are")
            message = (
                f"{SECTION_BY_KEY[key].title} refers to {noun} {first_of(missing)}, which {verb} not in the template. "
                "Name the document, or include the text."
            )
            yield advice(key, "section-not-found", message, "RFC 8141, Section 6.2")


def _referenced_sections(text: str) -> set[str]:
    """The numbers in “see Section 4.2”, from sentences that mention no other document."""
    return {
        number
        for sentence in SENTENCE.finditer(text)
        if not OTHER_DOCUMENT.search(THIS_DOCUMENT.sub(" ", SECTION_REFERENCE.sub(" ", sentence[0])))
        for match in SECTION_REFERENCE.finditer(sentence[0])
        for number in SECTION_NUMBER.findall(match[1])
    }


# The older form has sections with these titles, also where their texts say nothing about it.
_HEADING = re.compile(r"\bpersistence considerations\b|\bidentifier persistence:", re.IGNORECASE)
_IS_PERMANENT = re.compile(
    r"\bre-?(?:assign|allocat|issu|cycl)|\b(?:not?|never|nor|neither|cannot|without|isn['\u2019]t|aren['\u2019]t) (?:[\w-]+ ){0,5}"
    r"(?:re-?us|second time|twice|again\b|withdrawn|removed|deleted|expires?\b)|\bpersisten(?:ce|cy) of\b|\blong[- ]term stab"
    r"|\b(?:remain|stay|continue|keep)s?(?: to be)? (?:\w+ ){0,3}(?:valid|usable|reserved|listed|assigned)\b|\bvalid (?:indefinitely|forever)\b"
    r"|\bfor all time\b|\bforever\b|\bfor ever\b|\bin perpetuity\b|\bpermanently (?:\w+ )?(?:assigned|linked|bound|reserved|valid)\b",
    re.IGNORECASE,
)
# In Assignment, fewer words are enough. Random names, digests and counters do not come again.
_IS_PERMANENT_IN_ASSIGNMENT = re.compile(
    r"\bpersist|\bpermanen|\bnever\b|\bonce\b|\btwice\b|\bagain\b|\bretire|\bindefinite|\bperpetu|\bimmutab|\bunchang|\bover time\b"
    r"|\blife-?(?:time|cycle)|\blong[- ](?:term|lived)\b|\bkeeps? (?:its|their|the(?: same)?|that) (?:name|number|code|identifier)"
    r"|\b(?:stay|remain)s? (?:in|on|with|valid|the same)\b|\bold (?:names?|numbers?|codes?|identifiers?|URNs?)\b|\btombstone"
    r"|\bUUIDs?\b|\brandom|\bhash|\bdigest\b|\balgorithm|\bcounter\b|\bsequen|\bconsecutive|\bincrement|\bnext (?:\w+ )?number\b",
    re.IGNORECASE,
)
# Companies, by their legal form, and projects. The names of other organisations don't tell that they may end.
_COMPANY = re.compile(
    r"\b(?:LLC|L\.L\.C\.|LLP|Inc|Incorporated|Ltd|Limited|plc|PLC|Corp|Corporation|Company|GmbH|UG|AG|KG|AB|ApS|A/S|Oyj?|B\.?V\.|N\.V\."
    r"|BV|NV|S\.A\.|SAS|SARL|S\.r\.l\.|SRL|S\.p\.A\.|SpA|Pty|Pte|K\.K\.|[Pp]roject|Working Group|[Ii]nitiative|[Ss]tart-?up)(?!\w)"
)
_HAS_SUCCESSOR = re.compile(
    r"\bsuccess(?:ors?|ion)\b|\bsubstitute\b|\btak(?:e|es|en|ing) (?:\w+ ){0,3}over\b|\bcustodian|\btrustee|\bescrow|\bbackup\b|\bmirror|\bdeposit"
    r"|\btransfer(?:s|red)? (?:\w+ ){0,3}to\b|\b(?:hand|pass)(?:s|es|ed)? (?:\w+ ){0,3}(?:over|on|to)\b|\barchive services\b"
    r"|\bceas|\bdissol|\bwound up\b|\bbankrupt|\binsolven|\bliquidat|\bmerge|\bacqui(?:red|sition)|\bout of (?:operation|business)\b"
    r"|\b(?:organi[sz]ational|corporate|standards) (?:or \w+ )?(?:changes?|restructuring)"
    r"|\b(?:project|company|organi[sz]ation|firm|business|group) (?:\w+ ){0,2}(?:ends?|closes?|stops?|fails?|disappears?)\b"
    r"|\b(?:can ?not|can['\u2019]t|no longer|unable to) (?:\w+ ){0,2}(?:maintain|continue|exist|operate|assign|run)",
    re.IGNORECASE,
)
_IS_STABLE = re.compile(
    r"\blong[- ](?:term|time|standing|lived)\b|\bover time\b|\bstability\b|\bdurab|\bin perpetuity\b|\bindefinite|\bfor all time\b|\bvalid for\b"
    r"|\bendow|\btrust fund\b|\bstatut|\bby law\b|\bgovernment[- ](?:sponsored|funded|owned|run)\b"
    r"|\b(?:established|founded|incorporated|operating|active|maintained|assigned) (?:\w+ ){0,3}(?:[12][0-9]{3}\b|by law\b|over\b)"
    r"|\bsince (?:the )?(?:early |late )?[12][0-9]{3}|\b(?:[0-9]+|ten|twenty|thirty|forty|fifty|many|several) years\b|\bdecades?\b"
    r"|\bcommit(?:s|ted|ment)? (?:\w+ ){0,2}to (?:\w+ ){0,2}(?:maintain|persist|avail|access)"
    r"|\b(?:maintain|ensur|guarante)\w* (?:the )?(?:\w+ and )?(?:accessibility|availability|persistence)\b",
    re.IGNORECASE,
)


def advise_permanence(context: CheckContext) -> Iterator[Finding]:
    """A commitment not to reassign names, and to keep old names valid (Section 5.1 (3))."""
    assignment = _HEADING.sub(" ", _one_line(context.template.assignment))
    if context.kind == "informal" or has_no_substance(assignment) or ELSEWHERE.match(assignment):
        return
    if not _IS_PERMANENT_IN_ASSIGNMENT.search(assignment) and not _IS_PERMANENT.search(_all_texts(context)):
        message = "Does the text say that a name is never reassigned, and stays valid when its holder or resource is gone?"
        yield advice("assignment", "permanence-not-stated", message, "RFC 8141, Section 5.1 (3)")


def advise_continuity(context: CheckContext) -> Iterator[Finding]:
    """How the namespace continues without an organisation that shows no stability (Section 5.1 (1)).

    The fast track is for recognised bodies, so their stability is not asked for.
    """
    assignment, organization = context.template.assignment, context.template.registrant.organization
    if context.kind == "informal" or context.fast_track or not _COMPANY.search(organization):
        return
    if has_no_substance(assignment) or ELSEWHERE.match(_one_line(assignment)):
        return
    texts = f"{_one_line(context.template.registrant.other)}\n{_all_texts(context)}"
    if not _HAS_SUCCESSOR.search(texts) and not _IS_STABLE.search(texts):
        message = f"Does the text say how the namespace continues if {shortened(organization)} can no longer maintain it?"
        yield advice("assignment", "continuity-not-stated", message, "RFC 8141, Section 5.1 (1)")


def _all_texts(context: CheckContext) -> str:
    texts = (_one_line(getattr(context.template, key)) for key in TEXT_SECTIONS)
    return _HEADING.sub(" ", "\n".join(texts))


def _one_line(text: str) -> str:
    return " ".join(text.split())
