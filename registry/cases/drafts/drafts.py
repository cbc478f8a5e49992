"""Creation of cases, and saving of drafts: their date, the stage of each section, and remarks on a pasted template.

A draft is saved with the stamp that was read. A save with an older stamp is refused and the text stays on the page,
so that two tabs or two co-editors do not overwrite each other.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from django.db import IntegrityError, transaction
from django.utils import timezone

from registry.accounts.models import Body, User
from registry.cases import permissions
from registry.cases.drafts.history import keep_version, texts_of
from registry.cases.drafts.replies import DraftReply, store_replies
from registry.cases.models import (
    EDITABLE_STATES,
    REGISTRANT_STATES,
    Case,
    DraftChange,
    DraftVersion,
    Procedure,
    State,
)
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.names import check_name
from registry.core.rate_limits import limited
from registry.core.validators import MAX_BODY_NAME_LENGTH
from registry.namespaces.models import Kind, Namespace
from registry.namespaces.permissions import may_revise
from registry.namespaces.proposals.proposed_profile import ProposedProfile
from registry.organisations.models import Organisation
from registry.organisations.permissions import may_edit_for
from registry.organisations.subjects import lock_organisation
from registry.registration_template.checks.findings import Finding, Severity
from registry.registration_template.commitments import without_erased
from registry.registration_template.sections import Section
from registry.registration_template.template import RegistrationTemplate


def today() -> str:
    """The current date, as the template has it."""
    return timezone.localdate().isoformat()


def with_current_date(case: Case, template: RegistrationTemplate) -> RegistrationTemplate:
    """The template of a draft that is edited now. A date that was entered stays; the one of an earlier day that was
    filled in, or that the previous round has, is replaced by today.
    """
    if case.state == State.DRAFT:
        earlier = timezone.localdate(case.created_at).isoformat()
    elif case.state in REGISTRANT_STATES and case.latest_round:
        earlier = case.latest_round.template.date
    else:
        return template
    return replace(template, date=today()) if template.date == earlier < today() else template


def differences_from_request(
    case: Case, pasted: RegistrationTemplate, requested: RegistrationTemplate
) -> Iterator[tuple[str, str]]:
    """What the pasted text says of itself that differs from what was `requested` before: each time the section that was
    filled in from the text, or "" if the registry sets it, and a sentence.
    """
    nid = pasted.namespace_identifier
    if nid and case.kind == Kind.INFORMAL and not case.is_revision:
        yield "", f"The text is for “{nid}”. This request is for the next informal number."
    elif nid and nid.lower() != (requested.namespace_identifier or nid).lower():
        section = "" if case.is_revision else "namespace_identifier"
        yield section, f"The text is for “{nid}”. This request is for “{requested.namespace_identifier}”."
    if pasted.version not in {None, case.next_version}:
        yield "", f"The text is version {pasted.version}. This request is for version {case.next_version}."
    if pasted.date and requested.date and pasted.date != requested.date:
        differ = f"The text has the date {pasted.date}. This request has {requested.date}."
        yield "date", f"{differ} Keep this date only if the request was made on it."


class Stage(StrEnum):
    """The stage of a section."""

    DONE = "done"
    # Filled in, with the words of the previous round or of the registered version.
    UNCHANGED = "unchanged"
    INCOMPLETE = "no content"
    NEEDS_FIXING = "needs fixing"
    TO_DO = "to do"
    OPTIONAL = "optional"
    AUTOMATIC = "automatic"


@dataclass(frozen=True, slots=True)
class Progress:
    """The numbers of required sections and of those that are done or unchanged, and of action points and answers."""

    done: int
    required: int
    points_answered: int = 0
    points: int = 0
    # Sections that are filled in but contain only “none” or “N/A”, with which the draft can be submitted.
    incomplete: int = 0

    @property
    def is_complete(self) -> bool:
        """Whether the draft can be submitted."""
        return self.done + self.incomplete == self.required and self.points_answered == self.points


def stage_of(
    section: Section,
    template: RegistrationTemplate,
    findings: Sequence[Finding],
    *,
    is_required: bool,
    is_unchanged: bool = False,
) -> Stage:
    """The stage of a section that the registrant completes, given its findings and whether it says what it said before."""
    is_blocked = any(finding.severity is Severity.BLOCKING for finding in findings)
    if template.is_filled(section.key):
        says_nothing = any(finding.code == "says-nothing" for finding in findings)
        filled = Stage.INCOMPLETE if says_nothing else Stage.UNCHANGED if is_unchanged else Stage.DONE
        return Stage.NEEDS_FIXING if is_blocked else filled
    return Stage.TO_DO if is_required or is_blocked else Stage.OPTIONAL


class StaleDraft(RegistryError):
    """The draft was saved after this copy was opened."""

    title = "The draft has changed"

    def __init__(self, case: Case) -> None:
        super().__init__(
            f"This draft was saved at {case.draft_saved_at:%Y-%m-%d %H:%M:%S} UTC in another "
            "window or by a co-editor. Compare your text with the saved text, then save again."
        )
        self.case = case


class DraftClosed(RegistryError):
    """The draft can't be changed in this state of the case."""

    title = "The draft can't be edited"


