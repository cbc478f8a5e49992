"""Requests for entries: making one, its discussion, and the decision on it, also on a change of an entry."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from django.utils import timezone

from registry.accounts.gravity import Gravity
from registry.accounts.models import User
from registry.actions.declarations import Action, ActionContext, Condition, EventType
from registry.actions.engine import performs
from registry.actions.parameters import OPTIONAL_TEXT_REFUSALS, Address, Stamp, Text
from registry.audit_log.models import Event
from registry.core import markdown
from registry.core.exceptions import ConflictOfInterest
from registry.core.names import NameRefused
from registry.core.rate_limits import count_entry_request
from registry.core.validators import (
    MAX_COMMENT_LENGTH,
    MAX_REASON_LENGTH,
    TextMissing,
    check_address,
    check_optional_text,
    check_text,
)
from registry.organisations import gains
from registry.registers.actions.registers import (
    ENTRY_TITLE,
    LABEL,
    REFERENCE,
    REGISTER_ENTRY,
)
from registry.registers.changes import (
    changed_content,
    check_changes,
    check_is_current,
    past_of_change,
    set_contact,
    write_change,
)
from registry.registers.conditions import HAS_HOLDER, IS_ACTIVE, IS_CURRENT, policy_is_one_of
from registry.registers.entries import REFUSALS, CheckedEntry, check_entry, renew_keys, write_entry
from registry.registers.fields import NO_VALUES, declared_only
from registry.registers.inputs import VALUES
from registry.registers.models import UNDECIDED, Entry, EntryRequest, Register, RequestComment, RequestState
from registry.registers.permissions import (
    REVIEWERS_ONLY,
    may_comment,
    may_request,
    may_withdraw,
    own_request,
    requested_entry,
    reviews,
)
from registry.registers.policies import (
    REGISTERED_AT_ONCE,
    REVIEW_CHANGES,
    REVIEWED,
    TAKE_CHANGES,
    TAKE_ENTRIES,
    TAKE_REQUESTS,
    WITH_REVIEW,
    Policy,
)
from registry.registers.subjects import (
    ENTRY_REQUEST,
    OF_ENTRY,
    PAGE,
    REGISTER,
    REQUEST_NUMBER,
    STATUS,
    InvalidChange,
    PolicyForbids,
    RequestDecided,
    RequestIncomplete,
    StaleEntry,
    StaleRegister,
    StaleRequest,
    TooManyUndecided,
    mail_about_request,
    mail_acceptance,
    post_or_hold,
    register_of,
    reviewers_of,
)

MAX_UNDECIDED = 20  # requests of one person in one register
CONTACT = Address(
    "contact",
    "Contact",
    "The address of the person who answers for the entry. Only you, the holder of the register, its reviewers and administrators "
    "of the registry see it.",
    "gardener@example.org",
    is_often_own=True,
)
NOTE = Text(
    "note",
    "Note",
    "What the reviewers should know. Those who see the contact see it, too.",
    lines=4,
    is_optional=True,
    max_length=MAX_REASON_LENGTH,
)
REGISTER_VERSION = Stamp(
    "register_version",
    "The version of the register whose policy you read",
    current=lambda subject: register_of(subject).version,
    refusal=StaleRegister,
)
FIELDS = (LABEL, ENTRY_TITLE, REFERENCE, VALUES, CONTACT, NOTE, REGISTER_VERSION)


EFFECT = f"If the policy is “first come first served”: {REGISTERED_AT_ONCE} Otherwise: {REVIEWED}"


def _gain_of_requester(user: User, subject: Register | EntryRequest) -> str:
    """Why a person who decided on the namespace can't get an entry of it yet; "" if they can."""
    return register_of(subject).obstacle_to_getting(user)


def _mail_new_request(event: Event, context: ActionContext[Register]) -> None:
    """Mail those who decide."""
    register, request = context.subject, context.result
    post_or_hold(event, register, reviewers_of(request), entry_request=request)


