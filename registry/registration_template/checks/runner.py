"""Whether a template is complete and sound (RFC 8141, Sections 2, 5 and 6, and Appendix A)."""

import re
from collections.abc import Callable, Iterator
from datetime import date

from registry.registration_template.checks.advice import ADVICE_CHECKS
from registry.registration_template.checks.example_checks import check_examples
from registry.registration_template.checks.findings import (
    CheckContext,
    Finding,
    ReferenceData,
    Severity,
    advice,
    blocking,
)
from registry.registration_template.checks.identifier_checks import check_identifier
from registry.registration_template.checks.text_patterns import has_no_substance
from registry.registration_template.sections import SECTIONS, Kind
from registry.registration_template.template import TEXT_SECTIONS, Registrant, RegistrationTemplate

_ISO_DATE = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
_WAY_TO_CONTACT = re.compile(
    r"[^\s@&]{1,64}(?:[@&]| at )[^\s@&]{1,255}\.[A-Za-z]{2,}|\+?[0-9][0-9 ().-]{7,30}[0-9]"
)
_WORD = re.compile(r"\w{2,}")
_WEB_ADDRESS = re.compile(r"https?://\w", re.IGNORECASE)


def check_template(
    template: RegistrationTemplate,
    *,
    kind: Kind,
    fast_track: bool = False,
    is_revision: bool = False,
    reference_data: ReferenceData | None = None,
) -> tuple[Finding, ...]:
    """Everything that is wrong with a template or could be better, in the order of the template."""
    context = CheckContext(template, kind, fast_track, is_revision, reference_data or ReferenceData())
    found = [finding for check_one in _CHECKS for finding in check_one(context)]
    order = [section.key for section in SECTIONS]
    return tuple(
        sorted(found, key=lambda each: (order.index(each.section), each.severity is Severity.ADVICE))
    )


def check_version(context: CheckContext) -> Iterator[Finding]:
    """Versions count from 1, one more for each revision (Appendix A)."""
    version, before = context.template.version, context.reference_data.revised_version
    if version is None:
        return
    if not context.is_revision and version != 1:
        yield blocking(
            "version",
            "not-first-version",
            f"A new namespace has version 1, not {version}. Write 1, or leave it out.",
        )
    elif context.is_revision and before is not None and version != before + 1:
        yield blocking(
            "version",
            "not-next-version",
            f"The revision of version {before} is version {before + 1}, not {version}.",
        )
    elif context.is_revision and version < 2:
        yield blocking("version", "not-next-version", f"A revision has version 2 or above, not {version}.")


def check_date(context: CheckContext) -> Iterator[Finding]:
    """The date is there, in the form YYYY-MM-DD, and a day of the calendar (Appendix A)."""
    typed = context.template.date
    if not typed:
        yield blocking("date", "missing", "Date is empty. Write the day of the request as YYYY-MM-DD.")
    elif not _ISO_DATE.fullmatch(typed):
        yield blocking(
            "date", "not-a-date", f"The date “{typed}” is not of the form YYYY-MM-DD. Write it that way."
        )
    elif not _is_day(typed):
        yield blocking("date", "not-a-date", f"{typed} is no day of the calendar. Correct it.")


def _is_day(typed: str) -> bool:
    try:
        date.fromisoformat(typed)
    except ValueError:
        return False
    return True


def check_registrant(context: CheckContext) -> Iterator[Finding]:
    """The organization and its address, a person to contact and a way to do it (Appendix A).

    Nobody but a person can say what free text leaves out, so what it can hold is asked for, not demanded.
    """
    registrant = context.template.registrant
    missing = _missing_details(registrant)
    anywhere = (
        f"{registrant.organization}\n{registrant.address}\n{registrant.contact_person}\n{registrant.other}"
    )
    if "no-contact-details" in missing and _WAY_TO_CONTACT.search(anywhere):
        del missing["no-contact-details"]
    can_hold_them = _may_contain_details(registrant.other, len(missing))
    for code, what in missing.items():
        if code == "no-contact-details" or not can_hold_them:
            yield blocking("registrant", code, f"Registrant names no {what}. Add it.")
    listed = ", ".join(what for code, what in missing.items() if code != "no-contact-details")
    if listed and can_hold_them:
        message = f"Registrant has no label for: {listed}. Make sure that the text names each, and label it."
        yield advice("registrant", "unlabelled-details", message)


def _may_contain_details(text: str, details: int) -> bool:
    """Whether free text is long enough to name what has no label; a web address may lead to one detail."""
    lines = sum(1 for line in text.splitlines() if _WORD.search(line))
    is_telling = lines >= 2 or len(_WORD.findall(text)) >= 12
    return is_telling or (details == 1 and bool(_WEB_ADDRESS.search(text)))


def _missing_details(registrant: Registrant) -> dict[str, str]:
    has_address = registrant.address or registrant.postal_address
    can_be_reached = registrant.email or registrant.phone or registrant.postal_address
    details = {
        "no-organization": ("organization that registers", registrant.organization),
        "no-address": ("address of the organization", has_address),
        "no-contact-person": ("contact person", registrant.contact_person),
        "no-contact-details": (
            "e-mail address, phone number or postal address of the contact person",
            can_be_reached,
        ),
    }
    return {code: what for code, (what, value) in details.items() if not value}


def check_required_sections(context: CheckContext) -> Iterator[Finding]:
    """What has to be filled in is filled in."""
    for section in SECTIONS:
        if section.key not in TEXT_SECTIONS:
            continue
        required = section.is_required(
            kind=context.kind, fast_track=context.fast_track, is_revision=context.is_revision
        )
        text = getattr(context.template, section.key)
        if required and not text:
            yield blocking(section.key, "missing", f"{section.title} is empty. {_INSTRUCTIONS[section.key]}")
        elif required and section.key in _MUST_HAVE_SUBSTANCE and has_no_substance(text):
            yield blocking(
                section.key, "missing", f"{section.title} says only “{text}”. {_INSTRUCTIONS[section.key]}"
            )


_MUST_HAVE_SUBSTANCE = ("documentation", "revision_information")
_INSTRUCTIONS = {
    "purpose": "Say what the namespace is for, who will use it and what they gain.",
    "syntax": "Describe how names are built and when two of them are equivalent.",
    "assignment": "Say who assigns names, how one gets a name, and what keeps names unique.",
    "security_and_privacy": "Describe the issues, or say that you looked for some and found none.",
    "interoperability": "Name every known potential issue, or say that you know of none.",
    "resolution": "Say whether resolution is intended or expected.",
    "documentation": "On the fast track, point to a specification (Section 6.3, step 2).",
    "revision_information": "Describe what differs from the version before.",
}


_CHECKS: tuple[Callable[[CheckContext], Iterator[Finding]], ...] = (
    check_identifier,
    check_version,
    check_date,
    check_registrant,
    check_required_sections,
    check_examples,
    *ADVICE_CHECKS,
)
