"""Importing a list of sub-namespaces: reading a document, comparing it with the stored list, and writing the difference."""

import hashlib
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any

from django.db.models import TextChoices
from django.dispatch import Signal
from django.utils import timezone

from registry.accounts.gravity import Gravity
from registry.accounts.models import User
from registry.actions.declarations import Action, ActionContext, Condition
from registry.actions.engine import performs
from registry.actions.parameters import BooleanOption, Selection, Stamp, Text
from registry.audit_log.history import VERSION, Detail
from registry.core.database.bulk_copy import copy_insert, copy_update
from registry.core.digests import canonical_json
from registry.core.exceptions import RegistryError
from registry.core.validators import MAX_BASIS_LENGTH, check_text
from registry.namespaces import permissions
from registry.namespaces.actions.profiles import NamesContradict, PrefixesCollide
from registry.namespaces.actions.registrants import mail_registrant
from registry.namespaces.models import Namespace
from registry.namespaces.subjects import NAMESPACE
from registry.subnamespaces.affected import AffectedPart
from registry.subnamespaces.lists import rows_by_key, write_keys
from registry.subnamespaces.models import ListVersion, Status, SubNamespace, kept_history
from urnsyntax.profiles import InvalidProfile, Profile
from urnsyntax.profiles.subnamespaces.history import fault_of_history
from urnsyntax.profiles.subnamespaces.importing import InvalidListFile, read_csv, read_iana, refreshed
from urnsyntax.profiles.subnamespaces.levels import Walker
from urnsyntax.profiles.subnamespaces.lists import SubNamespace as Entry
from urnsyntax.profiles.subnamespaces.lists import read_lines
from urnsyntax.profiles.subnamespaces.verifying import failures_of_list

# Characters of a list on a page or in a request; `manage.py load_subnamespaces` has no limit.
MAX_DOCUMENT = 250_000
MAX_FAILURES = 100  # sentences in a response
ADDED = Detail("added", int, "How many sub-namespaces were added.")
REVISED = Detail("revised", int, "How many sub-namespaces were changed.")
MAX_READ_BY_LINE = 20_000  # lines; of a longer document, what each line affects is not looked up


list_written = Signal()
"""Sent in the transaction that writes a version of a list, with `namespace`, which is locked, and `added`: the keys of new rows."""


class ListFormat(TextChoices):
    JSON_LINES = "jsonl", "JSON Lines: the members of a sub-namespace on each line"
    CSV = "csv", "CSV with a header that names members"
    IANA = "iana", "XML of a registry of IANA"


class UnreadableList(RegistryError):
    """The document is no list of sub-namespaces. The message names the first wrong line."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "The list can't be read"


class ListRefused(NamesContradict, RegistryError):
    """The list contradicts the profile of the namespace, or itself. The member `failures` has a sentence for each fault."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "The list does not fit the profile"

    def __init__(self, failures: list[str]) -> None:
        super().__init__(failures)
        self.failures, self.has_more = failures[:MAX_FAILURES], len(failures) > MAX_FAILURES
        self.members = {"failures": self.failures}


class ListUnchanged(RegistryError):
    """The list already has all that the document says."""

    title = "The list is unchanged"


class StaleList(RegistryError):
    """What the import would replace was changed after the version given in `replaces`: another list was imported, or a register
    added or changed what the list names. The member `current` is the version of the list.
    """

    title = "The list has changed"

    def __init__(self, namespace: Namespace, current: int) -> None:
        now = f"version {current} of its list" if current else "no list"
        super().__init__(f"“{namespace.nid}” now has {now}. Look at the difference again before you import.")
        self.current = current
        self.members = {"current": current}


class NoLevels(RegistryError):
    """The namespace has no profile that states levels, so a list would never be consulted."""

    title = "The profile has no levels"


Change = tuple[str, SubNamespace, Entry]


