"""What a list says of entries before they were in the register: their status, their successors, and dated records.

The log is not dated back: a list is one event of today, and the records are what the holder of the register states. So they end on the
day on which an entry was listed here, and an entry that was requested here has none.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.db.models import Min
from django.utils import timezone

from registry.core.validators import shortened
from registry.registers.models import Register, RequestState
from registry.registers.subjects import EntryTaken, InvalidEntry
from registry.subnamespaces.models import ListVersion, ReplacedSubNamespace, Status, SubNamespace
from urnsyntax.profiles.subnamespaces.history import History, fault_of_history


def check_past(status: str, successor: str, history: History) -> None:
    """Raise InvalidEntry unless status, successor and records of a new entry fit each other and today."""
    if successor and status in {"", Status.ACTIVE}:
        raise InvalidEntry(
            "An active entry has no successor. Write “deprecated” or “retired” as its status, or leave the successor out."
        )
    if history and history[-1].change == "retired" and status != Status.RETIRED:
        raise InvalidEntry(
            "The history ends with “retired”, which is final. Write “retired” as the status, or correct the record."
        )
    _check_records(history, (), timezone.now().date().isoformat())


def check_same_status(row: SubNamespace, status: str, successor: str, stored_successor: str) -> None:
    """Raise EntryTaken if a line states another status or successor than a listed entry has."""
    for name, stated, stored in (("status", status, row.status), ("successor", successor, stored_successor)):
        if stated and stated != stored:
            raise EntryTaken(
                f"“{shortened(row.prefix)}” is listed with the {name} “{stored or 'none'}”, which a list does not change. Change the "
                f"entry on its page, or leave the {name} out."
            )


@dataclass(frozen=True)
class ListedEntries:
    """Since which day entries are listed, by the key of the row, and the normalized prefixes of those that were requested here."""

    days: Mapping[int, str]
    requested: frozenset[str]

    @classmethod
    def read(cls, register: Register, rows: Collection[SubNamespace]) -> "ListedEntries":
        """Read it for these rows, with three queries; without rows, with none."""
        if not rows:
            return cls({}, frozenset())
        replaced = ReplacedSubNamespace.objects.filter(subnamespace__in=[row.pk for row in rows])
        first = dict(replaced.order_by().values_list("subnamespace").annotate(Min("version")))
        versions = {row.pk: first.get(row.pk, row.version) for row in rows}
        set_at = dict(
            ListVersion.objects.filter(
                namespace=register.namespace_id, version__in=set(versions.values())
            ).values_list("version", "set_at")
        )
        accepted = register.requests.filter(
            state=RequestState.ACCEPTED, entry=None, key__any=sorted(row.key for row in rows)
        )
        return cls(
            {pk: set_at[version].date().isoformat() for pk, version in versions.items()},
            frozenset(accepted.values_list("key", flat=True)),
        )

    def check_added(self, row: SubNamespace, given: History, kept: History) -> None:
        """Raise InvalidEntry unless a listed entry can get the records that follow those that are kept."""
        if row.key in self.requested:
            raise InvalidEntry(
                f"“{shortened(row.prefix)}” was requested here, so the log has its history. Remove the history from the line."
            )
        if given and given[-1].change == "retired":
            raise InvalidEntry(
                f"“{shortened(row.prefix)}” is listed and not retired. Retire the entry on its page, or remove the last record."
            )
        _check_records(given, kept, self.days[row.pk])


def _check_records(given: History, kept: History, today: str) -> None:
    if fault := fault_of_history(given, kept, today):
        raise InvalidEntry(fault)
