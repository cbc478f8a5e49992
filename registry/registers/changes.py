"""What an entry says after a change: title, specification, values of fields, status and successor.

The change of one entry and a line of a list use the same rules. What is stored already is not judged again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from registry.actions.declarations import ActionContext
from registry.audit_log.models import Event
from registry.core.validators import shortened
from registry.registers.entries import checked_reference, checked_title, statement_of
from registry.registers.fields import RegisterField, check_values, declared_only
from registry.registers.models import Entry, Register
from registry.registers.subjects import InvalidChange, StaleEntry
from registry.subnamespaces.importing import ListChange, fits_profile, write_list
from registry.subnamespaces.models import Status, SubNamespace
from registry.subnamespaces.queries import NoSuchSubNamespace, get_subnamespace
from urnsyntax.profiles.subnamespaces.lists import MAX_FIELDS
from urnsyntax.profiles.subnamespaces.lists import SubNamespace as Content


def changed_texts(
    register: Register, stored: Content, *, title: str, reference: str, fields: Mapping[str, str]
) -> Content:
    """The content of an entry with other texts and values. Raises the errors of texts, NameRefused, InvalidEntry and
    FieldValueRefused.
    """
    if reference != stored.reference:
        # The address that an import stated is that of the former one.
        stored = replace(stored, reference=checked_reference(register, reference), url="")
    return replace(
        stored,
        title=stored.title if title == stored.title else checked_title(title),
        fields=_changed_values(register.declared, stored.fields, fields),
    )


def _changed_values(
    declared: Sequence[RegisterField], stored: Mapping[str, str], given: Mapping[str, str]
) -> Mapping[str, str]:
    """The new values of an entry, which keeps those of fields that were removed from the register."""
    known = declared_only(declared, dict(stored))
    if {name: text for name, text in given.items() if text} == known:
        return stored
    values = check_values(declared, given, stored=known)
    removed = sorted((name, value) for name, value in dict(stored).items() if name not in known)
    # Without any, as the library writes it. What does not fit is in the former contents.
    return values | dict(removed[: MAX_FIELDS - len(values)]) or ()  # type: ignore[return-value]


def changed_content(
    entry: Entry, *, title: str, reference: str, fields: Mapping[str, str], status: str, successor: str
) -> Content:
    """What a locked entry says after a change. `successor` is a label in the same register; "" for none.

    Raises what `changed_texts` raises, and InvalidChange.
    """
    stored = entry.content
    wanted = changed_texts(entry.register, stored, title=title, reference=reference, fields=fields)
    if status == Status.RETIRED:
        _check_can_retire(entry)
    wanted = replace(wanted, status=status, successor=_successor(entry, stored, status, successor))
    return stated_anew(entry.register, stored, wanted)


def stated_anew(register: Register, stored: Content, wanted: Content) -> Content:
    """What an entry is to say, as a statement of its register of today; what is stored, if that is the same.

    The source that an import named did not say what is changed.
    """
    return stored if wanted == stored else replace(wanted, **statement_of(register))


def check_changes(entry: Entry, content: Content, advice: str) -> None:
    """Raise InvalidChange if a locked entry says this already."""
    if content == entry.content:
        raise InvalidChange(f"“{entry.name}” says all of this already. {advice}")


def _check_can_retire(entry: Entry) -> None:
    """Raise InvalidChange while something is registered below the entry: its holders rely on it."""
    below = Entry.objects.filter(register__entry=entry).exclude(subnamespace__status=Status.RETIRED)
    if first := below.select_related("subnamespace").order_by("pk").first():
        raise InvalidChange(
            f"“{first.subnamespace.prefix}”, which is registered below it, is not retired. Retire what is below the entry first, or "
            "deprecate the entry.",
            argument="status",
        )


def _successor(entry: Entry, stored: Content, status: str, label: str) -> str:
    """The prefix of the successor; "" for none. Raises InvalidChange."""
    label = label.strip()
    if not label or label == label_of(entry.register, stored.successor):
        if label and status == Status.ACTIVE:
            raise _no_successor()
        return stored.successor if label else ""
    if status == Status.ACTIVE:
        raise _no_successor()
    found = _entry_with(entry.register, label)
    if found is None or found.status != Status.ACTIVE:
        is_what = "is no entry of the register" if found is None else f"is {found.status}"
        raise InvalidChange(
            f"“{shortened(label)}” {is_what}, so it can't be the successor. Name an active entry of the same register.",
            argument="successor",
        )
    if found.pk == entry.subnamespace_id:
        raise InvalidChange("An entry is not its own successor. Name another entry.", argument="successor")
    return str(found.prefix)


def _no_successor() -> InvalidChange:
    return InvalidChange(
        "An active entry has no successor. Choose “deprecated” or “retired”, or leave the successor out.",
        argument="successor",
    )


def _entry_with(register: Register, label: str) -> SubNamespace | None:
    """The sub-namespace of the entry with a label, in any equivalent spelling; None if there is none in the register."""
    try:
        row = get_subnamespace(register.namespace, f"{register.place.before}{label}")
    except NoSuchSubNamespace:
        return None
    return row if Entry.objects.filter(register=register, subnamespace=row).exists() else None


def label_of(register: Register, prefix: str) -> str:
    """The label of an entry by its prefix. A successor that an import named can be in another register: it is the whole prefix."""
    return prefix.removeprefix(register.place.before)


def planned(entry: Entry, content: Content) -> ListChange:
    """What the change of an entry changes in the list."""
    row = entry.subnamespace
    change = ((row.key, row, content),)
    is_retired = content.status == Status.RETIRED != row.status
    changed, retired = ((), change) if is_retired else (change, ())
    return ListChange({}, changed, retired, {}, is_verified=fits_profile(entry.register.namespace))


def check_is_current(entry: Entry, version: int | None, advice: str) -> None:
    """Raise StaleEntry unless the content of a locked entry is that of a version of the list, which was read."""
    if version != entry.subnamespace.version:
        raise StaleEntry(f"“{entry.name}” was changed after it was read. {advice}")


def past_of_change(what: str) -> Callable[[Event], str]:
    """The line of the history, with the status that the entry got."""

    def line(event: Event) -> str:
        got = ", now {status}" if "status" in event.details else ""
        return f"{what}{got}; version {{version}} of the list of sub-namespaces"

    return line


def write_change(context: ActionContext[Any], entry: Entry, content: Content) -> None:
    """Write a changed entry as the next version of the list, and describe the event."""
    register, row = entry.register, entry.subnamespace
    former, change = row.status, planned(entry, content)
    made = write_list(
        register.namespace,
        change,
        by=context.by,
        basis=f"Change of the entry “{row.prefix}” of the register “{register.title}”",
        last=register.namespace.subnamespace_list_versions.last(),
        is_registered=True,
    )
    context.details |= {"entry": row.prefix, "version": made.version, "text_digest": made.digest}
    if content.status != former:
        context.details["status"] = content.status


def set_contact(entry: Entry, contact: str) -> None:
    """Store the contact of an entry; "" if it was erased from the request that named it."""
    if contact and contact != entry.contact:
        entry.contact = contact
        entry.save(update_fields=["contact"])


def texts_of(entry: Entry) -> dict[str, Any]:
    """What an entry says, by the arguments of a change."""
    content = entry.content
    return {
        "title": content.title,
        "reference": content.reference,
        "fields": dict(content.fields),
        "status": content.status,
        "successor": label_of(entry.register, content.successor),
        "contact": entry.contact,
    }
