"""Advice on the criteria of RFC 8141, Section 5.1, for an organisation that assigns names in a formal namespace.

They are questions: only a person can tell whether a text answers them. Whether the organisation is competent (2) gets no
finding; decision 30 has the reason.
"""

import re
from collections.abc import Iterator

from registry.core.shortening import shortened
from registry.registration_template.checks.findings import CheckContext, Finding, advice
from registry.registration_template.checks.text_patterns import ELSEWHERE, has_no_substance
from registry.registration_template.sections import TEXT_SECTIONS

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
