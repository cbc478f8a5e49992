"""Checks of the section Namespace Identifier. For a formal namespace they use the NID report."""

from collections.abc import Iterator

from registry.core.shortening import shortened
from registry.registration_template.checks.findings import CheckContext, Finding, advice, blocking
from registry.registration_template.nids.findings import KnownNIDs, NIDAvailability
from registry.registration_template.nids.report import report_on
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
