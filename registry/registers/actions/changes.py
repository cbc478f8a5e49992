"""Changes of entries by their holders: at once, or by a request that reviewers decide on (`registry.registers.actions.requests`).

Entries that the holder of the register holds are changed at once, and first come first served, so are all. Under other policies, the
holder of an entry requests the change, also in a closed register (RFC 8126, Section 9.6).
"""

from collections.abc import Mapping
from dataclasses import replace

from registry.accounts.gravity import Gravity
from registry.actions.declarations import Action, ActionContext, Condition, EventType
from registry.actions.engine import performs
from registry.actions.parameters import Selection, Stamp, Text
from registry.audit_log.models import Event
from registry.core.names import NameRefused
from registry.core.rate_limits import count_entry_request
from registry.core.validators import MAX_REASON_LENGTH, check_address, check_optional_text
from registry.registers.actions.registers import ENTRY_TITLE, REFERENCE
from registry.registers.actions.requests import (
    CONTACT,
    IS_UNDECIDED,
    NOTE,
    REGISTER_VERSION,
    REVISION,
    check_register_version,
    check_revision,
    check_undecided,
    end_request,
    on_request,
    set_state,
    withdraw_request,
)
from registry.registers.changes import (
    changed_content,
    check_changes,
    check_is_current,
    label_of,
    past_of_change,
    set_contact,
    write_change,
)
from registry.registers.conditions import HAS_HOLDER, IS_ACTIVE, IS_CURRENT, policy_is_one_of
from registry.registers.entries import skeleton_of
from registry.registers.fields import NO_VALUES, FieldValueRefused
from registry.registers.inputs import VALUES
from registry.registers.models import Entry, EntryRequest, RequestState
from registry.registers.permissions import changes_at_once, holds, holds_entry, requested_change
from registry.registers.policies import CHANGE_REVIEWED, CHANGED_AT_ONCE, REVIEW_CHANGES, TAKE_CHANGES
from registry.registers.subjects import (
    ENTRY,
    ENTRY_OF_REGISTER,
    ENTRY_REQUEST,
    OF_ENTRY,
    PAGE,
    REQUEST_NUMBER,
    STATUS,
    ChangeWaits,
    InvalidChange,
    InvalidEntry,
    StaleEntry,
    TooManyUndecided,
    post_or_hold,
    reviewers_of,
)
from registry.subnamespaces.importing import NoLevels
from registry.subnamespaces.models import Status
from urnsyntax.profiles.subnamespaces.levels import MAX_PREFIX
from urnsyntax.profiles.subnamespaces.lists import SubNamespace as Content

NEW_STATUS = Selection(
    "status",
    "Status",
    "Deprecated: it should not be used for new names. Retired: no new names are assigned in it, and this can't be undone.",
    "active",
    alternatives=Status,
    initial=lambda subject: subject.subnamespace.status if isinstance(subject, Entry) else subject.status,
)
SUCCESSOR = Text(
    "successor",
    "Successor",
    "If the entry is deprecated or retired: the label of an active entry of the same register that is used instead.",
    lines=1,
    is_optional=True,
    max_length=MAX_PREFIX,
    is_identifier=True,
)
REPLACES = Stamp(
    "replaces",
    "The version of the list in which the content of the entry was set that you read",
    current=lambda subject: (subject if isinstance(subject, Entry) else subject.entry).subnamespace.version,
    refusal=StaleEntry,
)
FIELDS = (
    ENTRY_TITLE,
    REFERENCE,
    VALUES,
    NEW_STATUS,
    SUCCESSOR,
    replace(
        CONTACT,
        help_text=(
            "The address of the person who answers for the entry. It is not public. If nothing else changes, it is changed at once. "
            "Empty: it stays as it is."
        ),
        is_optional=True,
    ),
    replace(NOTE, help_text="What the reviewers should know. It is not public."),
    REGISTER_VERSION,
    REPLACES,
)
REFUSALS = (NameRefused, InvalidEntry, InvalidChange, FieldValueRefused, NoLevels)
READ_AGAIN = "Read it again before you change it."
CHANGE_FIRST = "Change something before you send it."
WAITS = Condition[Entry](
    lambda entry: waiting_change(entry) is None,
    "A change of “{subject.name}” waits for a decision. The person who requested it, or who holds the entry, can withdraw it.",
    ChangeWaits,
)
IS_DIRECT = Condition[Entry](
    lambda entry: entry.register.place.is_direct(entry.subnamespace.key),
    "“{subject.name}” was imported, and stands further below than the entries of the register. Ask an administrator to import the change.",
    InvalidChange,
)