@dataclass(frozen=True)
class ListChange:
    """What an import changes: new sub-namespaces by key, rows with their key and new content, and likewise those that are retired by it.

    `rows` are the stored ones that were read, by keys that are normalized again. Unless it `is_verified`, an earlier profile
    verified the rest of the list.
    """

    added: dict[str, Entry]
    changed: tuple[Change, ...]
    retired: tuple[Change, ...]
    rows: dict[str, SubNamespace]
    is_verified: bool = True

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of what changes, as in `ListVersion`."""
        return {name: len(getattr(self, name)) for name in ("added", "changed", "retired")}

    @property
    def is_empty(self) -> bool:
        return not (self.added or self.changed or self.retired)

    @property
    def entries(self) -> dict[str, Entry]:
        """All that is written, by key."""
        return self.added | {key: entry for key, _, entry in (*self.changed, *self.retired)}

    def digest_after(self, previous: str) -> str:
        """The digest of the version with this change, after one with the digest `previous`, "" for none; see `ListVersion`."""
        contents = [canonical_json(each.to_dict()) for each in sorted(self.entries.values(), key=_prefix)]
        lines = [previous, *contents] if previous else contents
        return hashlib.sha256("".join(f"{each}\n" for each in lines).encode()).hexdigest()


def plan_import(
    namespace: Namespace, document: str, *, list_format: str, retires_others: bool = False
) -> ListChange:
    """What an import would change. Raises NoLevels, UnreadableList and ListRefused.

    Sub-namespaces that the document lacks stay, unless `retires_others`; those that a register wrote stay in any case. Of a registry of IANA, those from the same source are
    retired; titles and holders of the list stay, see `urnsyntax.profiles.subnamespaces.importing.refreshed`.

    Only the part of the list that the document affects is read (`registry.subnamespaces.affected`), unless the document is long,
    others may be retired, the profile is newer than the list, or normalized prefixes of the list change.
    """
    profile, walker = levels_of(namespace)
    nid = namespace.nid
    if not retires_others and list_format != ListFormat.IANA and fits_profile(namespace):
        read = _read(document, list_format, profile, (), walker)
        if len(read) <= MAX_READ_BY_LINE and (part := AffectedPart.read(namespace, profile, walker, read)):
            change = _difference(part.stored, _wanted(read, part.stored, walker, part.known), False, nid)
            if part.new <= {each.prefix.lower() for each in change.added.values()}:
                refuse_if(part.failures(change.entries))
                return change
    rows = list(SubNamespace.objects.filter(namespace=namespace).order_by("key"))
    read = _read(document, list_format, profile, rows, walker)
    listed, added = {row.prefix.lower() for row in rows}, {each.prefix.lower() for each in read}
    while True:
        # Normalized again: a new sub-namespace around others can change the level that lists them.
        known = listed | added
        stored = rows_by_key(rows, walker, known)
        change = _difference(stored, _wanted(read, stored, walker, known), retires_others, nid)
        really_added = {each.prefix.lower() for each in change.added.values()}
        if added <= listed | really_added:
            break
        added &= really_added  # without other spellings of what is listed
    entries = {key: row.value_of(nid) for key, row in stored.items()} | change.entries
    refuse_if(failures_of_list(sorted(entries.values(), key=_prefix), profile, walker))
    return change


def levels_of(namespace: Namespace) -> tuple[Profile, Walker]:
    """The profile of a namespace with its levels. Raises NoLevels."""
    profile = namespace.current_profile
    if profile is None or profile.walker is None:
        raise NoLevels(_without_levels(namespace))
    return profile, profile.walker


def fits_profile(namespace: Namespace) -> bool:
    """Whether the list was verified by the current profile."""
    last = namespace.subnamespace_list_versions.last()
    return last is not None and last.profile_id == namespace.profile_id


def refuse_if(failures: Iterable[str]) -> None:
    """Raise ListRefused if there are failures."""
    if found := list(failures):
        raise ListRefused(found)


def _wanted(
    read: Iterable[Entry], stored: Mapping[str, SubNamespace], walker: Walker, known: Container[str]
) -> dict[str, Entry]:
    """What a document says by key. Raises ListRefused if two prefixes are the same, or a history can't be kept."""
    today = timezone.now().date().isoformat()
    wanted: dict[str, Entry] = {}
    for each in read:
        key = walker.key_of(each.prefix, known)
        if key in wanted:
            raise ListRefused(
                [f"{each.prefix}: The prefix is the same as “{wanted[key].prefix}”. Remove one."]
            )
        row = stored.get(key)
        kept = kept_history(row) if row else ()
        # An equivalent spelling names the same sub-namespace, which keeps its own, and its history.
        wanted[key] = replace(each, prefix=row.prefix, history=each.history or kept) if row else each
        if fault := fault_of_history(wanted[key].history, kept, today):
            raise ListRefused([f"{each.prefix}: {fault}"])
    return wanted


