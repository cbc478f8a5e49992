"""The declaration of the details of events: the members that an event has beside those of every event."""

from dataclasses import dataclass, replace
from datetime import date


@dataclass(frozen=True, slots=True)
class Detail:
    """One member of the details of an event. `kind` is its type in JSON; a date is a text, and a list one of texts.

    A detail that is not public names accounts, or is for the verification of texts. An event has an optional detail
    only if it applies.
    """

    name: str
    kind: type[int | str | bool | date | list[str] | dict[str, object]]
    text: str = ""
    is_public: bool = True
    is_optional: bool = False

    @property
    def optional(self) -> "Detail":
        """The same detail, of an event that does not always have it."""
        return replace(self, is_optional=True)


def private(name: str, kind: type[int | str | bool | list[str] | dict[str, object]]) -> Detail:
    """A detail that is not public."""
    return Detail(name, kind, is_public=False)


REFERENCE = Detail("reference", str, "A reference to the decision, or to what proves a correction.")
VERSION = Detail("version", int, "The version of the registration, or of the profile.")
ROUND = Detail("round", int, "The number of the round that the event concerns.")