def waiting_change(entry: Entry) -> EntryRequest | None:
    """The change of an entry that can still be accepted: its author holds the entry."""
    return next((each for each in _undecided(entry) if entry.is_held_by(each.requested_by)), None)


def _undecided(entry: Entry) -> list[EntryRequest]:
    return list(entry.changes.undecided().select_related("requested_by"))


def _mail_about_change(event: Event, context: ActionContext[Entry]) -> None:
    """Mail those who hold the register, or the entry, but for the one who changed it."""
    entry = context.subject
    people = {each.pk: each for each in (*entry.register.holders, *entry.holders)}
    others = [each for pk, each in people.items() if pk != context.actor.pk]
    post_or_hold(event, entry.register, others, entry_request=context.result)


def _mail_reviewers(event: Event, context: ActionContext[Entry]) -> None:
    request: EntryRequest = context.result
    post_or_hold(event, request.register, reviewers_of(request), entry_request=request)


CHANGE_ENTRY = Action[Entry](
    name="change_entry",
    label="Change the entry",
    button="Send the change",
    effect=f"If the policy is “first come first served”, or you hold the register: {CHANGED_AT_ONCE} Otherwise: {CHANGE_REVIEWED}",
    success=lambda request: (
        "Your request for the change was sent." if request.is_undecided else "The entry was changed."
    ),
    past=past_of_change("Entry {entry} changed"),
    page=PAGE,
    details=(*OF_ENTRY, STATUS),
    permission=holds_entry,
    not_permitted="Only the holder of “{subject.name}” can change it.",
    gravity=Gravity.CONTROL,
    conditions=(
        policy_is_one_of(TAKE_CHANGES, "entries are not changed."),
        IS_ACTIVE,
        IS_CURRENT,
        HAS_HOLDER,
        IS_DIRECT,
        WAITS,
    ),
    parameters=FIELDS,
    refusals=(*REFUSALS, TooManyUndecided),
    notify=_mail_about_change,
)
# The event of a change of the contact alone, which no one reviews, and the log does not name.
CHANGE_CONTACT_OF_ENTRY = EventType(
    name="change_contact_of_entry",
    past="Changed the contact of an entry",
    details=(ENTRY, REQUEST_NUMBER),
    is_public=False,
    notify=_mail_about_change,
)
# The event of a change that reviewers decide on.
REQUEST_CHANGE = EventType(
    name="request_change",
    past="Requested a change of an entry",
    details=(ENTRY, REQUEST_NUMBER),
    is_public=False,
    notify=_mail_reviewers,
)
REVISE_CHANGE = on_request(
    name="revise_change",
    label="Change the request",
    button="Send the changed request",
    effect=CHANGE_REVIEWED,
    success="Your changed request was sent.",
    past="Changed a request for a change",
    permission=requested_change,
    not_permitted="Only the person who requested a change of an entry can do this.",
    gravity=Gravity.CONTROL,
    limit="requests for entries",
    conditions=(
        IS_UNDECIDED,
        policy_is_one_of(
            (),
            "requests are changed in another way.",
            of_changes=REVIEW_CHANGES,
            what_of_changes="requests for changes stay as they are. Withdraw the request.",
        ),
        IS_ACTIVE,
        IS_CURRENT,
        HAS_HOLDER,
    ),
    parameters=(*FIELDS, REVISION),
    refusals=REFUSALS,
)
# The actions on an entry, and on a request for a change of one, by the parts of their addresses.
ACTIONS = {"change": CHANGE_ENTRY}
ON_REQUEST = {"revise-change": REVISE_CHANGE}


