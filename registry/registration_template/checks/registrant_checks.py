"""Checks of the section Registrant."""

import re
from collections.abc import Iterator

from registry.registration_template.checks.findings import CheckContext, Finding, advice, blocking
from registry.registration_template.registrant import Registrant

_WAY_TO_CONTACT = re.compile(
    r"[^\s@&]{1,64}(?:[@&]| at )[^\s@&]{1,255}\.[A-Za-z]{2,}|\+?[0-9][0-9 ().-]{7,30}[0-9]"
)
_WORD = re.compile(r"\w{2,}")
_WEB_ADDRESS = re.compile(r"https?://\w", re.IGNORECASE)


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