REQUEST_ENTRY = Action[Register](
    name="request_entry",
    label="Request an entry",
    button="Send the request",
    effect=EFFECT,
    success=lambda request: (
        "The entry is registered." if not request.is_undecided else "Your request was sent."
    ),
    past="Requested an entry",
    details=(REQUEST_NUMBER,),
    is_public=False,
    permission=may_request,
    gravity=Gravity.ORDINARY,
    limit="requests for entries",
    conditions=(
        policy_is_one_of(TAKE_REQUESTS, "no one can request an entry."),
        IS_ACTIVE,
        IS_CURRENT,
        HAS_HOLDER,
    ),
    obstacle=_gain_of_requester,
    parameters=FIELDS,
    refusals=(NameRefused, TooManyUndecided, *REFUSALS),
    notify=_mail_new_request,
)


@performs(REQUEST_ENTRY, REGISTER)
def request_entry(
    context: ActionContext[Register],
    *,
    label: str,
    title: str,
    contact: str,
    register_version: int,
    reference: str = "",
    fields: Mapping[str, str] = NO_VALUES,
    note: str = "",
) -> EntryRequest:
    """Request an entry. By the policy “first come first served”, it is registered at once."""
    register, by = context.subject, context.actor
    check_register_version(register, register_version)
    contact, note = _checked_texts(contact, note)
    check_undecided(register, by)
    checked = check_entry(register, label=label, title=title, reference=reference, fields=fields)
    count_entry_request(register.pk, by.pk)
    request = EntryRequest(
        register=register,
        register_version=register_version,
        requested_by=by,
        contact=contact,
        note=note,
        **checked.columns,
    )
    set_state(request, RequestState.OPEN)
    context.details = {"request": request.pk}
    _serve_first_come(context, request, checked)
    return request


def check_undecided(register: Register, by: User) -> None:
    """Raise TooManyUndecided if a person has as many undecided requests in a register as one can have."""
    if register.requests.undecided().filter(requested_by=by).count() >= MAX_UNDECIDED:
        raise TooManyUndecided(
            f"You have {MAX_UNDECIDED} undecided requests in “{register}”. Wait for decisions, or withdraw one."
        )


def check_register_version(register: Register, version: int) -> None:
    """Raise StaleRegister if the policy, which says what becomes of a request, was changed."""
    if version != register.version:
        raise StaleRegister(
            f"“{register}” was changed after you read it: its policy is {register.get_policy_display()}. Read it again before you "
            "send the request."
        )


def _serve_first_come(context: ActionContext[Any], request: EntryRequest, checked: CheckedEntry) -> None:
    """Register the entry of a new or changed request at once, if the policy is “first come first served”."""
    if request.register.policy == Policy.FIRST_COME:
        context.event_type, context.person = REGISTER_ENTRY, request.requested_by
        end_request(request, RequestState.ACCEPTED)
        write_entry(context, request.register, checked, person=request.requested_by, contact=request.contact)


def _checked_texts(contact: str, note: str) -> tuple[str, str]:
    """The address and the note as they are stored."""
    return (
        check_address(contact, argument="contact"),
        check_optional_text(note, "the note", longest=MAX_REASON_LENGTH, argument="note"),
    )


def _is_one_of(*states: RequestState) -> Condition[EntryRequest]:
    return Condition(
        lambda request: request.state in states,
        lambda request: f"This request for “{request.label}” is {request.get_state_display()}.",
        RequestDecided,
    )