@limited("drafts")
def create_case(
    *,
    by: User,
    kind: Kind,
    body: Body | None = None,
    template: RegistrationTemplate | None = None,
    standards_action: bool = False,
    profile: ProposedProfile | None = None,
    organisation: Organisation | None = None,
) -> Case:
    """Create a case for a new namespace, of a person or an organisation, as a draft that only its editors can see."""
    case = Case(
        kind=kind,
        registrant=by,
        organisation=organisation,
        body=body,
        procedure=Procedure.FAST_TRACK if body else Procedure.COMMUNITY,
        standards_action=standards_action,
        draft_profile=profile.to_json() if profile else {},
    )
    return _open_with(template or RegistrationTemplate(), case)


def check_body_name(name: str) -> str:
    """Return the name in normal form. Raises the errors of `check_name`."""
    return check_name(name, "the name of the body", longest=MAX_BODY_NAME_LENGTH)


def body_named(name: str) -> Body:
    """The body with this name, regardless of case. Creates it if it does not exist."""
    name = check_body_name(name)
    known = Body.objects.named(name).first()
    if known is not None:
        return known
    try:
        with transaction.atomic():
            return Body.objects.create(name=name)
    except IntegrityError:  # created concurrently
        return Body.objects.named(name).get()


@limited("drafts")
def start_revision(
    namespace: Namespace,
    *,
    by: User,
    template: RegistrationTemplate | None = None,
    profile: ProposedProfile | None = None,
) -> Case:
    """Create a case that revises a namespace of `by`, with `template` or a copy of its current text (6.2).

    Without `profile`, none is proposed: what a registrant does not state stays as it is when the version is registered.
    """
    check_may_revise(namespace, by=by)
    current = namespace.latest.template if namespace.latest else RegistrationTemplate()
    draft = replace(
        template or replace(current, revision_information=""),
        registrant=without_erased((template or current).registrant),
        namespace_identifier=namespace.nid,
        version=namespace.version + 1,
        date=today(),
    )
    case = Case(
        kind=namespace.kind,
        registrant=by,
        organisation=namespace.organisation,
        namespace=namespace,
        is_revision=True,
        draft_profile=profile.to_json() if profile else {},
    )
    return _open_with(draft, case)


@limited("saves")
def save_draft(
    case: Case,
    template: RegistrationTemplate,
    *,
    by: User,
    stamp: int,
    replies: Mapping[int, DraftReply] | None = None,
    standards_action: bool | None = None,
    profile: ProposedProfile | None = None,
    change: DraftChange = DraftChange.EDITED,
) -> Case:
    """Save the draft, even if it has findings. Raises StaleDraft, DraftClosed or NotPermitted.

    `replies` answers open action points, by primary key; other answers do not change. `standards_action`
    can be set before the first submission. Without `profile`, the proposed one does not change.
    `complete_template` replaces what editors can't change.
    """
    with transaction.atomic():
        case = Case.objects.select_for_update().get(pk=case.pk)
        check_editable(case, by=by)
        check_stamp(case, stamp)
        before = texts_of(case)
        _store_template(case, template)
        if profile is not None:
            case.draft_profile = profile.to_json()
        keep_version(case, before, by=by, change=change)
        store_replies(case, replies or {})
        case.draft_stamp += 1
        case.draft_saved_at = timezone.now()
        _set_standards_action(case, standards_action)
        case.save()
        case.co_editors.filter(user=by, has_written=False).update(has_written=True)
    return case


