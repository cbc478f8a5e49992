"""Who has a part in a case besides its registrant: who edits it, keeps out of it, or watches it."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from registry.audit_log.triggers import immutable


class CoEditor(models.Model):
    """Somebody who edits a case together with its registrant."""

    case = models.ForeignKey("cases.Case", on_delete=models.PROTECT, related_name="co_editors")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    has_written = models.BooleanField(default=False)

    class Meta:
        verbose_name = "co-editor"
        constraints = [models.UniqueConstraint("case", "user", name="a_co_editor_once")]

    def __str__(self) -> str:
        return f"{self.user} edits case {self.case_id}"


class Recusal(models.Model):
    """Somebody who has declared not to act on a case as expert, administrator or liaison."""

    case = models.ForeignKey("cases.Case", on_delete=models.PROTECT, related_name="recusals")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField(blank=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        triggers = [immutable()]
        constraints = [models.UniqueConstraint("case", "user", name="recused_once")]

    def __str__(self) -> str:
        return f"{self.user} recused from case {self.case_id}"


class Subscription(models.Model):
    """What somebody said of watching a case: that they do, or that they stopped. Most never say anything;
    `cases.notifications.subscriptions` knows who watches.
    """

    case = models.ForeignKey("cases.Case", on_delete=models.PROTECT, related_name="subscriptions")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    is_stopped = models.BooleanField()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name_plural = "subscriptions"
        constraints = [models.UniqueConstraint("case", "user", name="one_subscription_per_person")]

    def __str__(self) -> str:
        return f"{self.user} {'watches no more' if self.is_stopped else 'watches'} case {self.case_id}"
