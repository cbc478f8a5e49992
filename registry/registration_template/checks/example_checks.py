"""Checks of the example URNs in a template: syntax, namespace and its grammar."""

import re
from collections import Counter
from collections.abc import Iterator

from registry.core.shortening import shortened
from registry.registration_template.checks.examples import Example, find_examples
from registry.registration_template.checks.findings import CheckContext, Finding, Severity, advice, blocking
from registry.registration_template.checks.text_patterns import find_comparisons
from registry.registration_template.sections import SECTIONS
from urnsyntax import URN, InvalidURN

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
