"""Whether the identifier that a template asks for can be assigned, and whether it is well chosen."""

from collections.abc import Iterator

from registry.registration_template.checks.findings import CheckContext, Finding, advice, blocking
from registry.registration_template.checks.lookalikes import find_lookalikes
from urnsyntax.nid import NIDKind, classify

_KEY = "namespace_identifier"


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
        yield blocking(_KEY, "missing", "Namespace Identifier is empty. Name the namespace that is revised.")
    elif revised and nid != revised:
        yield blocking(
            _KEY, "other-namespace", f"This revises {revised}, not {nid}. A namespace keeps its identifier."
        )


def _check_informal(context: CheckContext) -> Iterator[Finding]:
    nid = context.template.namespace_identifier
    if not nid:
        return
    if classify(nid).kind is NIDKind.INFORMAL:
        message = (
            f"The registry assigns the next number, which need not be {nid}. Leave the identifier empty."
        )
        yield advice(_KEY, "assigned-by-registry", message, _INFORMAL)
    else:
        message = f"An informal namespace can't ask for {nid}: the registry assigns “urn-N”. Leave it empty."
        yield blocking(_KEY, "not-informal", message, _INFORMAL)


def _check_formal(context: CheckContext) -> Iterator[Finding]:
    nid = context.template.namespace_identifier
    if not nid:
        yield blocking(
            _KEY, "missing", "Namespace Identifier is empty. Write the identifier that you ask for."
        )
        return
    status = classify(nid)
    if status.kind is NIDKind.MALFORMED:
        message = f"{status.reason} Choose another identifier."
        yield blocking(_KEY, "malformed", message, _cite(status.section))
        return
    if not status.is_registrable:
        yield blocking(_KEY, "not-registrable", f"{status.reason} Choose another.", _cite(status.section))
    elif nid in context.reference_data.registered_nids:
        yield blocking(_KEY, "registered", f"{nid} is registered already. Choose another identifier.")
    yield from _advise(context, nid)


def _advise(context: CheckContext, nid: str) -> Iterator[Finding]:
    around = context.reference_data
    if nid.upper() in around.country_codes or nid in around.country_codes:
        message = (
            f"{nid} is a country's code (ISO 3166-1 alpha-3). Choose another, or say why it can't be misread."
        )
        yield advice(_KEY, "country-code", message)
    if nid in around.uri_schemes:
        message = f"{nid} is a URI scheme as well. Choose another, or say how the two belong together."
        yield advice(_KEY, "uri-scheme", message)
    if nid in around.requested_nids:
        message = (
            f"{nid} is asked for in another open registration. Agree with its registrant, or choose another."
        )
        yield advice(_KEY, "requested", message, "RFC 8141, Section 6.2")
    for known, what in ((around.registered_nids, "registered"), (around.requested_nids, "requested")):
        for other in find_lookalikes(nid, known):
            message = f"{nid} looks like the {what} {other.nid}: it {other.reason}. Is it distinct enough?"
            yield advice(_KEY, "lookalike", message)


def _cite(section: str) -> str:
    return section if section.startswith("RFC") else f"RFC 8141, Section {section}"


_INFORMAL = "RFC 8141, Section 5.2"
