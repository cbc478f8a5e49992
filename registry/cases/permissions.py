"""Permissions in cases and for bodies, as predicates.

In a case of an organisation, its representatives are the registrant, and its editors may do what a co-editor may.
A person with a role can't act in it if they are registrant or co-editor of the case, if they are a member of its
organisation or were one since it began, if the case revises their own namespace, if they represent the requesting body, or if they recused themselves. A liaison decides neither for
associates: people who represent a body or edit a case with them. A person who approved a case, or recognised its
body for the fast track, does not register it, and a person who declined it does not direct its appeal.
"""

from collections.abc import Callable

from django.contrib.auth.models import AnonymousUser

from registry.accounts.models import Body, RoleName, User
from registry.cases.models import (
    Case,
    Invitation,
    associates_of,
    bodies_recognised_by,
    excluding_decisions,
    of_interest_to,
)
from registry.core.reading import may_read
from registry.namespaces.permissions import has_interest, is_held_up_by_offer
from registry.organisations.permissions import (
    has_declined,
    is_held_up_by_invitation,
    is_representative,
    may_edit_for,
    was_member_since,
)

Person = User | AnonymousUser
Permission = Callable[[Person, Case], bool]


def may_see(user: Person, case: Case) -> bool:
    """Whether `user` may see the case: everyone may, from its first submission on."""
    return case.is_public or may_read(user, case)


def is_registrant(user: Person, case: Case) -> bool:
    """Whether `user` is the registrant, or represents the organisation to which the case belongs."""
    if case.organisation_id is not None:
        return is_representative(user, case.organisation_id)
    return user.is_authenticated and case.registrant_id == user.pk


def is_editor(user: Person, case: Case) -> bool:
    """The registrant, an editor of the organisation, or a co-editor."""
    if not user.is_authenticated:
        return False
    if _is_co_editor(user, case):
        return True
    if case.organisation_id is not None:
        return may_edit_for(user, case.organisation_id)
    return is_registrant(user, case)


def is_registrant_or_co_editor(user: Person, case: Case) -> bool:
    """The registrant, who can remove each of them, or a co-editor, who can leave."""
    return is_registrant(user, case) or _is_co_editor(user, case)


def _is_co_editor(user: Person, case: Case) -> bool:
    # Not filtered, so that prefetched rows are used.
    return any(link.user_id == user.pk for link in case.co_editors.all())


def is_invited(user: Person, case: Case) -> bool:
    """Whether the person has an open invitation to become a co-editor."""
    if not isinstance(user, User) or not case.invitations.all():  # not filtered: these rows may be prefetched
        return False
    return Invitation.objects.to(user).filter(case=case).exists()


def conflict_of_interest(user: Person, case: Case) -> str:
    """Why a person can't act in a role in the case, as a clause: "you are its registrant"; "" if they can."""
    if user.is_authenticated and case.registrant_id == user.pk:
        return "you started it" if case.organisation_id else "you are its registrant"
    if was_member_since(user, case.organisation_id, case.created_at):
        return "you are or were a member of its organisation"
    if is_editor(user, case):
        return "you are its co-editor"
    if _holds_what_is_revised(user, case):
        return "you are the registrant of the namespace that it revises"
    if _represents_body(user, case):
        return "you represent its requesting body"
    has_recused = any(recusal.user_id == user.pk for recusal in case.recusals.all())
    return "you recused yourself from it" if has_recused else ""


def obstacle_of_invitation(user: Person, case: Case) -> str:
    """What a person must decline before they act in a role in the case, as a sentence; "" if nothing.

    An invitation takes no permission away, so that a registrant can't remove an expert from a case: who declines it acts.
    """
    what = ""
    if isinstance(user, User) and is_invited(user, case) and not _has_declined_to_edit(user, case):
        what = "You are invited to edit it"
    elif is_held_up_by_invitation(user, case.organisation_id):
        what = "You are invited to become a member of its organisation"
    elif case.is_revision and case.namespace is not None and is_held_up_by_offer(user, case.namespace):
        what = f"The namespace “{case.namespace.nid}” is offered to you"
    return what and f"You can't act in case {case.pk} for the registry yet. {what}: decline first."


def _has_declined_to_edit(user: User, case: Case) -> bool:
    return has_declined(user, "decline_invitation", case_number=case.pk)


def is_disinterested(user: Person, case: Case) -> bool:
    return not conflict_of_interest(user, case)


def _holds_what_is_revised(user: Person, case: Case) -> bool:
    """Whether the case revises a namespace of this person or their organisation, even if a former registrant started it."""
    if not case.is_revision or case.namespace is None:
        return False
    return has_interest(user, case.namespace)


def _represents_body(user: Person, case: Case) -> bool:
    return case.body is not None and case.body.representatives.filter(pk=user.pk).exists()


def _acts_as(role: RoleName, user: Person, case: Case) -> bool:
    if not isinstance(user, User) or role not in user.roles or not is_disinterested(user, case):
        return False
    return not excluding_decisions(role, user).filter(case_number=case.pk).exists()


def is_expert(user: Person, case: Case) -> bool:
    return _acts_as(RoleName.EXPERT, user, case)


def gave_latest_verdict(user: Person, case: Case) -> bool:
    """Whether the person is the expert who gave the latest verdict on the case."""
    if not is_expert(user, case):
        return False
    verdict = case.latest_verdict
    return verdict is not None and verdict.expert_id == user.pk


def is_administrator(user: Person, case: Case) -> bool:
    if not isinstance(user, User) or not _acts_as(RoleName.ADMINISTRATOR, user, case):
        return False
    return not case.is_fast_track or case.body_id not in set(bodies_recognised_by(user))


def is_liaison(user: Person, case: Case) -> bool:
    if not isinstance(user, User) or not _acts_as(RoleName.LIAISON, user, case):
        return False
    return not Case.objects.filter(of_interest_to(user), pk=case.pk).exists()


def has_any_role(user: Person, case: Case) -> bool:
    """Whether the person has a role in which they could act in this public case."""
    has_role = isinstance(user, User) and bool(user.roles)
    return has_role and case.is_public and is_disinterested(user, case)


def may_decide_on(user: User, body: Body) -> bool:
    """Whether `user` may record decisions on a body: as a liaison who edits none of its cases, and neither represents
    it nor has an associate who does.
    """
    if RoleName.LIAISON not in user.roles or associates_of(user).filter(represented_bodies=body).exists():
        return False
    return not Case.objects.edited_by(user).filter(body=body).exists()


def may_represent(person: User, body: Body, *, by: User) -> bool:
    """Whether `by` may record `person` as a representative of a body that they recognise: neither an associate of `by`, nor
    a person who recognised the body.
    """
    return not associates_of(by).filter(pk=person.pk).exists() and body.pk not in bodies_recognised_by(person)
