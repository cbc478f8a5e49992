"""Tokens for programs that use the API, and their scopes."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone

from registry.accounts.models.people import User
from registry.core.text_limits import MAX_TOKEN_NAME_LENGTH


class Scope(models.TextChoices):
    """The scopes of a token. No scope includes another."""

    READ = "read", "read what only you can see, such as your drafts and tasks"
    WRITE = "write", "write as registrant and participant: create, edit, submit, comment, withdraw"
    MANAGE = (
        "manage",
        "manage what you control: members, co-editors, domains, offers, claims, contacts, webhooks",
    )
    DECIDE = "decide", "decide in your roles: as expert, administrator or liaison"


class Token(models.Model):
    """A token that lets a program act for its owner in the API. Only a digest of the secret is stored."""

    owner = models.ForeignKey(User, on_delete=models.PROTECT, related_name="tokens")
    name = models.CharField(max_length=MAX_TOKEN_NAME_LENGTH)
    digest = models.CharField(max_length=64, editable=False, db_collation="C")
    scopes = ArrayField(models.CharField(max_length=6, choices=Scope.choices))
    # The quota of the token, below the limits for all clients; null: none.
    requests_an_hour = models.PositiveIntegerField(null=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, editable=False)
    revoked_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint("digest", name="one_token_per_secret"),
            models.UniqueConstraint(
                "owner", Lower("name"), name="one_token_per_name", condition=models.Q(revoked_at=None)
            ),
            models.CheckConstraint(
                condition=models.Q(scopes__contained_by=Scope.values, scopes__len__gt=0),
                name="scopes_are_known",
            ),
            models.CheckConstraint(
                condition=models.Q(requests_an_hour=None) | models.Q(requests_an_hour__gt=0),
                name="token_quota_is_positive",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_expired(self) -> bool:
        return self.expires_at <= timezone.now()

    @property
    def is_valid(self) -> bool:
        return self.revoked_at is None and not self.is_expired
