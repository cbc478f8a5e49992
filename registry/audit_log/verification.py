"""Verification of the audit log: the chain, the texts that events record, and heads that were noted earlier."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from registry.audit_log.committed_texts import changed_texts
from registry.audit_log.log import verified
from registry.audit_log.models import BrokenAuditLog, LogPosition
from registry.core.database.snapshot import database_snapshot

MAX_NAMED_TEXTS = 10


@dataclass(frozen=True, slots=True)
class KnownHead:
    """A head that was noted outside the database, and its source, which messages name."""

    position: LogPosition
    source: str


@dataclass(slots=True)
class VerificationResult:
    """The position of the last valid event, and the faults that were found."""

    last: LogPosition = field(default_factory=LogPosition)
    faults: list[str] = field(default_factory=list)
    is_chain_valid: bool = True

    @property
    def is_valid(self) -> bool:
        return not self.faults


def verify(known_heads: Iterable[KnownHead] = ()) -> VerificationResult:
    """Verify one state of the database: every event, then the texts. Texts are not compared with a broken chain."""
    with database_snapshot():
        result = _verify_chain(known_heads)
        if result.is_chain_valid:
            result.faults += _changed_texts()
    return result


def _verify_chain(known_heads: Iterable[KnownHead]) -> VerificationResult:
    result = VerificationResult()
    open_heads: defaultdict[int, list[KnownHead]] = defaultdict(list)
    for each in known_heads:
        open_heads[each.position.number].append(each)
    result.faults += [
        _contradiction(each) for each in open_heads.pop(0, []) if each.position != LogPosition()
    ]
    try:
        for event in verified():
            result.last = event.position
            heads = open_heads.pop(event.number, [])
            result.faults += [_contradiction(each) for each in heads if each.position != event.position]
    except BrokenAuditLog as broken:
        result.faults.append(str(broken))
        result.is_chain_valid = False
        return result
    for heads in open_heads.values():
        result.faults += [_missing(each, result.last) for each in heads]
    return result


def _contradiction(known: KnownHead) -> str:
    number, digest = known.position.number, known.position.digest
    return (
        f"Event {number} does not have the digest {digest} ({known.source}): the log was rewritten before or at "
        "this event."
    )


def _missing(known: KnownHead, last: LogPosition) -> str:
    return (
        f"Event {known.position.number} is missing ({known.source}): the log ends at event {last.number}, so its "
        "newest events were removed."
    )


def _changed_texts() -> list[str]:
    names = list(changed_texts())
    faults = [f"The database differs from the audit log in {name}." for name in names[:MAX_NAMED_TEXTS]]
    if len(names) > MAX_NAMED_TEXTS:
        faults.append(f"{len(names) - MAX_NAMED_TEXTS} more texts differ.")
    return faults
