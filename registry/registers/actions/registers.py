"""Opening, changing, suspending and resuming a register, its reviewers, and entries that its holder registers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any

from django import forms
from django.utils import timezone

from registry.accounts.gravity import Gravity
from registry.accounts.models import User, is_address
from registry.actions.declarations import Action, ActionContext, Condition
from registry.actions.engine import performs
from registry.actions.parameters import Address, Name, Selection, Text
from registry.audit_log.history import private
from registry.audit_log.models import Event
from registry.core.http.urls import absolute_url
from registry.core.names import NameRefused, check_name
from registry.core.validators import (
    MAX_NAME_LENGTH,
    MAX_REASON_LENGTH,
    check_address,
    check_optional_text,
    check_text,
)
from registry.namespaces import permissions
from registry.namespaces.actions.profiles import (
    ExamplesFail,
    PrefixesCollide,
    RegistrationContradicted,
    record_profile,
    write_profile,
)
from registry.namespaces.models import Namespace
from registry.organisations.models import Membership
from registry.registers.conditions import IS_ACTIVE, IS_CURRENT, policy_is_one_of
from registry.registers.entries import REFUSALS, add_listed_entries, check_entry, write_entry
from registry.registers.fields import NO_VALUES
from registry.registers.inputs import VALUES
from registry.registers.models import MAX_ENTRY_REFERENCE, MAX_GUIDANCE, Entry, Register, Reviewer
from registry.registers.permissions import administers, holds
from registry.registers.policies import TAKE_ENTRIES, Policy
from registry.registers.subjects import (
    BELOW,
    NAMESPACE_OF_REGISTER,
    OF_ENTRY,
    PAGE,
    POLICY,
    REGISTER,
    InvalidRegister,
    InvalidReviewer,
    NoOrganisation,
    NotSuspended,
    RegisterExists,
    RegisterNeedsProfile,
    RegisterUnchanged,
    find_register,
    mail_all,
    mail_holders,
    post,
    post_or_hold,
    register_of,
)
from registry.registers.versions import REPLACES, begin_version, check_replaces
from registry.subnamespaces.models import MEMBER_WORDS
from urnsyntax.profiles import InvalidProfile, Profile
from urnsyntax.profiles.subnamespaces.levels import MAX_PREFIX, Level

MAX_ENTRY_NAME = 60  # as of a level
HOLDER_ONLY = "Only the holder of the register of “{subject.name}” can do this, or who represents the organisation that holds it."
TITLE = Name(
    "title",
    "Title",
    "What the register contains, such as “Gardens with numbered trees”.",
    "Gardens",
    max_length=MAX_NAME_LENGTH,
)
GUIDANCE = Text(
    "guidance",
    "Guidance",
    "What people should know before they request an entry, and what reviewers look at (RFC 8126, Section 5.3). "
    "It is public, and stays public after a change: name no one in it.",
    lines=6,
    is_optional=True,
    max_length=MAX_GUIDANCE,
)


@dataclass(frozen=True, slots=True)
class OfLevel(Name):
    """What `of` reads from the level of the profile. If the profile has one, the field is not changed."""

    of: Callable[[Level], str] = attrgetter("name")
    initial: str = ""

    def form_field(self, subject: Any = None, by: User | None = None) -> forms.Field:
        field = super(OfLevel, self).form_field(subject, by)
        profile = subject.current_profile
        levels = profile.walker if profile else None
        field.required, field.disabled = True, levels is not None
        field.initial = self.of(levels.top) if levels else self.initial
        field.help_text = (
            "The profile of the namespace says it." if levels else self.help_text.removesuffix(UNLESS_LEVELS)
        )
        return field


@dataclass(frozen=True, slots=True)
class Specification(Text):
    """The document that describes an entry. Some policies need one."""

    def form_field(self, subject: Any = None, by: User | None = None) -> forms.Field:
        field = super(Specification, self).form_field(subject, by)
        field.required = register_of(subject).policy == Policy.SPECIFICATION
        field.help_text = f"{DOCUMENT} {PERMANENT}" if field.required else DOCUMENT
        return field


@dataclass(frozen=True, slots=True)
class Label(Text):
    """The label of an entry. Below an entry, the form shows what stands before it."""

    def form_field(self, subject: Any = None, by: User | None = None) -> forms.Field:
        field = super(Label, self).form_field(subject, by)
        register = register_of(subject)
        if register.entry is not None:
            field.help_text = (
                f"What stands after {register.beginning} in the names, without the separator that follows."
            )
        return field


UNLESS_LEVELS = " Needed unless the profile has levels, which say it."
DOCUMENT = "The document that describes it, such as “RFC 8126”, or its address."
PERMANENT = "It must be permanent and readily available (RFC 8126, Section 4.6)."
LABEL = Label(
    "label",
    "Label",
    "The beginning of the names: what stands after the NID and its colon, without the separator that follows.",
    "kew",
    lines=1,
    max_length=MAX_PREFIX,
    is_identifier=True,
)
ENTRY_TITLE = Name(
    "title",
    "Title",
    "What it is, for people who do not know it.",
    "Kew Gardens",
    max_length=MAX_NAME_LENGTH,
)
REFERENCE = Specification(
    "reference",
    MEMBER_WORDS["reference"].capitalize(),
    f"{DOCUMENT} By the policy “specification required”, one is needed. {PERMANENT}",
    lines=1,
    is_optional=True,
    max_length=MAX_ENTRY_REFERENCE,
)


def past_of(what: str) -> Callable[[Event], str]:
    """The line of the history, with the place of a register below an entry."""
    return lambda event: f"{what}, below {{below}}" if "below" in event.details else what


POLICY_CHOICE = Selection(
    "policy",
    "Policy",
    "Who may add entries (RFC 8126, Section 4). It can be changed later.",
    "expert_review",
    alternatives=Policy,
    initial=lambda subject: getattr(subject, "policy", ""),
)
OPEN_REGISTER = Action[Namespace](
    name="open_register",
    label="Open a register",
    button="Open the register",
    effect=(
        "A register lists what stands directly below the namespace, and says who may add entries to it. It is public. What is "
        "registered in it stays, and no label is assigned twice. A profile without levels gets one for the entries."
    ),
    success="The register is open.",
    past="Register opened",
    page=PAGE,
    details=(POLICY,),
    permission=permissions.is_registrant,
    not_permitted="Only the registrant of “{subject.nid}” can open a register.",
    gravity=Gravity.CONTROL,
    conditions=(
        IS_CURRENT,
        Condition(
            lambda namespace: find_register(namespace) is None,
            "“{subject.nid}” has a register already.",
            RegisterExists,
        ),
        Condition(
            lambda namespace: namespace.current_profile is not None,
            "“{subject.nid}” has no profile, so that nothing would consult its register. Ask an administrator to set a profile.",
            RegisterNeedsProfile,
        ),
    ),
    parameters=(
        POLICY_CHOICE,
        OfLevel(
            "entry_name",
            "Name of an entry",
            f"What one entry is called: a noun in the singular without an article, such as “garden”.{UNLESS_LEVELS}",
            "garden",
            is_optional=True,
            max_length=MAX_ENTRY_NAME,
        ),
        OfLevel(
            "separator",
            "Separator",
            f"What ends a label in the names, such as the third colon of urn:example:kew:4711.{UNLESS_LEVELS}",
            ":",
            is_optional=True,
            is_identifier=True,
            max_length=1,
            of=lambda level: level.separator[0],
            initial=":",
        ),
        TITLE,
        GUIDANCE,
    ),
    refusals=(InvalidRegister, NameRefused, ExamplesFail, PrefixesCollide, RegistrationContradicted),
    notify=mail_holders,
)
CHANGE_REGISTER = Action[Register](
    name="change_register",
    label="Change the register",
    button="Save the changes",
    effect=(
        "The policy applies from now on, also to requests that wait. Entries stay. What the register said before stays public."
    ),
    success="The register was changed.",
    past=past_of("Register changed"),
    page=PAGE,
    details=(POLICY, BELOW),
    permission=holds,
    not_permitted=HOLDER_ONLY,
    gravity=Gravity.CONTROL,
    parameters=(
        POLICY_CHOICE,
        TITLE,
        GUIDANCE,
        REPLACES,
    ),
    refusals=(NameRefused, RegisterUnchanged),
    notify=mail_all,
)
SUSPEND_REGISTER = Action[Register](
    name="suspend_register",
    label="Suspend the register",
    effect=(
        "The register takes no requests, decisions and entries until an administrator resumes it. What is registered stays. "
        "The reason is public."
    ),
    success="The register is suspended. Its holder was notified by e-mail.",
    past=past_of("Register suspended"),
    page=PAGE,
    details=(BELOW,),
    permission=administers,
    not_permitted="Only an administrator without an interest in “{subject.namespace.nid}” can suspend its register.",
    gravity=Gravity.DECISION,
    conditions=(IS_ACTIVE,),
    parameters=(
        Text(
            "reason",
            "Reason",
            "Such as the order of a court, or abuse. It is public.",
            "Order of a court.",
            lines=4,
            max_length=MAX_REASON_LENGTH,
        ),
    ),
    is_grave=True,
    needs_confirmed_address=False,
    notify=mail_all,
)
RESUME_REGISTER = Action[Register](
    name="resume_register",
    label="Resume the register",
    effect="The register takes requests, decisions and entries again. The reason is public.",
    success="The register is resumed. Its holder was notified by e-mail.",
    past=past_of("Register resumed"),
    page=PAGE,
    details=(BELOW,),
    permission=administers,
    not_permitted="Only an administrator without an interest in “{subject.namespace.nid}” can resume its register.",
    gravity=Gravity.DECISION,
    conditions=(
        Condition(lambda register: register.is_suspended, "“{subject}” is not suspended.", NotSuspended),
    ),
    parameters=(
        Text(
            "reason",
            "Reason",
            "Why the reason for the suspension no longer applies. It is public.",
            "The order was lifted.",
            lines=4,
            max_length=MAX_REASON_LENGTH,
        ),
    ),
    needs_confirmed_address=False,
    notify=mail_all,
)


def _mail_reviewer(event: Event, context: ActionContext[Register]) -> None:
    """Mail the reviewer and the holders."""
    register, person = context.subject, context.person
    post(event, register, [*register.holders, *([person] if person else [])], person=person)


on_reviewer = partial(
    Action[Register],
    details=(private("person", int), BELOW),
    is_public=False,
    permission=holds,
    not_permitted=HOLDER_ONLY,
    gravity=Gravity.CONTROL,
    parameters=(
        Address("email", "E-mail address", "That of a member of the organisation.", "reviewer@example.org"),
    ),
    conditions=(
        Condition(
            lambda register: register.controller.organisation is not None,
            "A person holds the register of “{subject.name}”, and decides on requests. An organisation can name reviewers.",
            NoOrganisation,
        ),
    ),
    refusals=(InvalidReviewer,),
    notify=_mail_reviewer,
)
NAME_REVIEWER = on_reviewer(
    name="name_reviewer",
    label="Name a reviewer",
    effect="The person decides on requests, as long as this membership lasts and the organisation holds the register.",
    success="The reviewer was named.",
)
REMOVE_REVIEWER = on_reviewer(
    name="remove_reviewer",
    label="Remove a reviewer",
    effect="The person no longer decides on requests. What they decided stays.",
    success="The reviewer was removed.",
    is_grave=True,
)


def mail_about_entry(event: Event, context: ActionContext[Any]) -> None:
    """Mail the holders of the register but for the one who registered the entry or the entries, and who requested it."""
    register, person = register_of(context.subject), context.person
    known = {each.pk for each in (person, context.by) if each}
    post_or_hold(event, register, [each for each in register.holders if each.pk not in known])
    if person is not None:
        post(event, register, [person])


TAKES_ENTRIES = (policy_is_one_of(TAKE_ENTRIES, "no entries are registered."), IS_ACTIVE, IS_CURRENT)
# Also the event of a request that is registered at once.
REGISTER_ENTRY = Action[Register](
    name="register_entry",
    label="Register an entry",
    button="Register this entry",
    effect="The entry is public, and stays. Its label is never assigned again.",
    success="The entry is registered.",
    past="Entry {entry} registered, version {version} of the list of sub-namespaces",
    page=PAGE,
    details=(*OF_ENTRY, BELOW),
    permission=holds,
    not_permitted=HOLDER_ONLY,
    gravity=Gravity.ORDINARY,
    conditions=TAKES_ENTRIES,
    parameters=(LABEL, ENTRY_TITLE, REFERENCE, VALUES),
    refusals=(NameRefused, *REFUSALS),
    notify=mail_about_entry,
)
# The actions on a register by the parts of their addresses.
ACTIONS = {
    "change": CHANGE_REGISTER,
    "entries": REGISTER_ENTRY,
    "name-reviewer": NAME_REVIEWER,
    "remove-reviewer": REMOVE_REVIEWER,
    "suspend": SUSPEND_REGISTER,
    "resume": RESUME_REGISTER,
}


@performs(OPEN_REGISTER, NAMESPACE_OF_REGISTER)
def open_register(
    context: ActionContext[Namespace],
    *,
    policy: str,
    title: str,
    entry_name: str = "",
    separator: str = "",
    guidance: str = "",
) -> Register:
    """Open the register below a namespace, with a level for it if the profile has none."""
    namespace, by = context.subject, context.actor
    register = Register(namespace=namespace, policy=policy, opened_by=by)
    register.title, register.guidance = checked_texts(title, guidance)
    profile = namespace.current_profile
    if profile is None:
        raise RegisterNeedsProfile(f"“{namespace.nid}” has no profile.")
    if profile.walker is None:
        _add_level(context, profile, register, entry_name, separator.strip() or ":")
    else:
        top = profile.walker.top
        _check_same("entry_name", entry_name, top.name)
        _check_same("separator", separator, top.separator[0])
    register.save()
    add_listed_entries(register)
    context.details = {"policy": policy}
    return register


def checked_texts(title: str, guidance: str) -> tuple[str, str]:
    """The title and the guidance as they are stored."""
    return (
        check_name(title, "the title", longest=MAX_NAME_LENGTH, argument="title"),
        check_optional_text(guidance, "the guidance", longest=MAX_GUIDANCE, argument="guidance"),
    )


def _check_same(argument: str, answer: str, known: str) -> None:
    """Raise InvalidRegister if an answer contradicts the level that the profile has."""
    if answer.strip() not in ("", known):
        raise InvalidRegister(
            f"The profile has “{known}” here. Enter that or nothing, or ask an administrator to change the profile.",
            argument=argument,
        )


def _add_level(
    context: ActionContext[Namespace], profile: Profile, register: Register, entry_name: str, separator: str
) -> None:
    """Give the profile a level for the register. Its event follows that of the register."""
    namespace = context.subject
    examples = [each.urn.split(":", 2)[2] for each in profile.names.examples]
    if examples and not any(separator in each[1:] for each in examples):
        raise InvalidRegister(
            f"No example of the profile has “{separator}” after a label, so nothing would be found below an entry. Enter the "
            "character that ends a label. If entries are whole names, ask an administrator for a profile that says so.",
            argument="separator",
        )
    level = {
        "name": check_name(entry_name, "the name of an entry", longest=MAX_ENTRY_NAME, argument="entry_name"),
        "coverage": "partial",
        "separator": separator,
        "source": {
            "document": register.source,
            "url": absolute_url(register.get_absolute_url()),
            "stated_on": timezone.now().date().isoformat(),
        },
    }
    try:
        changed = Profile.from_dict(profile.to_dict() | {"levels": [level]})
    except InvalidProfile as fault:
        raise InvalidRegister(
            f"The profile can't have a level for the register: {fault}",
            argument="separator" if "separator" in fault.key else "entry_name",
        ) from fault
    last = namespace.profile_versions.last()
    written = write_profile(
        namespace,
        by=context.actor,
        profile=changed,
        basis=f"The registrant opened the register “{register.title}”.",
        replaces=last.version if last else 0,
        least_counterexamples=0,
    )
    context.afterwards = partial(record_profile, written)


@performs(CHANGE_REGISTER, REGISTER)
def change_register(
    context: ActionContext[Register], *, policy: str, title: str, replaces: int, guidance: str = ""
) -> None:
    """Change the policy and the texts of a register. `replaces` is its current version, which is kept."""
    register = context.subject
    check_replaces(register, replaces)
    wanted = (policy, *checked_texts(title, guidance))
    if wanted == (register.policy, register.title, register.guidance):
        raise RegisterUnchanged(f"“{register}” has this policy and these texts already.")
    register.policy, register.title, register.guidance = wanted
    begin_version(register)
    context.details = {"policy": policy}


@performs(SUSPEND_REGISTER, REGISTER)
def suspend_register(context: ActionContext[Register], *, reason: str) -> None:
    """Let a register take no requests, decisions and entries."""
    register = context.subject
    context.reason = check_text(reason, "the reason", longest=MAX_REASON_LENGTH, argument="reason")
    register.suspended_at, register.suspension_reason = timezone.now(), context.reason
    register.save()


@performs(RESUME_REGISTER, REGISTER)
def resume_register(context: ActionContext[Register], *, reason: str) -> None:
    """End the suspension of a register."""
    register = context.subject
    context.reason = check_text(reason, "the reason", longest=MAX_REASON_LENGTH, argument="reason")
    register.suspended_at, register.suspension_reason = None, ""
    register.save()


@performs(NAME_REVIEWER, REGISTER)
def name_reviewer(context: ActionContext[Register], *, email: str) -> None:
    """Let a member of the organisation decide on requests."""
    register, email = context.subject, check_address(email, argument="email")
    members = Membership.objects.current().filter(organisation=register.controller.organisation)
    membership = members.filter(is_address("user__email", email)).select_related("user").first()
    if membership is None:
        raise InvalidReviewer(
            f"No member of the organisation has the address {email}. Invite the person to the organisation first.",
            argument="email",
        )
    _, is_new = Reviewer.objects.get_or_create(register=register, membership=membership)
    if not is_new:
        raise InvalidReviewer(f"{membership.user} is a reviewer already.", argument="email")
    context.person, context.details = membership.user, {"person": membership.user_id}


@performs(REMOVE_REVIEWER, REGISTER)
def remove_reviewer(context: ActionContext[Register], *, email: str) -> None:
    """End that a person decides on requests."""
    register, email = context.subject, check_address(email, argument="email")
    current = Reviewer.objects.current().filter(register=register)
    found = current.filter(is_address("membership__user__email", email)).first()
    if found is None:
        raise InvalidReviewer(f"No reviewer has the address {email}.", argument="email")
    person = found.membership.user
    context.person, context.details = person, {"person": person.pk}
    found.delete()


@performs(REGISTER_ENTRY, REGISTER)
def register_entry(
    context: ActionContext[Register],
    *,
    label: str,
    title: str,
    reference: str = "",
    fields: Mapping[str, str] = NO_VALUES,
) -> Entry:
    """Register an entry for the holder of the register. `fields` are the values of its own fields by name."""
    checked = check_entry(
        context.subject, label=label, title=title, reference=reference, fields=fields, may_decide=True
    )
    return write_entry(context, context.subject, checked, person=None)