@performs(CHANGE_ENTRY, ENTRY_OF_REGISTER)
def change_entry(
    context: ActionContext[Entry],
    *,
    title: str,
    status: str,
    register_version: int,
    replaces: int,
    reference: str = "",
    fields: Mapping[str, str] = NO_VALUES,
    successor: str = "",
    contact: str = "",
    note: str = "",
) -> EntryRequest:
    """Change an entry at once, or request it, see `changes_at_once`. All that the entry is to say is given; the label stays, and so does
    the contact if none is given. The contact alone is changed at once.

    `replaces` is the version of the list in which its content was set, `register_version` that of the register. Both were read.
    """
    entry, by = context.subject, context.actor
    check_register_version(entry.register, register_version)
    check_is_current(entry, replaces, READ_AGAIN)
    content = changed_content(
        entry, title=title, reference=reference, fields=fields, status=status, successor=successor
    )
    contact = _checked_contact(contact, entry.contact)
    is_contact_alone = content == entry.content and contact != entry.contact
    if not is_contact_alone:
        check_changes(entry, content, CHANGE_FIRST)
    end_lapsed_change(entry)
    if not holds(by, entry.register):
        check_undecided(entry.register, by)
        count_entry_request(entry.register_id, by.pk)
    request = EntryRequest(
        register=entry.register,
        entry=entry,
        register_version=register_version,
        requested_by=by,
        contact=contact,
    )
    _describe(request, content, replaces, note)
    if is_contact_alone or changes_at_once(by, entry):
        end_request(request, RequestState.ACCEPTED)
        if is_contact_alone:
            context.event_type = CHANGE_CONTACT_OF_ENTRY
            context.details["entry"] = entry.subnamespace.prefix
        else:
            write_change(context, entry, content)
        set_contact(entry, contact)
    else:
        context.event_type = REQUEST_CHANGE
        set_state(request, RequestState.OPEN)
    context.details["request"] = request.pk
    return request


def _checked_contact(contact: str, former: str) -> str:
    """The address that is given; the former one if none is."""
    return check_address(contact, argument="contact") if contact.strip() else former


@performs(REVISE_CHANGE, ENTRY_REQUEST)
def revise_change(
    context: ActionContext[EntryRequest],
    *,
    title: str,
    status: str,
    register_version: int,
    replaces: int,
    revision: int,
    reference: str = "",
    fields: Mapping[str, str] = NO_VALUES,
    successor: str = "",
    contact: str = "",
    note: str = "",
) -> None:
    """Send another change of the same entry, which waits for a decision again. `revision` is the current version of the request."""
    request = context.subject
    entry = request.entry
    if entry is None or not entry.is_held_by(context.actor):
        raise StaleEntry("You no longer hold the entry. Withdraw the request.")
    check_register_version(request.register, register_version)
    check_revision(request, revision)
    check_is_current(entry, replaces, READ_AGAIN)
    content = changed_content(
        entry, title=title, reference=reference, fields=fields, status=status, successor=successor
    )
    check_changes(entry, content, CHANGE_FIRST)
    request.contact = _checked_contact(contact, request.contact)
    count_entry_request(request.register_id, context.actor.pk)
    _describe(request, content, replaces, note)
    request.version += 1
    request.register_version = register_version
    set_state(request, RequestState.OPEN)


def _describe(request: EntryRequest, content: Content, replaces: int, note: str) -> None:
    """Write into a request what its entry is to say. The label, the key and the skeleton are those that the entry has."""
    register, key = request.register, str(request.entry.subnamespace.key) if request.entry else ""
    request.label = label_of(register, content.prefix)
    request.key, request.skeleton = key, skeleton_of(register.place.rest_of(key))
    request.title, request.reference = content.title, content.reference
    request.fields = dict(content.fields)
    request.status, request.successor = content.status, label_of(register, content.successor)
    request.replaces = replaces
    request.note = check_optional_text(note, "the note", longest=MAX_REASON_LENGTH, argument="note")


def end_lapsed_change(entry: Entry) -> None:
    """Withdraw, for the registry, a change of a locked entry whose author no longer holds it."""
    for request in _undecided(entry):
        if not entry.is_held_by(request.requested_by):
            withdraw_request(request, by=None)