def _prefix(entry: Entry) -> str:
    return entry.prefix


def _without_levels(namespace: Namespace) -> str:
    return (
        f"The profile of “{namespace.nid}” has no levels, so that no list of sub-namespaces would be consulted. "
        "State the levels in the profile first."
    )


def _read(
    document: str, list_format: str, profile: Profile, rows: Iterable[SubNamespace], walker: Walker
) -> list[Entry]:
    """The sub-namespaces of a document. Raises UnreadableList."""
    nid = profile.nid
    try:
        if list_format == ListFormat.CSV:
            read: list[dict[str, Any]] = [*read_csv(document)]
        elif list_format == ListFormat.IANA:
            old = [row.content for row in rows]
            known = {each["prefix"].lower() for each in old}
            new = read_iana(document.encode(), nid)
            read = [*refreshed(old, new, lambda prefix: walker.key_of(prefix, known))]
        else:
            return [_checked(each) for _, each in read_lines(document.encode().splitlines(), nid)]
        return [Entry.from_dict(each, nid) for each in read]
    except (InvalidListFile, InvalidProfile) as fault:
        raise UnreadableList(str(fault)) from fault


def _checked(read: Entry | InvalidProfile) -> Entry:
    if isinstance(read, InvalidProfile):
        raise read
    return read


def _difference(
    stored: dict[str, SubNamespace], wanted: dict[str, Entry], retires_others: bool, nid: str
) -> ListChange:
    changed: list[Change] = []
    retired: list[Change] = []
    for key, entry in wanted.items():
        if key in stored and _undated(entry) != _undated(stored[key].value_of(nid)):
            change = (key, stored[key], entry)
            is_retired = entry.status == Status.RETIRED != stored[key].status
            (retired if is_retired else changed).append(change)
    for key in stored.keys() - wanted.keys() if retires_others else ():
        if stored[key].status != Status.RETIRED and not stored[key].is_registered:
            content = stored[key].content | {"status": Status.RETIRED.value}
            retired.append((key, stored[key], Entry.from_dict(content, nid)))
    added = {key: entry for key, entry in wanted.items() if key not in stored}
    return ListChange(added, tuple(changed), tuple(sorted(retired, key=lambda each: each[0])), stored)


def _undated(entry: Entry) -> dict[str, Any]:
    """What counts in a comparison: not the day on which a list was read."""
    return entry.to_dict() | {"as_of": ""}


def latest_version(namespace: Namespace) -> int:
    """The version of the list of a namespace, 0 without one."""
    last = namespace.subnamespace_list_versions.last()
    return last.version if last else 0


IMPORT_SUBNAMESPACES = Action[Namespace](
    name="import_subnamespaces",
    label="Import sub-namespaces",
    button="Import this list",
    effect=(
        "URNs of the namespace are judged by the list from now on: by what it says of its sub-namespaces, and where the profile "
        "calls a level complete, by what it lacks. The list is public, and what is replaced in it is kept."
    ),
    success="The list was imported. The registrant was notified by e-mail.",
    past="Sub-namespaces: {added} added, {revised} changed, {retired} retired; version {version} of the list",
    details=(VERSION, ADDED, REVISED, Detail("retired", int, "How many sub-namespaces were retired.")),
    page="subnamespaces:list",
    permission=permissions.is_administrator,
    not_permitted="Only an administrator who is not its registrant can import sub-namespaces of “{subject.nid}”.",
    gravity=Gravity.DECISION,
    conditions=(
        Condition(
            lambda namespace: bool(namespace.current_profile and namespace.current_profile.levels),
            _without_levels,
            NoLevels,
        ),
    ),
    parameters=(
        Text(
            "document",
            "List",
            "The list, or the part of it that is new.",
            lines=20,
            max_length=MAX_DOCUMENT,
            is_identifier=True,
            sample='{"prefix": "12", "title": "Botanical Garden", "source": "List of gardens", "as_of": "2026-01-31"}',
        ),
        Selection("list_format", "Format", alternatives=ListFormat, initial=lambda _: ListFormat.JSON_LINES),
        BooleanOption(
            "retires_others",
            "This is the whole list: retire the sub-namespaces that it lacks, except those that a register added",
        ),
        Text(
            "basis",
            "Basis",
            "Where the list comes from, and of which day it is. This is public.",
            lines=2,
            max_length=MAX_BASIS_LENGTH,
        ),
        Stamp(
            "replaces",
            "The version of the list that you compared with; 0 before the first",
            current=latest_version,
            refusal=StaleList,
        ),
    ),
    refusals=(UnreadableList, ListRefused, PrefixesCollide, ListUnchanged),
    # `manage.py load_subnamespaces`
    is_automatic=True,
    needs_confirmed_address=False,
    notify=mail_registrant,
)


