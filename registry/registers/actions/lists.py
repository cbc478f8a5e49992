"""Writing a list of entries at once, for holders who run their own system and publish here."""

from dataclasses import dataclass

from registry.accounts.gravity import Gravity
from registry.actions.declarations import Action, ActionContext
from registry.actions.engine import performs
from registry.actions.parameters import Selection, Stamp, Text
from registry.audit_log.history import VERSION
from registry.core.management.base import ProgressCallback
from registry.core.validators import MAX_BASIS_LENGTH, BodySize, check_text
from registry.registers.actions.registers import HOLDER_ONLY, TAKES_ENTRIES, mail_about_entry
from registry.registers.lists import EntriesRefused, EntryFormat, plan_list
from registry.registers.models import Register
from registry.registers.permissions import holds
from registry.registers.subjects import BELOW, REGISTER
from registry.subnamespaces.importing import (
    ADDED,
    MAX_DOCUMENT,
    REVISED,
    ListUnchanged,
    NoLevels,
    StaleList,
    UnreadableList,
    latest_version,
    planned_on,
    write_list,
)
from registry.subnamespaces.models import ListVersion


@dataclass(frozen=True, slots=True)
class EntryList(Text):
    """A list of entries. A page takes as much as an import, and a request more (`registry.registers.lists.check_size`)."""

    @property
    def body_size(self) -> BodySize:
        return BodySize.TEMPLATE


WRITE_ENTRIES = Action[Register](
    name="write_entries",
    label="Write a list of entries",
    button="Write these entries",
    effect=(
        "New entries are public, and stay; their labels are never assigned again. Of those that are listed, title, "
        "specification and fields become those of the list, and what is replaced is kept. Entries that others hold are not "
        "changed. All lines are written, or none."
    ),
    success="The entries were written.",
    past="Entries of the register: {added} added, {revised} changed; version {version} of the list of sub-namespaces",
    details=(VERSION, ADDED, REVISED, BELOW),
    page="subnamespaces:list",
    permission=holds,
    not_permitted=HOLDER_ONLY,
    gravity=Gravity.CONTROL,
    conditions=TAKES_ENTRIES,
    parameters=(
        EntryList(
            "document",
            "List",
            "One entry on each line. A label that is listed already has its title, its specification and its fields changed; no "
            "entry is removed. What happened before it was in this register stands in “history”.",
            lines=20,
            max_length=MAX_DOCUMENT,
            is_identifier=True,
            sample='{"label": "12", "title": "Botanical Garden", "reference": "RFC 8126"}',
        ),
        Selection(
            "list_format", "Format", alternatives=EntryFormat, initial=lambda _: EntryFormat.JSON_LINES
        ),
        Stamp(
            "replaces",
            "The version of the list of sub-namespaces that you compared with; 0 before the first",
            current=lambda register: latest_version(register.namespace),
            refusal=StaleList,
        ),
    ),
    refusals=(UnreadableList, EntriesRefused, ListUnchanged, NoLevels),
    notify=mail_about_entry,
    # An operator writes a long list for the holder.
    is_automatic=True,
)


@performs(WRITE_ENTRIES, REGISTER)
def write_entries(
    context: ActionContext[Register],
    *,
    document: str,
    list_format: str,
    replaces: int,
    basis: str = "",
    on_lines: ProgressCallback | None = None,
) -> ListVersion:
    """Write a list of entries as one version of the list of sub-namespaces; see `plan_list`, also for `on_lines`.

    `replaces` is the version that the list was compared with, see `planned_on`. If the registry itself writes the list, without a
    person, `basis` says who asked for it; it is public.
    """
    if context.by is None:
        context.reason = checked_basis(basis)
    register, namespace = context.subject, context.subject.namespace
    check_text(document, "the list", longest=len(document), argument="document")
    change, last = planned_on(
        namespace,
        replaces,
        lambda: plan_list(register, document, list_format=list_format, on_lines=on_lines),
    )
    made = write_list(
        namespace,
        change,
        by=context.by,
        basis=": ".join(
            filter(None, [f"A list of entries of the register “{register.title}”", context.reason])
        ),
        last=last,
        is_registered=True,
    )
    context.details = {"text_digest": made.digest, "version": made.version}
    context.details |= {"added": made.added, "revised": made.changed}
    return made


def checked_basis(basis: str) -> str:
    """Who asked for a list that the registry writes, as a text. Raises the errors of texts."""
    return check_text(basis, "the basis", longest=MAX_BASIS_LENGTH, argument="basis")


# By the part of its address.
ACTIONS = {"entries/import": WRITE_ENTRIES}
