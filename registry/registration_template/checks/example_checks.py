"""Checks of the example URNs in a template: syntax, namespace and naming rules."""

from collections.abc import Iterator

from registry.registration_template.checks.examples import Example, find_examples
from registry.registration_template.checks.findings import CheckContext, Finding, Severity, advice, blocking
from registry.registration_template.sections import SECTIONS
from urnsyntax import URN, InvalidURN

SECTIONS_WITH_EXAMPLES = tuple(each.key for each in SECTIONS if each.has_examples)


def check_examples(context: CheckContext) -> Iterator[Finding]:
    """Findings on examples. Advice about an identifier is given once per section."""
    for key in SECTIONS_WITH_EXAMPLES:
        advised = set()
        for example in find_examples(getattr(context.template, key)):
            finding = _check_example(context, key, example)
            if finding is None or (finding.severity is Severity.ADVICE and example.nid in advised):
                continue
            advised.add(example.nid)
            yield finding


def _check_example(context: CheckContext, key: str, example: Example) -> Finding | None:
    own = context.template.namespace_identifier
    if example.error is not None:
        return _refuse_malformed(key, example.text, example.error)
    if example.urn is None or not own:
        return None
    if example.nid == own:
        return _check_rule(context, key, example.urn)
    if example.is_placeholder:
        message = f"The example “{example.text}” contains a placeholder. Replace it with {own}."
        return advice(key, "example-placeholder", message)
    if example.nid not in context.reference_data.registered_nids:
        message = (
            f"The example “{example.text}” has another identifier, {example.nid}. Use {own}, or remove it."
        )
        return advice(key, "example-of-other-namespace", message)
    return None


def _refuse_malformed(key: str, text: str, error: InvalidURN) -> Finding:
    message = (
        f"The example “{text}” is not a valid URN: at position {error.position}, {error.reason}. Correct it."
    )
    return blocking(key, "example-malformed", message, f"{error.document}, Section {error.section}")


def _check_rule(context: CheckContext, key: str, urn: URN) -> Finding | None:
    rule = context.reference_data.example_rule
    reason = rule(urn) if rule else None
    if reason is None:
        return None
    message = (
        f"The example “{urn}” does not follow the rules of the namespace: {reason}. Correct it. "
        "If the revision allows such names, first ask an administrator to change the rules."
    )
    return blocking(key, "example-breaks-rule", message)
