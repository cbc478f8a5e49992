"""All checks of a template (RFC 8141, Sections 2, 5 and 6, and Appendix A)."""

from collections.abc import Callable, Iterator

from registry.registration_template.checks.advice import ADVICE_CHECKS
from registry.registration_template.checks.examples import (
    check_examples,
    check_identifier,
    check_origin_of_examples,
)
from registry.registration_template.checks.findings import CheckContext, Finding, ReferenceData, Severity
from registry.registration_template.checks.sections import (
    check_contact_details,
    check_date,
    check_former_contact,
    check_registrant,
    check_required_sections,
    check_version,
)
from registry.registration_template.sections import SECTIONS, Kind
from registry.registration_template.template import RegistrationTemplate

_CHECKS: tuple[Callable[[CheckContext], Iterator[Finding]], ...] = (
    check_identifier,
    check_version,
    check_date,
    check_registrant,
    check_contact_details,
    check_former_contact,
    check_required_sections,
    check_examples,
    check_origin_of_examples,
    *ADVICE_CHECKS,
)


def check_template(
    template: RegistrationTemplate,
    *,
    kind: Kind,
    fast_track: bool = False,
    is_revision: bool = False,
    reference_data: ReferenceData | None = None,
    older_form: bool = False,
) -> tuple[Finding, ...]:
    """The findings on a template, in the order of its sections.

    `older_form` is for texts in the form of RFC 3406: the sections that RFC 8141 added are then only advised. A request
    for a registration is always checked by RFC 8141.
    """
    context = CheckContext(
        template, kind, fast_track, is_revision, reference_data or ReferenceData(), older_form
    )
    found = [finding for check_one in _CHECKS for finding in check_one(context)]
    order = [section.key for section in SECTIONS]
    return tuple(
        sorted(found, key=lambda each: (order.index(each.section), each.severity is Severity.ADVICE))
    )
