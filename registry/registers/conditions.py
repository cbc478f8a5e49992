"""Conditions of actions on registers, on entries, and on requests for and offers of them."""

from collections.abc import Collection
from typing import Any

from registry.actions.declarations import Condition
from registry.namespaces.models import Namespace
from registry.registers.models import Entry, EntryOffer, EntryRequest, Register
from registry.registers.subjects import (
    PolicyForbids,
    RegisterEnded,
    RegisterSuspended,
    namespace_of,
    register_of,
    terms_of,
)
from registry.subnamespaces.models import Status


def _suspension_of(register: Register) -> str:
    return (
        f"An administrator suspended “{register}” on {register.suspended_at:%Y-%m-%d}. Until it is resumed, it takes no requests, "
        f"decisions and entries. Reason: {register.suspension_reason}"
    )


def _retired_around(subject: Any) -> str:
    """The prefix of a retired sub-namespace around the register of a subject, or that of the entry itself; "" if there is none."""
    if isinstance(subject, Namespace):
        return ""
    entry = subject.entry if isinstance(subject, EntryOffer | EntryRequest) else subject
    if isinstance(entry, Entry) and entry.subnamespace.status == Status.RETIRED:
        return str(entry.subnamespace.prefix)
    return str(register_of(subject).retired_around)


def _end_of(subject: Any) -> str:
    nid, retired = namespace_of(subject).nid, _retired_around(subject)
    if retired:
        return f"“urn:{nid}:{retired}” is retired: no new names are assigned below it."
    return f"“{nid}” is deprecated: no entries are added below it."


IS_CURRENT = Condition[Any](
    lambda subject: not namespace_of(subject).is_deprecated and not _retired_around(subject),
    _end_of,
    RegisterEnded,
)
HAS_HOLDER = Condition[Any](
    lambda subject: any(each.is_active for each in register_of(subject).holders),
    lambda subject: (
        f"The register of “{register_of(subject).name}” has no holder now, who would answer for it. Try again when it has one."
    ),
    RegisterEnded,
)
IS_ACTIVE = Condition[Any](
    lambda subject: not register_of(subject).is_suspended,
    lambda subject: _suspension_of(register_of(subject)),
    RegisterSuspended,
)


def faults_of(register: Register) -> list[str]:
    """Why a register takes no requests under any policy."""
    return [fault for each in (IS_ACTIVE, IS_CURRENT, HAS_HOLDER) if (fault := each.fault(register))]


def policy_is_one_of(
    policies: Collection[str], what: str, *, of_changes: Collection[str] = (), what_of_changes: str = ""
) -> Condition[Any]:
    """The condition that the policy of a register allows an action; `what` says what it does not allow.

    On a request for a change of an entry, `of_changes` and `what_of_changes` count.
    """

    def is_change(subject: Any) -> bool:
        return isinstance(subject, EntryRequest) and subject.is_change

    def message(subject: Any) -> str:
        register = register_of(subject)
        said = what_of_changes if is_change(subject) else what
        return f"The policy of “{register}” is {terms_of(register.policy)}: {said}"

    return Condition(
        lambda subject: register_of(subject).policy in (of_changes if is_change(subject) else policies),
        message,
        PolicyForbids,
    )