IS_UNDECIDED = _is_one_of(*UNDECIDED)
REVISION = Stamp(
    "revision",
    "The version of the request that you read",
    current=lambda request: request.version,
    refusal=StaleRequest,
)
# What actions on a request have in common.
on_request = partial(
    Action[EntryRequest],
    details=(REQUEST_NUMBER,),
    is_public=False,
    gravity=Gravity.ORDINARY,
    notify=mail_about_request,
)
# And those of people who review it.
decision = partial(on_request, permission=reviews, not_permitted=REVIEWERS_ONLY, obstacle=own_request)
ACCEPT_REQUEST = decision(
    name="accept_request",
    label="Accept the request",
    effect=(
        "A new entry is registered, and public. It stays, and its label is never assigned again. The requester holds it, with all "
        "names below it. A change is public, too, and what it replaces stays public. The public log names you, as who accepted it."
    ),
    success=lambda request: (
        f"The entry is {'changed' if request.is_change else 'registered'}. The requester was notified by e-mail."
    ),
    past="Entry {entry} registered after review, version {version} of the list of sub-namespaces",
    page=PAGE,
    details=OF_ENTRY,
    is_public=True,
    gravity=Gravity.CONTROL,
    conditions=(
        IS_UNDECIDED,
        policy_is_one_of(
            TAKE_ENTRIES,
            "no entries are registered.",
            of_changes=TAKE_CHANGES,
            what_of_changes="no entries are changed.",
        ),
        Condition(
            lambda request: not request.lacks_specification,
            "This request names no specification, which the policy needs now. Ask the requester to add one.",
            PolicyForbids,
        ),
        Condition(
            lambda request: not request.fault_of_fields,
            lambda request: (
                f"By the fields that the register asks for now, this request is not complete. {request.fault_of_fields} Ask the "
                "requester to change it."
            ),
            RequestIncomplete,
        ),
        IS_ACTIVE,
        IS_CURRENT,
    ),
    parameters=(REVISION,),
    refusals=(
        NameRefused,
        *REFUSALS,
        InvalidChange,
        StaleEntry,
        *OPTIONAL_TEXT_REFUSALS,
        TextMissing,
        ConflictOfInterest,
    ),
    notify=mail_acceptance,
)
# The event of a change that is accepted.
ACCEPT_CHANGE = EventType(
    name="accept_change",
    past=past_of_change("Entry {entry} changed after review"),
    page=PAGE,
    details=(*OF_ENTRY, STATUS),
    notify=mail_acceptance,
)
ASK_FOR_CHANGES = decision(
    name="ask_for_changes",
    label="Ask for changes",
    button="Ask for these changes",
    effect="The requester gets the text by e-mail, and can change the request. It becomes a comment.",
    success="The requester was asked for changes.",
    past="Asked for changes of a request",
    conditions=(
        _is_one_of(RequestState.OPEN),
        policy_is_one_of(
            WITH_REVIEW,
            "reviewers accept or refuse a request, as it is.",
            of_changes=REVIEW_CHANGES,
            what_of_changes="reviewers accept or refuse a change, as it is.",
        ),
        IS_ACTIVE,
        IS_CURRENT,
    ),
    parameters=(
        Text("text", "What to change", "", "Add the specification.", lines=6, max_length=MAX_COMMENT_LENGTH),
        REVISION,
    ),
)
REFUSE_REQUEST = decision(
    name="refuse_request",
    label="Refuse the request",
    effect=(
        "The label of a new entry is free again, and an entry that was to be changed stays as it is. The requester gets the reason by "
        "e-mail. This can't be undone."
    ),
    success="The request was refused. The requester was notified by e-mail.",
    past="Refused a request",
    gravity=Gravity.CONTROL,
    conditions=(IS_UNDECIDED, IS_ACTIVE),
    parameters=(
        Text(
            "reason",
            "Reason",
            "Only the requester and those who can see the request read it.",
            "It does not follow the guidance.",
            lines=4,
            max_length=MAX_REASON_LENGTH,
        ),
        REVISION,
    ),
    is_grave=True,
)
COMMENT_ON_REQUEST = on_request(
    name="comment_on_request",
    label="Comment",
    button="Send the comment",
    effect=(
        "The requester, the holder of the register, its reviewers and administrators of the registry read the comment. It is not "
        "public."
    ),
    success="Your comment was sent.",
    past="Commented on a request",
    permission=may_comment,
    not_permitted="Only the requester, the holder of the register and its reviewers can comment.",
    limit="comments",
    conditions=(IS_UNDECIDED,),
    parameters=(
        Text("text", "Comment", markdown.HELP, "Which gardens?", lines=4, max_length=MAX_COMMENT_LENGTH),
    ),
)
REVISE_REQUEST = on_request(
    name="revise_request",
    label="Change the request",
    button="Send the changed request",
    effect=EFFECT,
    success=lambda request: (
        "Your changed request was sent." if request.is_undecided else "The entry is registered."
    ),
    past="Changed a request",
    permission=requested_entry,
    not_permitted="Only the person who requested a new entry can do this.",
    limit="requests for entries",
    conditions=(
        IS_UNDECIDED,
        policy_is_one_of(TAKE_REQUESTS, "requests are not changed."),
        IS_ACTIVE,
        IS_CURRENT,
        HAS_HOLDER,
    ),
    obstacle=_gain_of_requester,
    parameters=(*FIELDS, REVISION),
    refusals=(NameRefused, *REFUSALS),
)
WITHDRAW_REQUEST = on_request(
    name="withdraw_request",
    label="Withdraw the request",
    effect=(
        "The label of a new entry is free again, and an entry that was to be changed stays as it is. This can't be undone."
    ),
    success="The request was withdrawn.",
    past="Withdrew a request",
    permission=may_withdraw,
    not_permitted="Only the person who made the request, or who holds the entry that it would change, can do this.",
    conditions=(IS_UNDECIDED,),
    is_grave=True,
    # The account of the requester was closed.
    is_automatic=True,
)
# The actions on a request with forms on its page, in the order of the buttons; and those with pages of their own, some of which
# ask for a recent sign-in.
ON_PAGE = {"comments": COMMENT_ON_REQUEST, "ask": ASK_FOR_CHANGES, "withdraw": WITHDRAW_REQUEST}
WITH_PAGE = {"accept": ACCEPT_REQUEST, "refuse": REFUSE_REQUEST, "revise": REVISE_REQUEST}
ACTIONS = {**ON_PAGE, **WITH_PAGE}


