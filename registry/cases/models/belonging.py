"""The conditions under which a case is one of a person: they hold it, edit it, or have an interest in it."""

from django.db.models import Exists, OuterRef, Q

from registry.accounts.models import Body, User
from registry.cases.models.people import CoEditor
from registry.organisations.models import EDITING_PARTS, Membership, Part, organisations_of

Representative = Body.representatives.through


def is_held_by(user: User) -> Q:
    """Whether a case belongs to `user`, or to an organisation that they represent."""
    of_person = Q(registrant=user, organisation=None)
    return of_person | Q(organisation__in=organisations_of(user, [Part.REPRESENTATIVE]))


def is_edited_by(user: User) -> Q:
    """Whether `user` may edit the draft of a case."""
    is_co_editor = Exists(CoEditor.objects.filter(case=OuterRef("pk"), user=user))
    of_organisation = Q(organisation__in=organisations_of(user, EDITING_PARTS))
    return Q(registrant=user, organisation=None) | of_organisation | Q(is_co_editor)


def is_own_of(user: User) -> Q:
    """Whether `user` began or edits a case, was a member of its organisation since it began, or has an interest in the
    namespace that it revises.
    """
    is_co_editor = Exists(CoEditor.objects.filter(case=OuterRef("pk"), user=user))
    memberships = Membership.objects.filter(user=user, organisation=OuterRef("organisation"))
    was_member = Exists(memberships.since(OuterRef("created_at")))
    held = Q(namespace__registrant=user) | Q(namespace__organisation__in=organisations_of(user))
    return Q(registrant=user) | Q(is_co_editor) | Q(was_member) | Q(Q(is_revision=True) & held)


def represented_by(user: User) -> Exists:
    """Whether `user` represents the requesting body of a case."""
    return Exists(Representative.objects.filter(body=OuterRef("body"), user=user))
