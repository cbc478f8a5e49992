"""Entries of registers: whether a label is well-formed and free, and writing an entry into the list of sub-namespaces."""

import json
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from django.db.models import Q
from django.utils import timezone

from registry.accounts.models import User
from registry.actions.declarations import ActionContext
from registry.core.database.bulk_copy import copy_insert
from registry.core.names import check_name, comparison_form
from registry.core.validators import MAX_NAME_LENGTH, check_optional_text, check_text, shortened
from registry.registers.models import MAX_ENTRY_REFERENCE, Entry, EntryRequest, Policy, Register
from registry.registers.subjects import EntryLooksAlike, EntryTaken, InvalidEntry
from registry.subnamespaces.importing import (
    ListChange,
    ListFormat,
    ListRefused,
    NoLevels,
    UnreadableList,
    plan_import,
    write_list,
)
from registry.subnamespaces.models import SubNamespace
from urnsyntax.profiles.subnamespaces.levels import MAX_PREFIX

_WORD = re.compile(r"[^\W_]+")
# With which a label is refused.
REFUSALS = (InvalidEntry, EntryTaken, EntryLooksAlike, NoLevels)


@dataclass(frozen=True)
class CheckedEntry:
    """An entry that could be written now. `change` is what it changes in the list."""

    label: str
    title: str
    reference: str
    key: str
    skeleton: str
    change: ListChange

    @property
    def columns(self) -> dict[str, str]:
        """Those of a request."""
        return {name: getattr(self, name) for name in ("label", "title", "reference", "key", "skeleton")}


def skeleton_of(label: str) -> str:
    """What a label looks like (UTS #39, Section 4), without regard to case. Punctuation between its words tells labels apart."""
    return _WORD.sub(lambda word: comparison_form(word[0]), unquote(label))


def check_entry(
    register: Register, *, label: str, title: str, reference: str, revised: EntryRequest | None = None
) -> CheckedEntry:
    """An entry that is well-formed and free, in a locked register.

    Raises the errors of texts, NameRefused, and those of `REFUSALS`. The label may be that of the request which is `revised`.
    """
    label = check_text(label, "the label", longest=MAX_PREFIX, argument="label")
    title = check_name(title, "the title", longest=MAX_NAME_LENGTH, argument="title")
    check_reference = check_text if register.policy == Policy.SPECIFICATION else check_optional_text
    reference = check_reference(
        " ".join(reference.split()), "the specification", longest=MAX_ENTRY_REFERENCE, argument="reference"
    )
    change = _plan(register, label, title, reference)
    if not change.added:
        raise EntryTaken(
            f"“{shortened(label)}” is listed already. Choose another label: none is assigned twice.",
            argument="label",
        )
    (key,) = change.added
    checked = CheckedEntry(label, title, reference, key, skeleton_of(label), change)
    _check_free(register, checked, revised)
    return checked


def _plan(register: Register, label: str, title: str, reference: str) -> ListChange:
    """What the entry changes in the list. Raises InvalidEntry and NoLevels."""
    namespace = register.namespace
    profile = namespace.current_profile
    if profile and profile.walker and (found := set(label) & set(profile.walker.top.separator)):
        raise InvalidEntry(
            f"“{shortened(label)}” contains “{min(found)}”, which ends a label in urn:{namespace.nid}. Remove it.",
            argument="label",
        )
    row = {"prefix": label, "title": title, "reference": reference, "source": register.title}
    row["as_of"] = timezone.now().date().isoformat()
    document = json.dumps({name: value for name, value in row.items() if value})
    try:
        return plan_import(namespace, document, list_format=ListFormat.JSON_LINES)
    except (ListRefused, UnreadableList) as refusal:
        raise InvalidEntry(
            f"“{shortened(label)}” can't begin a name of urn:{namespace.nid}. {refusal}", argument="label"
        ) from refusal


def _check_free(register: Register, checked: CheckedEntry, revised: EntryRequest | None) -> None:
    """Raise EntryTaken or EntryLooksAlike if the label is requested, or looks like one that is listed or requested."""
    _add_listed(register)
    alike = register.entries.filter(skeleton=checked.skeleton).select_related("subnamespace").first()
    if alike is not None:
        raise EntryLooksAlike(
            f"“{shortened(checked.label)}” could be mistaken for “{alike.subnamespace.prefix}”, which is listed "
            "(UTS #39, Section 4). Choose another label.",
            argument="label",
        )
    pending = register.requests.holding_label()
    if revised is not None:
        pending = pending.exclude(pk=revised.pk)
    other = pending.filter(Q(key=checked.key) | Q(skeleton=checked.skeleton)).first()
    if other is not None and other.key == checked.key:
        raise EntryTaken(
            f"“{shortened(checked.label)}” is requested already. Choose another label.", argument="label"
        )
    if other is not None:
        raise EntryLooksAlike(
            f"“{shortened(checked.label)}” could be mistaken for a label that is requested (UTS #39, Section 4). "
            "Choose another label.",
            argument="label",
        )


def _add_listed(register: Register) -> None:
    """Add entries for the sub-namespaces that were imported. Of those that look alike, the first one gets the skeleton."""
    rows = SubNamespace.objects.filter(namespace=register.namespace, entry=None).order_by("pk")
    listed = [(pk, skeleton_of(prefix)) for pk, prefix in rows.values_list("pk", "prefix")]
    if not listed:
        return
    wanted = {skeleton for _, skeleton in listed}
    known = register.entries.filter(skeleton__in=wanted).values_list("skeleton", flat=True)
    free = wanted - set(known)
    entries = []
    for pk, skeleton in listed:
        entries.append(
            Entry(register=register, subnamespace_id=pk, skeleton=skeleton if skeleton in free else None)
        )
        free.discard(skeleton)
    copy_insert(Entry, entries)


def write_entry(
    context: ActionContext[Any],
    register: Register,
    checked: CheckedEntry,
    *,
    person: User | None,
    contact: str,
) -> Entry:
    """Write an entry as the next version of the list, and describe the event."""
    namespace = register.namespace
    made = write_list(
        namespace,
        checked.change,
        by=context.by,
        basis=f"Entry “{checked.label}” of the register “{register.title}”",
        last=namespace.subnamespace_list_versions.last(),
    )
    context.details |= {"entry": checked.label, "version": made.version, "text_digest": made.digest}
    row = SubNamespace.objects.get(namespace=namespace, key=checked.key)
    row.namespace = namespace
    return Entry.objects.create(
        register=register, subnamespace=row, skeleton=checked.skeleton, person=person, contact=contact
    )