@performs(ACCEPT_REQUEST, ENTRY_REQUEST)
def accept_request(context: ActionContext[EntryRequest], *, revision: int) -> None:
    """Register the entry of a request, or change its entry. `revision` is its current version."""
    request = context.subject
    check_revision(request, revision)
    if request.entry is not None:
        _accept_change(context, request.entry)
        return
    # Who decided on the namespace after they made the request.
    gains.check_may_get(request.requested_by, request.register.namespace)
    texts = {name: getattr(request, name) for name in ("label", "title", "reference")}
    values = declared_only(request.register.declared, request.fields)
    checked = check_entry(request.register, revised=request, may_decide=True, fields=values, **texts)
    end_request(request, RequestState.ACCEPTED, by=context.actor)
    write_entry(context, request.register, checked, person=request.requested_by, contact=request.contact)


def _accept_change(context: ActionContext[EntryRequest], entry: Entry) -> None:
    """Change an entry as it was requested. Raises StaleEntry if it was changed, or handed on, after that, and
    InvalidChange if nothing is left of the change.
    """
    request, register = context.subject, entry.register
    if not entry.is_held_by(request.requested_by):
        raise StaleEntry(
            "The person who requested this change no longer holds the entry. Refuse the request: who holds it can make another one."
        )
    check_is_current(
        entry, request.replaces, "Ask the requester to read it again, and to send the change again."
    )
    content = changed_content(
        entry,
        title=request.title,
        reference=request.reference,
        fields=declared_only(register.declared, request.fields),
        status=request.status,
        successor=request.successor,
    )
    check_changes(
        entry,
        content,
        "The fields that the request would change were removed from the register. Ask for other changes, or refuse it.",
    )
    context.event_type = ACCEPT_CHANGE
    end_request(request, RequestState.ACCEPTED, by=context.actor)
    write_change(context, entry, content)
    set_contact(entry, request.contact)


