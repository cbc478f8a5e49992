"""What happened to a sub-namespace before a list had it: dated records, from old to new, as the holder of the list states them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import schema
from ..errors import InvalidProfile
from ..schema import key

CHANGES = ("registered", "changed", "deprecated", "retired")
MAX_RECORDS = 100
# Sorts after each day and each month of the date before it.
END_OF_DATE = "~"


@dataclass(frozen=True)
class PastRecord:
    """One thing that happened. `title`, `holder` and `reference` are what the sub-namespace said from then on, if that is known.

    `date` is a day, a month or a year, as far as it is known. `source` is where the record was found.
    """

    date: str = key(schema.date)
    change: str = key(schema.one_of(CHANGES, "a change"))
    title: str = key(schema.text(300), "")
    holder: str = key(schema.text(200), "")
    reference: str = key(schema.text(200), "")
    source: str = key(schema.text(300), "")

    @property
    def texts(self) -> tuple[str, ...]:
        """What is stated beside the date and the change."""
        return tuple(filter(None, (self.title, self.holder, self.reference, self.source)))


History = tuple[PastRecord, ...]
_read_records = schema.objects_of(PastRecord, most=MAX_RECORDS)


def read_history(value: Any, at: str) -> History:
    """The records of a list of tables. Raises `InvalidProfile`, also if they are not in order.

    A year is in order before and after each of its days.
    """
    records: History = _read_records(value, at)
    latest = ""
    for index, each in enumerate(records):
        if latest > each.date + END_OF_DATE:
            raise InvalidProfile(
                f"{at}[{index}].date",
                f"“{each.date}” is before “{latest}”, the date of an earlier record.",
                "Write the records from old to new.",
            )
        latest = max(latest, each.date)
        if (each.change == "registered" and index) or (each.change == "retired" and index + 1 < len(records)):
            place = "first" if each.change == "registered" else "last"
            raise InvalidProfile(
                f"{at}[{index}].change",
                f"“{each.change}” is not the {place} record.",
                f"Write it as the {place} one, or correct it.",
            )
    return records


def stored_history(records: Sequence[Mapping[str, str]]) -> History:
    """The records of a history that was checked before."""
    return tuple(PastRecord(**each) for each in records)


def fault_of_history(given: History, kept: History, today: str) -> str:
    """Why a history can't replace one that is `kept`, as sentences; "" if it can. It begins with the records that are kept, and no
    record is later than `today`, a day.
    """
    if given[: len(kept)] != kept:
        known = "the record that is kept" if len(kept) == 1 else f"the {len(kept)} records that are kept"
        return (
            f"The history does not begin with {known}. What is kept never changes: repeat it, and write others after it, or leave the "
            "history out."
        )
    late = next((each.date for each in given[len(kept) :] if each.date > today), "")
    return f"The record of {late} is later than {today}. Correct or remove it." if late else ""
