"""Whether the URNs that a template gives as examples are URNs, and URNs of its namespace."""

from collections.abc import Iterator

from registry.registration_template.checks.examples import Example, find_examples
from registry.registration_template.checks.findings import CheckContext, Finding, Severity, advice, blocking
from registry.registration_template.sections import SECTIONS
from urnsyntax import URN, InvalidURN

SECTIONS_WITH_EXAMPLES = tuple(each.key for each in SECTIONS if each.has_examples)


def check_examples(context: CheckContext) -> Iterator[Finding]:
    """Every example that is wrong; advice on examples with one identifier is given once a section."""
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
        message = f"The example “{example.text}” has a placeholder for the identifier. Put {own} there."
        return advice(key, "example-placeholder", message)
    if example.nid not in context.reference_data.registered_nids:
        message = f"The example “{example.text}” belongs to another namespace, {example.nid}. Is {own} meant?"
        return advice(key, "example-of-other-namespace", message)
    return None


def _refuse_malformed(key: str, text: str, error: InvalidURN) -> Finding:
    message = f"The example “{text}” is no URN: at position {error.position}, {error.reason}. Correct it."
    return blocking(key, "example-malformed", message, f"{error.document}, Section {error.section}")


def _check_rule(context: CheckContext, key: str, urn: URN) -> Finding | None:
    rule = context.reference_data.example_rule
    reason = rule(urn) if rule else None
    if reason is None:
        return None
    message = (
        f"The example “{urn}” breaks the namespace's rule: {reason}. Correct it; or if the revision is to allow such "
        "names, ask an administrator to set other rules first."
    )
    return blocking(key, "example-breaks-rule", message)
