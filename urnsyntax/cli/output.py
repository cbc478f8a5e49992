"""Output of the command line: readable text, or one JSON object per line."""

import json
import sys
from collections.abc import Iterable

from ..encoding import display
from ..errors import InvalidIdentifier, InvalidURN, printable, with_caret
from ..notes import Note
from ..offline import OfflineRegistry
from ..recognition import Recognised, recognise
from ..urn import URN


def print_json(**fields: object) -> None:
    """Print one JSON object on one line, in ASCII."""
    print(json.dumps(fields))


def print_fields(fields: Iterable[tuple[str, str | None]]) -> None:
    """Print names and values, one pair per line, without pairs whose value is None."""
    for name, value in fields:
        if value is not None:
            print(f"{name:<14} {printable(value)}".rstrip())


def print_error(error: InvalidIdentifier) -> None:
    """Print the invalid text with a caret below the error, and the message, on standard error."""
    if sys.stdout is not None:
        sys.stdout.flush()
    print(f"{error.with_caret()}\n{error}", file=sys.stderr)
    if found := recognised(error):
        print(f"This is {found.kind}. {found.explanation}", file=sys.stderr)


def print_with_caret(text: str, position: int | None, reason: str) -> None:
    """Print a text on standard error, with the reason and a caret below a position, if it is known."""
    if sys.stdout is not None:
        sys.stdout.flush()
    shown = (
        f"{printable(text)}\n{printable(reason)}" if position is None else with_caret(text, position, reason)
    )
    print(shown, file=sys.stderr)


def as_of_fields(registry: OfflineRegistry) -> dict[str, object]:
    """Return what says how old offline data is, as the fields of a JSON object."""
    return {"as_of": registry.as_of, "event": registry.event, "registry": registry.address}


def as_of_line(registry: OfflineRegistry) -> tuple[str, str]:
    """Return the same as a name and a value to print."""
    return "  as of", f"{registry.as_of}, event {registry.event:,} of {registry.address}"


def recognised(error: InvalidIdentifier) -> Recognised | None:
    """What the text of an error is, if a URN was expected."""
    return recognise(error.text) if isinstance(error, InvalidURN) else None


def error_fields(error: InvalidIdentifier) -> dict[str, object]:
    """Return an error as the fields of a JSON object."""
    found = recognised(error)
    return {
        "text": error.text,
        "valid": False,
        "position": error.position,
        "rule": error.rule,
        "section": error.section,
        "document": error.document,
        "message": str(error),
        "recognised": f"This is {found.kind}. {found.explanation}" if found else None,
    }


def displayed(urn: URN) -> str | None:
    """The form of a URN for people (RFC 8141, Section 4.4); None if it is the URN itself."""
    shown = display(urn)
    return None if shown == str(urn) else shown


def note_fields(notes: Iterable[Note]) -> list[dict[str, object]]:
    """Return notes as JSON objects."""
    return [{"component": n.component, "position": n.position, "message": n.message} for n in notes]
