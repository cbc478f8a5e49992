"""Checks of the one-line sections Version and Date."""

import re
from collections.abc import Iterator
from datetime import date

from registry.core.shortening import shortened
from registry.registration_template.checks.findings import CheckContext, Finding, blocking

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
