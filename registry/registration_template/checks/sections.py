"""Checks of single sections: those that are required, Version and Date, and Registrant."""

import re
from collections.abc import Iterator
from datetime import date

from registry.core.validators import shortened
from registry.registration_template.checks.findings import CheckContext, Finding, advice, blocking
from registry.registration_template.checks.wording import (
    has_no_documentation,
    has_no_substance,
    is_not_applicable,
    is_to_do,
)
from registry.registration_template.commitments import ERASED
from registry.registration_template.sections import (
    SECTION_BY_KEY,
    TEXT_SECTIONS,
    Registrant,
    Section,
    Substance,
)


def check_required_sections(context: CheckContext) -> Iterator[Finding]:
    """Required text sections are filled in. In some, “none” is not enough."""
    for section in (SECTION_BY_KEY[key] for key in TEXT_SECTIONS):
        if not section.is_required(
            kind=context.kind, fast_track=context.fast_track, is_revision=context.is_revision
        ):
            continue
        text = getattr(context.template, section.key)
        if not text and context.older_form and not section.in_older_form:
            yield _explain_older_form(section)
        elif not text:
            yield blocking(section.key, "missing", f"{section.title} is empty. {section.instruction}")
        elif is_to_do(text) or (section.substance is Substance.REQUIRED and _says_none(section, text)):
            message = f"{section.title} contains only “{shortened(text)}”. {section.instruction}"
            yield blocking(section.key, "missing", message)


def _says_none(section: Section, text: str) -> bool:
    if section.key == "resolution":
        return is_not_applicable(text)  # “None.” says that no resolution is intended
    return has_no_documentation(text) if section.key == "documentation" else has_no_substance(text)


def _explain_older_form(section: Section) -> Finding:
    """A template in the form of RFC 3406 is complete without the sections that RFC 8141 added."""
    message = (
        f"The older form of RFC 3406 has no section {section.title}. "
        "Add this section to bring the template up to RFC 8141."
    )
    return advice(section.key, "not-in-older-form", message)


_ISO_DATE = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")


def check_version(context: CheckContext) -> Iterator[Finding]:
    """Versions are numbered from 1; each revision has the next number (Appendix A)."""
    version, before = context.template.version, context.reference_data.revised_version
    if version is None:
        return
    if not context.is_revision and version != 1:
        yield blocking(
            "version",
            "not-first-version",
            f"A new namespace has version 1, not {version}. Enter 1, or leave it empty.",
        )
    elif context.is_revision and before is not None and version != before + 1:
        yield blocking(
            "version",
            "not-next-version",
            f"The revision of version {before} is version {before + 1}, not {version}. Enter {before + 1}.",
        )
    elif context.is_revision and version < 2:
        yield blocking(
            "version", "not-next-version", f"A revision has version 2 or above, not {version}. Correct it."
        )


def check_date(context: CheckContext) -> Iterator[Finding]:
    """The date is present, has the format YYYY-MM-DD, and exists (Appendix A)."""
    typed = context.template.date
    if not typed:
        yield blocking("date", "missing", "Date is empty. Enter the date of the request as YYYY-MM-DD.")
    elif not _ISO_DATE.fullmatch(typed):
        message = f"The date “{shortened(typed)}” does not have the format YYYY-MM-DD. Correct it."
        yield blocking("date", "not-a-date", message)
    elif not _is_day(typed):
        yield blocking("date", "not-a-date", f"The date {typed} does not exist. Correct it.")


def _is_day(typed: str) -> bool:
    try:
        date.fromisoformat(typed)
    except ValueError:
        return False
    return True


_WAY_TO_CONTACT = re.compile(
    r"[^\s@&]{1,64}(?:[@&]| at )[^\s@&]{1,255}\.[A-Za-z]{2,}|\+?[0-9][0-9 ().-]{7,30}[0-9]"
)
# “&” is how IANA publishes “@”.
_EMAIL_ADDRESS = re.compile(r"[^\s@&<>,;:()]{1,64}[@&][^\s@&<>,;:()]{1,253}\.\w{2,63}(?![\w@&])")
_PHONE_NUMBER = re.compile(r"(?:\d\D{0,5}){5}")
_WORD = re.compile(r"\w{2,}")
_FIELD_BY_CODE = {
    "no-organization": "organization",
    "no-address": "address",
    "no-contact-person": "contact_person",
    "no-contact-details": "email",
}
_WEB_ADDRESS = re.compile(r"https?://\w", re.IGNORECASE)


def check_registrant(context: CheckContext) -> Iterator[Finding]:
    """The organisation and its address, a contact person and contact details (Appendix A).

    A detail that may be in unlabelled text gives advice instead of a blocking finding: only a person can tell.
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
            message = f"Registrant does not contain the {what}. Add it."
            yield blocking("registrant", code, message, field=_FIELD_BY_CODE.get(code, ""))
    listed = ", ".join(what for code, what in missing.items() if code != "no-contact-details")
    if listed and can_hold_them:
        message = f"Registrant has no label for: {listed}. Label these details, or add them."
        yield advice("registrant", "unlabelled-details", message)


def check_contact_details(context: CheckContext) -> Iterator[Finding]:
    """An e-mail address and a phone number, if given and not erased, look like one."""
    registrant = context.template.registrant
    if registrant.email not in {"", ERASED} and not _EMAIL_ADDRESS.search(registrant.email):
        message = (
            f"“{shortened(registrant.email)}” is not an e-mail address. Enter one, such as name@example.org."
        )
        yield blocking("registrant", "not-an-email-address", message, field="email")
    if registrant.phone not in {"", ERASED} and not _PHONE_NUMBER.search(registrant.phone):
        message = f"“{shortened(registrant.phone)}” is not a phone number. Enter one, such as +1 555 0100, or leave it empty."
        yield blocking("registrant", "not-a-phone-number", message, field="phone")


def check_former_contact(context: CheckContext) -> Iterator[Finding]:
    """A revision by another registrant names the contact of today."""
    former, now = context.reference_data.former_contact, context.template.registrant
    if former is None:
        return
    if any(text and text != ERASED and text == getattr(now, name) for name, text in _contact_of(former)):
        message = (
            "The contact is that of the former registrant. Enter the contact of the registrant of today, "
            "or keep it if it is still right."
        )
        yield advice("registrant", "contact-of-former-registrant", message)


def _contact_of(registrant: Registrant) -> tuple[tuple[str, str], ...]:
    return ("contact_person", registrant.contact_person), ("email", registrant.email)


def _may_contain_details(text: str, details: int) -> bool:
    """Whether unlabelled text is long enough to contain the details; a web address may replace one of them."""
    lines = sum(1 for line in text.splitlines() if _WORD.search(line))
    is_telling = lines >= 2 or len(_WORD.findall(text)) >= 12
    return is_telling or (details == 1 and bool(_WEB_ADDRESS.search(text)))


def _missing_details(registrant: Registrant) -> dict[str, str]:
    has_address = registrant.address or registrant.postal_address
    can_be_reached = registrant.email or registrant.phone or registrant.postal_address
    details = {
        "no-organization": ("name of the organisation", registrant.organization),
        "no-address": ("address of the organisation", has_address),
        "no-contact-person": ("name of a contact person", registrant.contact_person),
        "no-contact-details": (
            "e-mail address, phone number or postal address of the contact person",
            can_be_reached,
        ),
    }
    return {
        code: what
        for code, (what, value) in details.items()
        if not value or has_no_substance(value) or is_to_do(value)
    }