def restore_version(version: DraftVersion, *, by: User, stamp: int) -> Case:
    """Replace the template and the proposed profile by an earlier text. The current text stays in the history."""
    return save_draft(
        version.case,
        version.template,
        by=by,
        stamp=stamp,
        profile=version.proposed_profile,
        change=DraftChange.RESTORED,
    )


def check_editor(case: Case, *, by: permissions.Person) -> None:
    if not permissions.is_editor(by, case):
        raise NotPermitted(f"You are not an editor of case {case.pk}.")


def check_editable(case: Case, *, by: User) -> None:
    """Raise NotPermitted or DraftClosed unless `by` may change the draft now."""
    check_editor(case, by=by)
    if case.state not in EDITABLE_STATES:
        raise DraftClosed(
            f"The state of case {case.pk} is “{case.get_state_display()}”, so its draft can't be edited."
        )


def check_may_revise(namespace: Namespace, *, by: User) -> None:
    """Raise NotPermitted unless `by` may start a revision of the namespace."""
    if not may_revise(by, namespace):
        raise NotPermitted(f"Only the registrant of “{namespace.nid}” can revise it.")


@transaction.atomic
def _open_with(template: RegistrationTemplate, case: Case) -> Case:
    if case.organisation is not None:
        _check_may_edit_for(lock_organisation(case.organisation), by=case.registrant)
    _store_template(case, template)
    case.save()
    keep_version(case, {}, by=case.registrant, change=DraftChange.STARTED)
    return case


def _check_may_edit_for(organisation: Organisation, *, by: User) -> None:
    if not may_edit_for(by, organisation.pk):
        raise NotPermitted("Only representatives and editors of the organisation can begin its cases.")


def _store_template(case: Case, template: RegistrationTemplate) -> None:
    """Write the template to the draft. The requested NID of a public case is that of its latest round."""
    template = complete_template(case, template)
    case.draft = template.to_json()
    if case.state == State.DRAFT:
        case.requested_nid = requested_nid(case, template)


def _set_standards_action(case: Case, standards_action: bool | None) -> None:
    if standards_action in {None, case.standards_action}:
        return
    if case.state != State.DRAFT:
        raise DraftClosed(
            "After submission, only the designated experts can record whether a standards action is "
            "anticipated. Tell them in a comment."
        )
    case.standards_action = bool(standards_action)


def check_stamp(case: Case, stamp: int) -> None:
    """Raise StaleDraft unless `stamp` is the current stamp of the draft."""
    if case.draft_stamp != stamp:
        raise StaleDraft(case)


def complete_template(case: Case, template: RegistrationTemplate) -> RegistrationTemplate:
    """The template with the values that the registry sets: the version, the NID unless the case requests one, and
    whether the fast track is requested.
    """
    if case.is_revision and case.namespace is not None:
        template = replace(template, namespace_identifier=case.namespace.nid)
    elif case.kind == Kind.INFORMAL:
        template = replace(template, namespace_identifier="")
    registrant = replace(template.registrant, fast_track=case.is_fast_track)
    return replace(template, version=case.next_version, registrant=registrant)


def requested_nid(case: Case, template: RegistrationTemplate) -> str:
    """The NID of the case in lower case; "" if there is none yet."""
    if case.is_revision and case.namespace is not None:
        return case.namespace.nid
    return template.namespace_identifier.strip().lower()[:32] if case.kind == Kind.FORMAL else ""
