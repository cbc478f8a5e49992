"""Checks of the identifier and of the example URNs in a template: syntax, namespace and its grammar.

Patterns such as ``urn:example:{id}`` and ``urn:example:<id>``, and mentions such as ``urn:example:``, are not examples. For a formal
namespace, the identifier is checked by the NID report.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from registry.core.validators import shortened
from registry.registration_template.checks.findings import CheckContext, Finding, Severity, advice, blocking
from registry.registration_template.checks.wording import find_comparisons
from registry.registration_template.nids.report import report_on
from registry.registration_template.nids.rules import KnownNIDs, NIDAvailability
from registry.registration_template.sections import SECTIONS
from urnsyntax import URN, InvalidURN
from urnsyntax.nid import NIDKind, classify

_KEY = "namespace_identifier"
_INFORMAL = "RFC 8141, Section 5.2"


def check_identifier(context: CheckContext) -> Iterator[Finding]:
    """The rules of Sections 2.1, 5.1 and 5.2."""
    if context.is_revision:
        yield from _check_revised(context)
    elif context.kind == "informal":
        yield from _check_informal(context)
    else:
        yield from _check_formal(context)


def _check_revised(context: CheckContext) -> Iterator[Finding]:
    nid, revised = context.template.namespace_identifier, context.reference_data.revised_nid
    if not nid:
        yield blocking(
            _KEY, "missing", "Namespace Identifier is empty. Enter the identifier of the revised namespace."
        )
    elif revised and nid != revised:
        yield blocking(
            _KEY,
            "other-namespace",
            f"This is a revision of {revised}, not {shortened(nid)}. Enter {revised}: identifiers never change.",
        )


def _check_informal(context: CheckContext) -> Iterator[Finding]:
    nid = context.template.namespace_identifier
    if not nid:
        return
    if classify(nid).kind is NIDKind.INFORMAL:
        message = (
            f"The registry assigns the next number, which can differ from {nid}. Leave the identifier empty."
        )
        yield advice(_KEY, "assigned-by-registry", message, _INFORMAL)
    else:
        message = (
            f"{shortened(nid)} can't be the identifier of an informal namespace: the registry assigns “urn-N”. "
            "Leave the identifier empty."
        )
        yield blocking(_KEY, "not-informal", message, _INFORMAL)


def _check_formal(context: CheckContext) -> Iterator[Finding]:
    nid = context.template.namespace_identifier
    if not nid:
        yield blocking(
            _KEY, "missing", "Namespace Identifier is empty. Enter the identifier that you request."
        )
        return
    report = context.reference_data.nid_report or report_on(nid, KnownNIDs())
    if report.status is not NIDAvailability.FREE:
        make = advice if report.status.is_requestable else blocking
        yield make(_KEY, report.finding.code, report.finding.message, report.finding.reference)
    for found in report.resembles:
        yield advice(_KEY, found.code, found.message, found.reference)


_CANDIDATE = re.compile(r"(?<![A-Za-z0-9+./?=&%_-])urn:[^\s\"\u201c\u201d\u2018\u2019`«»]*", re.IGNORECASE)
_PATTERN = re.compile(r"[{}<>\[\]|\\*…]|\.\.\.")
_CLOSERS = {")": "(", "]": "[", "}": "{", ">": "<"}

PLACEHOLDER_NIDS = frozenset(
    {"assigned", "assignednid", "assigned-nid", "nid", "your-nid", "yournid", "namespace", "example", "tbd"}
    | {"todo", "xxx", "xxxx", "urn-n", "urn-x", "urn-nn", "urn-xx", "urn-nnn", "urn-xxx"}
)
_MAX_LENGTH = 2000


@dataclass(frozen=True, slots=True)
class Example:
    """One URN in a text, or a malformed one."""

    text: str
    urn: URN | None
    error: InvalidURN | None

    @property
    def nid(self) -> str:
        """The NID, or the text in its place, in lower case."""
        return self.urn.nid.lower() if self.urn else self.text.split(":", 2)[1].lower()

    @property
    def is_placeholder(self) -> bool:
        return self.nid in PLACEHOLDER_NIDS


def find_examples(text: str) -> Iterator[Example]:
    """The examples in a text, without duplicates, in order."""
    seen = set()
    for match in _CANDIDATE.finditer(text):
        candidate = _candidate_in(match)
        if candidate in seen or not _is_example(candidate):
            continue
        seen.add(candidate)
        yield _parse_candidate(candidate)


def without_examples(text: str, condition: Callable[[Example], bool]) -> str:
    """The text without the examples that meet a condition."""

    def _replacement(match: re.Match[str]) -> str:
        candidate = _candidate_in(match)
        if _is_example(candidate) and condition(_parse_candidate(candidate)):
            return match[0].removeprefix(candidate)
        return match[0]

    return _CANDIDATE.sub(_replacement, text)


def _candidate_in(match: re.Match[str]) -> str:
    if len(match[0]) > _MAX_LENGTH:
        return ""
    return _trim(match[0], match.string[max(0, match.start() - 1) : match.start()])


def _trim(candidate: str, before: str) -> str:
    """The candidate without the punctuation of the surrounding sentence."""
    if before == "'":
        candidate = candidate.split("'", 1)[0]
    while candidate:
        last = candidate[-1]
        opener = _CLOSERS.get(last)
        is_unopened = opener is not None and candidate.count(last) > candidate.count(opener)
        if last not in ".,;:!?'" and not is_unopened:
            break
        candidate = candidate[:-1]
    return candidate


def _is_example(candidate: str) -> bool:
    nss = candidate.split(":", 2)[2:]
    return any(nss) and not _PATTERN.search(candidate)


def _parse_candidate(candidate: str) -> Example:
    try:
        return Example(candidate, URN.parse(candidate), None)
    except InvalidURN as error:
        return Example(candidate, None, error)


MAX_FINDINGS = 20  # of one severity, in one section
_NUMBERED = re.compile("urn-[0-9]+")
SECTIONS_WITH_EXAMPLES = tuple(each.key for each in SECTIONS if each.has_examples)


def check_examples(context: CheckContext) -> Iterator[Finding]:
    """The first findings of each severity. Advice about an identifier is given once per section."""
    for key in SECTIONS_WITH_EXAMPLES:
        text = getattr(context.template, key)
        compared = {each.text for sentence in find_comparisons(text) for each in find_examples(sentence)}
        advised, found = set(), Counter[Severity]()
        for example in find_examples(text):
            finding = _check_example(context, key, example, is_compared=example.text in compared)
            if finding is None or (finding.severity is Severity.ADVICE and example.nid in advised):
                continue
            advised.add(example.nid)
            found[finding.severity] += 1
            if found[finding.severity] <= MAX_FINDINGS:
                yield finding


def check_origin_of_examples(context: CheckContext) -> Iterator[Finding]:
    """A text whose examples are all of other registered namespaces was probably written for one of them."""
    own, registered = context.template.namespace_identifier, context.reference_data.registered_nids
    by_section = {
        key: {example.nid for example in find_examples(getattr(context.template, key))}
        for key in SECTIONS_WITH_EXAMPLES
    }
    nids = set[str]().union(*by_section.values())
    if not own or own in nids or not nids & registered:
        return
    key = next(key for key, found in reversed(by_section.items()) if found & registered)
    listed = " and ".join(sorted(nids & registered))
    message = f"All examples use {listed}; none uses {own}. Check that the text was written for {own}."
    yield advice(key, "examples-of-other-namespaces", message)


def _check_example(context: CheckContext, key: str, example: Example, *, is_compared: bool) -> Finding | None:
    own = context.template.namespace_identifier
    if example.error is not None:
        return _refuse_malformed(key, example.text, example.error)
    if example.urn is None:
        return None
    if context.kind == "informal" and _NUMBERED.fullmatch(example.nid) and example.nid != own:
        return None if is_compared else _refuse_other_number(key, example, own)
    if not own:
        return None
    if example.nid == own:
        return _check_rule(context, key, example.urn)
    if example.is_placeholder:
        message = f"The example “{shortened(example.text)}” contains a placeholder. Replace it with {own}."
        return advice(key, "example-placeholder", message)
    is_registered = example.nid in context.reference_data.registered_nids
    if not is_registered and not is_compared:
        text, nid = shortened(example.text), shortened(example.nid)
        message = f"The example “{text}” has another identifier, {nid}. Use {own}, or remove it."
        return advice(key, "example-of-other-namespace", message)
    return None


def _refuse_other_number(key: str, example: Example, own: str) -> Finding:
    instead = f"Use {own}." if own else "Write urn-N: the assigned number takes its place."
    message = f"The example “{shortened(example.text)}” has the number of another namespace. {instead}"
    return blocking(key, "example-of-other-number", message, "RFC 8141, Section 5.2")


def _refuse_malformed(key: str, text: str, error: InvalidURN) -> Finding:
    shown, place = shortened(text), f"at character {error.position + 1}, {error.reason}"
    message = f"The example “{shown}” is not a valid URN: {place}. Correct it."
    return blocking(key, "example-malformed", message, f"{error.document}, Section {error.section}")


def _check_rule(context: CheckContext, key: str, urn: URN) -> Finding | None:
    rule = context.reference_data.example_rule
    reason = rule(urn) if rule else ""
    if not reason:
        return None
    message = (
        f"The example “{shortened(str(urn))}” does not follow the rules of the namespace: {reason} Correct it. "
        "If the revision allows such names, propose another grammar, or first ask an administrator to change the profile."
    )
    return blocking(key, "example-breaks-rule", message)
