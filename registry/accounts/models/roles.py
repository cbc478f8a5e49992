"""Roles, which grant permissions to people."""

from django.db import models
from django.utils import timezone

from registry.accounts.models.people import User


class RoleName(models.TextChoices):
    EXPERT = "expert", "designated expert"
    ADMINISTRATOR = "administrator", "administrator"
    LIAISON = "liaison", "liaison"
    # Receives reminders of overdue cases and can reassign cases, but makes no decisions.
    LEADER = "leader", "leader of the experts"


class Role(models.Model):
    """A role that a person holds: designated expert, administrator, liaison of the approval body, or leader."""

    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="granted_roles")
    name = models.CharField(max_length=20, choices=RoleName.choices)
    granted_at = models.DateTimeField(default=timezone.now, editable=False)
    # The first sign-in with the role while it needs a second factor (`accounts.second_factors.policy`).
    signed_in_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint("user", "name", name="one_role_per_user_and_name"),
            models.CheckConstraint(condition=models.Q(name__in=RoleName.values), name="role_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.get_name_display()}"
