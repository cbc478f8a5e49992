"""Models of co-editors and their invitations, recusals and subscriptions, and the conditions under which a case is
one of a person.
"""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Lower
from django.utils import timezone

from registry.accounts.models import AddressedInvitation, Body, InvitationQuerySet, User
from registry.organisations.models import EDITING_PARTS, MemberRole, Membership, organisations_of


class CoEditor(models.Model):
    """A person who may edit the draft of a case."""

    case = models.ForeignKey("cases.Case", on_delete=models.PROTECT, related_name="co_editors")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    has_written = models.BooleanField(default=False)

    class Meta:
        verbose_name = "co-editor"
        constraints = [models.UniqueConstraint("case", "user", name="one_co_editor_per_case_and_user")]

    def __str__(self) -> str:
        return f"{self.user} edits case {self.case_id}"


class CoEditorInvitationQuerySet(InvitationQuerySet["Invitation"]):
    """The open invitations of co-editors."""


class Invitation(AddressedInvitation):
    """An open invitation to become a co-editor of a case."""

    case = models.ForeignKey("cases.Case", on_delete=models.PROTECT, related_name="invitations")
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )

    objects: ClassVar[models.Manager["Invitation"]] = CoEditorInvitationQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint("case", Lower("email"), name="one_invitation_per_case_and_address"),
            models.CheckConstraint(
                condition=models.Q(invited_by__isnull=False), name="co_editor_invitation_names_who_invited"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.email} invited to case {self.case_id}"


class Recusal(models.Model):
    """A person who will not act in a case as expert, administrator or liaison."""

    # The reason of a former co-editor who has edited the draft.
    EDITED: ClassVar[str] = "Edited the draft as a co-editor."

    case = models.ForeignKey("cases.Case", on_delete=models.PROTECT, related_name="recusals")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField(blank=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint("case", "user", name="one_recusal_per_case_and_user")]

    def __str__(self) -> str:
        return f"{self.user} recused from case {self.case_id}"


class Subscription(models.Model):
    """The choice of a person to subscribe or unsubscribe.

    People who take part in a case are subscribed without a row; see `cases.audiences`.
    """

    case = models.ForeignKey("cases.Case", on_delete=models.PROTECT, related_name="subscriptions")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    is_stopped = models.BooleanField()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint("case", "user", name="one_subscription_per_person")]

    def __str__(self) -> str:
        return (
            f"{self.user} {'unsubscribed from' if self.is_stopped else 'subscribed to'} case {self.case_id}"
        )


Representative = Body.representatives.through


def is_held_by(user: User) -> Q:
    """Whether a case belongs to `user`, or to an organisation that they represent."""
    of_person = Q(registrant=user, organisation=None)
    return of_person | Q(organisation__in=organisations_of(user, [MemberRole.REPRESENTATIVE]))


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
