"""Checks of the one-line sections Version and Date."""

import re
from collections.abc import Iterator
from datetime import date

from registry.registration_template.checks.findings import CheckContext, Finding, blocking

_ISO_DATE = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")


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
