"""Models of co-editors and their invitations, recusals and subscriptions."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone

from registry.accounts.models import User, is_address


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


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def to_address(self, email: str) -> "InvitationQuerySet":
        """The invitations to this address, compared like the constraint `one_invitation_per_case_and_address`."""
        return self.filter(is_address("email", email))

    def to(self, user: User) -> "InvitationQuerySet":
        """The invitations that `user` may answer: those to their address, if they confirmed it."""
        return self.to_address(user.email).filter(models.Exists(User.objects.verified().filter(pk=user.pk)))


class Invitation(models.Model):
    """An open invitation to become a co-editor of a case: deleted when it is accepted, refused or revoked.

    It names an address, not an account, so that it does not tell whether there is one.
    """

    case = models.ForeignKey("cases.Case", on_delete=models.PROTECT, related_name="invitations")
    email = models.EmailField(max_length=254)
    invited_at = models.DateTimeField(default=timezone.now)

    objects: ClassVar[models.Manager["Invitation"]] = InvitationQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint("case", Lower("email"), name="one_invitation_per_case_and_address")
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

    People who take part in a case are subscribed without a row; see `cases.notifications.subscriptions`.
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