@performs(ASK_FOR_CHANGES, ENTRY_REQUEST)
def ask_for_changes(context: ActionContext[EntryRequest], *, text: str, revision: int) -> None:
    """Ask the requester to change a request, with a comment. `revision` is its current version.

    It gets the next one, so that its author and other reviewers read what was asked before they send what they wrote.
    """
    request = context.subject
    check_revision(request, revision)
    _add_comment(context, text, "what to change")
    request.version += 1
    set_state(request, RequestState.CHANGES_REQUESTED)


@performs(REFUSE_REQUEST, ENTRY_REQUEST)
def refuse_request(context: ActionContext[EntryRequest], *, reason: str, revision: int) -> None:
    """Refuse a request, so that its label is free again. `revision` is its current version."""
    request = context.subject
    check_revision(request, revision)
    request.reason = check_text(reason, "the reason", longest=MAX_REASON_LENGTH, argument="reason")
    end_request(request, RequestState.REFUSED, by=context.actor)
    renew_keys(request.register)


@performs(COMMENT_ON_REQUEST, ENTRY_REQUEST)
def comment_on_request(context: ActionContext[EntryRequest], *, text: str) -> RequestComment:
    """Comment on a request. A comment that repeats the previous one of its author is not stored again."""
    previous = context.subject.comments.last()
    if previous is not None and (previous.author_id, previous.text) == (context.actor.pk, text.strip()):
        context.is_recorded = False
        return previous
    if context.actor.pk == context.subject.requested_by_id:
        count_entry_request(context.subject.register_id, context.actor.pk)
    return _add_comment(context, text, "the comment")


@performs(REVISE_REQUEST, ENTRY_REQUEST)
def revise_request(
    context: ActionContext[EntryRequest],
    *,
    label: str,
    title: str,
    contact: str,
    register_version: int,
    revision: int,
    reference: str = "",
    fields: Mapping[str, str] = NO_VALUES,
    note: str = "",
) -> None:
    """Change a request, which then waits for a decision again, or is registered as a new one would be.

    `revision` is its current version.
    """
    request = context.subject
    check_register_version(request.register, register_version)
    check_revision(request, revision)
    request.contact, request.note = _checked_texts(contact, note)
    checked = check_entry(
        request.register, label=label, title=title, reference=reference, fields=fields, revised=request
    )
    count_entry_request(request.register_id, request.requested_by_id)
    for name, value in checked.columns.items():
        setattr(request, name, value)
    request.version += 1
    request.register_version = register_version
    set_state(request, RequestState.OPEN)
    _serve_first_come(context, request, checked)


@performs(WITHDRAW_REQUEST, ENTRY_REQUEST)
def withdraw_request(context: ActionContext[EntryRequest]) -> None:
    """Withdraw a request, so that its label, or its entry, is free for another one."""
    end_request(context.subject, RequestState.WITHDRAWN)
    renew_keys(context.subject.register)


def check_revision(request: EntryRequest, revision: int) -> None:
    """Raise StaleRequest unless the person who acts read the request as it is."""
    if revision != request.version:
        raise StaleRequest(
            "The request was changed, or changes to it were asked for, after you read it. Read it again, with its discussion."
        )


def _add_comment(context: ActionContext[EntryRequest], text: str, what: str) -> RequestComment:
    text = check_text(text, what, longest=MAX_COMMENT_LENGTH, argument="text")
    return RequestComment.objects.create(request=context.subject, author=context.actor, text=text)


def end_request(request: EntryRequest, state: RequestState, *, by: User | None = None) -> None:
    """End a request. Without `by`, the requester or the policy did."""
    request.decided_at, request.decided_by = timezone.now(), by
    set_state(request, state)


def set_state(request: EntryRequest, state: RequestState) -> None:
    request.state = state
    request.save()
