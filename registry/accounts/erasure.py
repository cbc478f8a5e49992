"""Erasure of the personal data of people who left, and the list of them that an operator keeps outside of the
database.

An older escrow or backup contains the data of people who were erased since. After its restore, the list finds them.

Each app declares what it stores about people in `personal_data.py`, and registers it here. What people did in public
stays, under the number of their account: events, rounds, reviews, comments. The log is not changed: its events contain
salted digests, and one more event lists those whose values and salts are gone.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any, Protocol

from django.db import ProgrammingError, transaction
from django.db.models import Manager, Model, Q, QuerySet
from psycopg.errors import InsufficientPrivilege

from registry.accounts.locks import lock_account
from registry.accounts.models import User
from registry.audit_log import log
from registry.audit_log.models import PersonalData
from registry.audit_log.personal_data import ERASURE
from registry.core.digests import new_salt, salted_digest
from registry.core.exceptions import RegistryError
from registry.core.validators import check_text


class MalformedErasureList(RegistryError):
    """A line of the file was not written by `manage.py erase_person --list`."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Malformed list"


@dataclass(frozen=True, slots=True)
class ErasedAddress:
    """One line of the list: who was erased, and whether from the public texts, too."""

    salt: str
    digest: str
    with_texts: bool

    @classmethod
    def of(cls, address: str, *, with_texts: bool) -> "ErasedAddress":
        salt = new_salt()
        return cls(salt, salted_digest(salt, address.lower()), with_texts)

    def is_of(self, address: str) -> bool:
        return self.digest == salted_digest(self.salt, address.lower())


def add_to_list(path: Path, entry: ErasedAddress) -> None:
    """Append a line to a file that only its owner can read."""
    path.touch(mode=0o600)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(entry)) + "\n")


def read_list(path: Path) -> list[ErasedAddress]:
    return list(_entries(path))


def _entries(path: Path) -> Iterator[ErasedAddress]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            yield ErasedAddress(**json.loads(line))
        except (ValueError, TypeError) as fault:
            raise MalformedErasureList(
                f"Line {number} of {path} was not written by manage.py erase_person --list."
            ) from fault


MAX_NAMED_ROWS = 10


class OwnerRequired(RegistryError):
    """The database role of this process may not delete personal data from the audit log."""

    title = "Only the owner of the database erases"


