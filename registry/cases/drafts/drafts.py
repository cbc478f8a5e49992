"""Beginning a case and keeping its draft: what happens before and between submissions.

A draft is saved against a stamp: whoever saves from an older one is told, and what they typed is kept
on their page, so two tabs or two co-editors never overwrite each other unseen.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from registry.accounts.models import Body, User
from registry.cases import permissions
from registry.cases.drafts.replies import DraftReply, keep_replies
from registry.cases.models import Case, Procedure, State
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.validators import check_text
from registry.namespaces.models import Kind, Namespace
from registry.registration_template.template import RegistrationTemplate

LONGEST_BODY_NAME = Body._meta.get_field("name").max_length or 0
EDITABLE_STATES = frozenset({State.DRAFT, State.CHANGES_REQUESTED, State.IN_REVIEW})


class StaleDraft(RegistryError):
    """Somebody saved the draft since it was opened here."""

    title = "The draft was changed meanwhile"

    def __init__(self, case: Case) -> None:
        super().__init__(
            f"This draft was saved at {case.draft_saved_at:%Y-%m-%d %H:%M:%S} UTC in another "
            "window or by a co-editor. Compare what is below with what is saved now, then save again."
        )
        self.case = case


class DraftClosed(RegistryError):
    """The case is past the point where its draft can change."""

    title = "This case can't be edited now"


def begin(
    *,
    by: User,
    kind: Kind,
    body: Body | None = None,
    template: RegistrationTemplate | None = None,
) -> Case:
    """Open a case for a new namespace, as a draft that only its editors see."""
    case = Case(
        kind=kind,
        registrant=by,
        body=body,
        procedure=Procedure.FAST_TRACK if body else Procedure.COMMUNITY,
    )
    return _open_with(template or RegistrationTemplate(), case)


def check_body_name(name: str) -> str:
    """`name` as it is recorded: it can be seen, kept, and fits. Raises the refusals of `registry.core.validators`."""
    return check_text(" ".join(name.split()), "the name of the body", longest=LONGEST_BODY_NAME)


def body_named(name: str) -> Body:
    """The body of this name, whatever the case of its letters; recorded now if nobody named it before."""
    name = check_body_name(name)
    known = Body.objects.named(name).first()
    if known is not None:
        return known
    try:
        with transaction.atomic():
            return Body.objects.create(name=name)
    except IntegrityError:  # somebody else named it just now
        return Body.objects.named(name).get()


def begin_revision(namespace: Namespace, *, by: User) -> Case:
    """Open a case that revises a namespace of `by`, starting from its current text (6.2)."""
    check_is_registrant(namespace, by=by)
    current = namespace.latest.template if namespace.latest else RegistrationTemplate()
    draft = replace(
        current,
        namespace_identifier=namespace.nid,
        version=namespace.version + 1,
        date="",
        revision_information="",
    )
    return _open_with(draft, Case(kind=namespace.kind, registrant=by, namespace=namespace, is_revision=True))


def save_draft(
    case: Case,
    template: RegistrationTemplate,
    *,
    by: User,
    stamp: int,
    replies: Mapping[int, DraftReply] | None = None,
    **choices: Any,
) -> Case:
    """Keep what was typed, sound or not. Raises StaleDraft, DraftClosed or NotPermitted.

    `replies` answers open action points, by their keys; those that it does not name stay as they are.
    `choices` may set `standards_action` until the first submission; see `in_case` for what is not the
    editors' to write.
    """
    with transaction.atomic():
        case = Case.objects.select_for_update().get(pk=case.pk)
        check_editable(case, by=by)
        check_stamp(case, stamp)
        _keep(case, template)
        keep_replies(case, replies or {})
        case.draft_stamp += 1
        case.draft_saved_at = timezone.now()
        _choose(case, choices)
        case.save()
        case.co_editors.filter(user=by, has_written=False).update(has_written=True)
    return case


def check_editor(case: Case, *, by: User) -> None:
    if not permissions.is_editor(by, case):
        raise NotPermitted(f"You are not an editor of case {case.pk}.")


def check_editable(case: Case, *, by: User) -> None:
    """Raise NotPermitted or DraftClosed unless `by` may change the draft as the case stands."""
    check_editor(case, by=by)
    if case.state not in EDITABLE_STATES:
        raise DraftClosed(f"Case {case.pk} is {case.get_state_display()}; its text can't change there.")


def check_is_registrant(namespace: Namespace, *, by: User) -> None:
    """Raise NotPermitted unless `by` may begin a revision of the namespace."""
    if namespace.registrant_id != by.pk:
        raise NotPermitted(f"Only the registrant of “{namespace.nid}” can revise it.")


def _open_with(template: RegistrationTemplate, case: Case) -> Case:
    _keep(case, template)
    case.save()
    return case


def _keep(case: Case, template: RegistrationTemplate) -> None:
    """Put `content` into the draft. A public case asks for its latest round's NID, not for its draft's."""
    template = in_case(case, template)
    case.draft = template.to_json()
    if case.state == State.DRAFT:
        case.requested_nid = requested_nid(case, template)


def _choose(case: Case, choices: Mapping[str, Any]) -> None:
    if choices.get("standards_action", case.standards_action) == case.standards_action:
        return
    if case.state != State.DRAFT:
        raise DraftClosed(
            "Whether a standards action is anticipated is for the designated experts to say once the case "
            "is submitted. Tell them in a comment."
        )
    case.standards_action = bool(choices["standards_action"])


def check_stamp(case: Case, stamp: int) -> None:
    """Raise StaleDraft unless `stamp` is the draft's latest."""
    if case.draft_stamp != stamp:
        raise StaleDraft(case)


def in_case(case: Case, template: RegistrationTemplate) -> RegistrationTemplate:
    """`content` with what the registry itself writes: the version, the NID unless one is asked for, and
    whether the fast track is requested.
    """
    if case.is_revision and case.namespace is not None:
        template = replace(template, namespace_identifier=case.namespace.nid)
    elif case.kind == Kind.INFORMAL:
        template = replace(template, namespace_identifier="")
    registrant = replace(template.registrant, fast_track=case.is_fast_track)
    return replace(template, version=case.next_version, registrant=registrant)


def requested_nid(case: Case, template: RegistrationTemplate) -> str:
    """The NID that the case is about, as the registry would write it; "" while there is none."""
    if case.is_revision and case.namespace is not None:
        return case.namespace.nid
    return template.namespace_identifier.strip().lower()[:32] if case.kind == Kind.FORMAL else ""