@performs(IMPORT_SUBNAMESPACES, NAMESPACE)
def import_subnamespaces(
    context: ActionContext[Namespace],
    *,
    document: str,
    list_format: str,
    basis: str,
    replaces: int,
    retires_others: bool = False,
) -> ListVersion:
    """Import a list of sub-namespaces; see `plan_import`. `replaces` is the version of the list that it was compared with, 0 without
    one. A register can have added other entries since.
    """
    namespace = context.subject
    basis = check_text(basis, "the basis of the list", longest=MAX_BASIS_LENGTH, argument="basis")
    given: dict[str, Any] = {"list_format": list_format, "retires_others": retires_others}
    change, last = planned_on(namespace, replaces, lambda: plan_import(namespace, document, **given))
    made = write_list(namespace, change, by=context.by, basis=basis, last=last)
    context.reason = basis
    context.details = {"text_digest": made.digest, "version": made.version}
    context.details |= {"added": made.added, "revised": made.changed, "retired": made.retired}
    return made


def planned_on(
    namespace: Namespace, replaces: int, plan: Callable[[], ListChange]
) -> tuple[ListChange, ListVersion | None]:
    """The change of a locked list that `plan` makes, and the last version of the list. Raises what `plan` raises, StaleList and
    ListUnchanged.

    `replaces` is the version that the person compared with, 0 without one: nothing was imported since, and nothing that
    changes. A register can have added other entries.
    """
    versions = namespace.subnamespace_list_versions
    last, imported = versions.last(), versions.imported().last()
    current = last.version if last else 0
    if not (imported.version if imported else 0) <= replaces <= current:
        raise StaleList(namespace, current)
    change = plan()
    if change.is_empty:
        raise ListUnchanged(f"The list of “{namespace.nid}” already has all that the document says.")
    if any(row.version > replaces for _, row, _ in (*change.changed, *change.retired)):
        raise StaleList(namespace, current)
    return change, last


def write_list(
    namespace: Namespace,
    change: ListChange,
    *,
    by: User | None,
    basis: str,
    last: ListVersion | None,
    is_registered: bool = False,
) -> ListVersion:
    """Write the changes of a list as the version after the last one. Raises NoLevels without a profile.

    `is_registered` says that the register of the namespace adds and changes the rows, and no import. They are its own then.
    """
    if namespace.profile is None:
        raise NoLevels(_without_levels(namespace))
    version, total, digest = (last.version + 1, last.total, last.digest) if last else (1, 0, "")
    write_keys(change.rows)
    copy_insert(
        SubNamespace,
        (
            SubNamespace(
                namespace=namespace,
                key=key,
                content=entry.to_dict(),
                version=version,
                is_registered=is_registered,
            )
            for key, entry in change.added.items()
        ),
    )
    rows = []
    for _, row, entry in (*change.changed, *change.retired):
        row.content, row.version = entry.to_dict(), version
        row.is_registered = row.is_registered or is_registered
        rows.append(row)
    copy_update(SubNamespace, rows, ["content", "version", "is_registered"])
    namespace.refresh_from_db(fields=["has_subnamespaces"])
    made = ListVersion.objects.create(
        namespace=namespace,
        version=version,
        digest=change.digest_after(digest),
        total=total + len(change.added),
        basis=basis,
        set_by=by,
        profile=namespace.profile if change.is_verified or last is None else last.profile,
        is_registered=is_registered,
        **change.counts,
    )
    list_written.send(sender=ListVersion, namespace=namespace, added=change.added.keys())
    return made