class ReasonNamesPerson(RegistryError):
    """The reason contains what is to be erased."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "The reason names the person"


@dataclass(frozen=True, slots=True)
class Person:
    """The person whose data is erased. A contact of a namespace may have no account."""

    account: User | None
    addresses: frozenset[str]
    # That of the account, and those that the operator gave.
    names: frozenset[str] = frozenset()
    given_names: frozenset[str] = frozenset()

    @property
    def identifiers(self) -> frozenset[str]:
        return self.addresses | self.names

    def is_named_in(self, text: str) -> bool:
        """Whether a text contains one of the addresses or names, regardless of case."""
        return _contains(text, self.identifiers)

    def is_certainly_in(self, texts: Iterable[str]) -> bool:
        """Whether one of the texts contains an address, or a name that the operator gave: others may have the same name."""
        return any(_contains(each, self.addresses | self.given_names) for each in texts)

    def is_named_by(self, *columns: str) -> Q:
        """A condition for rows that contain one of the addresses or names in these columns, also as part of a word."""
        condition = Q(pk=None)
        for column in columns:
            for each in self.identifiers:
                condition |= Q(**{f"{column}__icontains": each})
        return condition


def _contains(text: str, identifiers: Iterable[str]) -> bool:
    """Whether a text contains an identifier that is not part of a longer word, address or name."""
    line = " ".join(text.split())
    patterns = (rf"(?<![\w.+-]){re.escape(each)}(?![\w+-]|[.@]\w)" for each in identifiers)
    return any(re.search(pattern, line, re.IGNORECASE) for pattern in patterns)


class Changing(Protocol):
    """A namespace or a case, which stores when it last changed."""

    def mark_changed(self) -> None: ...


@dataclass(slots=True)
class Erasure:
    """One erasure: what it erases, in words, and what it must leave."""

    person: Person
    reason: str
    with_texts: bool
    # The account as it is in the transaction, in which its name and address are replaced.
    account: User | None = None
    erased: list[str] = field(default_factory=list)
    remains: list[str] = field(default_factory=list)
    # Of the values in the audit log and in the texts that it records. They are erased after the event that lists them.
    digests: list[str] = field(default_factory=list)
    after_event: list[Callable[[], object]] = field(default_factory=list)
    # The namespaces and cases whose public members change, by what names them in an event.
    changed: dict[tuple[str, Any], Changing] = field(default_factory=dict)

    def note(self, what: str, count: int = 1) -> None:
        """Add `what` was erased to the report, unless there was nothing."""
        if count:
            self.erased.append(what if count == 1 else f"{what}: {count}")

    def changes(self, row: Changing, **subject: Any) -> None:
        """Record that a namespace or a case changes. `subject` is its `nid` or `case` in events."""
        ((name, key),) = subject.items()
        self.changed[name, key] = row

    def delete(self, what: str, rows: QuerySet[Any]) -> None:
        self.note(what, rows.delete()[0])

    def look_in(self, texts: "TextColumns") -> None:
        """Report the rows that still name the person."""
        naming = texts.rows.filter(self.person.is_named_by(*texts.columns.split())).order_by("pk")
        found = list(naming.values_list(texts.label, flat=True)[: MAX_NAMED_ROWS + 1])
        if found:
            more = ", …" if len(found) > MAX_NAMED_ROWS else ""
            self.remains.append(f"{texts.what}: {', '.join(map(str, found[:MAX_NAMED_ROWS]))}{more}")


@dataclass(frozen=True, slots=True)
class TextColumns:
    """Rows with texts that may name a person, with these columns, separated by spaces. A report names a row by `label`."""

    what: str
    rows: "Manager[Any] | QuerySet[Any]"
    columns: str
    label: str = "pk"


class PersonalDataHolder:
    """The personal data of one app."""

    # Where addresses are, in order to find those of people who were erased from another copy of the data.
    addresses: tuple[tuple[type[Model], str], ...] = ()
    # What may still name the person after the erasure.
    texts: tuple[TextColumns, ...] = ()

    def lock(self, account: User, *, to_erase: bool) -> None:
        """Lock what changes when the account is closed, loses authority or, with `to_erase`, is erased."""

    def close(self, account: User) -> None:
        """End what must not outlast the account, in the transaction that closes it."""

    def erase(self, erasure: Erasure) -> None:
        """Erase it. The account no longer has a name or an address, but is still verified."""

    def look_for_rest(self, erasure: Erasure) -> None:
        """Report what else still names the person, after the erasure."""

    def left_to_do(self, account: User) -> Iterator[str]:
        """Yield what the owner hands on or ends before closing the account, as instructions."""
        yield from ()


_HOLDERS: list[PersonalDataHolder] = []


def holds_personal_data(holder: type[PersonalDataHolder]) -> type[PersonalDataHolder]:
    """Register the personal data of an app."""
    _HOLDERS.append(holder())
    return holder


def known_addresses() -> set[str]:
    """Return all addresses in the database, in lower case."""
    columns = [each for holder in _HOLDERS for each in holder.addresses]
    found = (model._default_manager.values_list(column, flat=True).iterator() for model, column in columns)
    return {address.lower() for addresses in found for address in addresses if address}


def lock_ending_account(account: User, *, to_erase: bool = False) -> bool:
    """Lock an account that is closed or erased, or loses authority, and what changes with it. Returns whether it is open.

    Call it before the first event, which blocks all other writers. Apps lock in one order, from the last to the first of
    `INSTALLED_APPS`: cases, namespaces, organisations.
    """
    is_open = lock_account(account)
    for holder in reversed(_HOLDERS):
        holder.lock(account, to_erase=to_erase)
    return is_open


def end_with_account(account: User) -> None:
    """End what must not outlast an account that is closed, in each app."""
    for holder in _HOLDERS:
        holder.close(account)


def left_to_do(account: User) -> list[str]:
    """Return what the owner hands on or ends before closing the account."""
    return [instruction for holder in _HOLDERS for instruction in holder.left_to_do(account)]


def erase_person(person: Person, *, by: User | None, reason: str, with_texts: bool = False) -> Erasure:
    """Erase the personal data of a person, and append an event that says so.

    `with_texts` includes the contact details in submitted and registered templates, which are public records. Public events
    name the namespaces and cases that change. If nothing is left to erase, there is no event. Raises the errors of
    `PersonalDataHolder.erase`, such as LastAdministrator.
    """
    reason = check_text(reason, "the reason")
    if person.is_named_in(reason):
        raise ReasonNamesPerson(
            "The reason is recorded in the audit log: it must not contain the name or address."
        )
    erasure = Erasure(person, reason, with_texts)
    try:
        with transaction.atomic():
            _erase(erasure, by)
    except ProgrammingError as fault:
        if not isinstance(fault.__cause__, InsufficientPrivilege):
            raise
        raise OwnerRequired(
            "Nothing was erased. Run this command as the owner of the tables, like manage.py migrate: "
            "the role of the web processes may not erase anything that the audit log records."
        ) from fault
    return erasure


def preview(person: Person, *, by: User | None, reason: str, with_texts: bool = False) -> Erasure:
    """Return what `erase_person` would do. Everything is rolled back."""
    with transaction.atomic():
        erasure = erase_person(person, by=by, reason=reason, with_texts=with_texts)
        transaction.set_rollback(True)
    return erasure


def _erase(erasure: Erasure, by: User | None) -> None:
    if erasure.person.account is not None:
        erasure.account = User.objects.select_for_update().get(pk=erasure.person.account.pk)
        lock_ending_account(erasure.account, to_erase=True)
    for holder in _HOLDERS:
        holder.erase(erasure)
    if erasure.account is not None:
        _erase_identities(erasure, erasure.account)
    if erasure.erased:
        _append_events(erasure, by)
    for statement in erasure.after_event:
        statement()
    for holder in _HOLDERS:
        for texts in holder.texts:
            erasure.look_in(texts)
        holder.look_for_rest(erasure)


def _append_events(erasure: Erasure, by: User | None) -> None:
    """Append a public event for each namespace and case that changes, and then that of the erasure.

    The database permits the erasure in the transaction in which this is the last event.
    """
    for row in erasure.changed.values():
        row.mark_changed()
    for name, key in erasure.changed:
        log.append("erase_personal_data", by=by, **{name: key})
    details: dict[str, Any] = {"digests": sorted(set(erasure.digests))}
    if erasure.account is not None:
        details["person"] = erasure.account.pk
    log.append(ERASURE, by=by, reason=erasure.reason, **details)


def _erase_identities(erasure: Erasure, account: User) -> None:
    """Erase the names and addresses that events record."""
    rows = PersonalData.objects.filter(account=account)
    digests = list(rows.values_list("pk", flat=True))
    erasure.digests += digests
    erasure.after_event.append(partial(_delete, digests))
    erasure.note("names and addresses that events record", len(digests))


def _delete(digests: Iterable[str]) -> None:
    PersonalData.objects.filter(pk__in=list(digests)).delete()
