"""Models of users, roles, API tokens, and the bodies that can request the fast track."""

from collections.abc import Iterable
from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.functional import cached_property


class UserManager(BaseUserManager["User"]):
    """Creates and finds accounts by e-mail address."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        user = self.model(email=self.normalize_email(email), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)

    def get_by_natural_key(self, email: str | None) -> "User":
        return self.get(email__iexact=email)

    def with_address(self, email: str) -> "User | None":
        """Return the active account with this address, compared like the constraint `one_account_per_email`."""
        accounts = self.filter(is_active=True).alias(address=Lower("email"))
        return accounts.filter(address=Lower(models.Value(email))).first()

    def holding_roles(self) -> "models.QuerySet[User]":
        roles = models.Prefetch("granted_roles", Role.objects.order_by("name"))
        holders = self.filter(models.Exists(Role.objects.filter(user=models.OuterRef("pk"))))
        return holders.order_by("name", "email").prefetch_related(roles)


class User(AbstractBaseUser, PermissionsMixin):
    """A person with an account. All users can comment; roles grant further permissions."""

    email = models.EmailField(max_length=254)
    name = models.CharField(max_length=200, blank=True)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    date_joined = models.DateTimeField(default=timezone.now, editable=False)
    # The time zone for display; `accounts.time_zones` lists the valid names.
    time_zone = models.CharField(max_length=64, default="UTC")

    objects: ClassVar[UserManager] = UserManager()

    EMAIL_FIELD = "email"
    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        constraints = [models.UniqueConstraint(Lower("email"), name="one_account_per_email")]

    def __str__(self) -> str:
        return self.name or self.email.partition("@")[0]

    @cached_property
    def roles(self) -> frozenset[str]:
        """The names of the roles that this person holds, as `RoleName` values."""
        return frozenset(role.name for role in self.granted_roles.all())


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

    class Meta:
        constraints = [
            models.UniqueConstraint("user", "name", name="a_role_is_held_once"),
            models.CheckConstraint(condition=models.Q(name__in=RoleName.values), name="role_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.get_name_display()}"


class Scope(models.TextChoices):
    """The scopes of a token. No scope includes another."""

    READ = "read", "read what only you can see: your drafts, and what waits for you"
    WRITE = "write", "write as registrant and participant: create, edit, submit, comment, withdraw"
    DECIDE = "decide", "decide in your roles: as expert, administrator or liaison"


class Token(models.Model):
    """A token that lets a program act for its owner in the API. Only a digest of the secret is stored."""

    owner = models.ForeignKey(User, on_delete=models.PROTECT, related_name="tokens")
    name = models.CharField(max_length=60)
    digest = models.CharField(max_length=64, editable=False, db_collation="C")
    scopes = ArrayField(models.CharField(max_length=6, choices=Scope.choices))
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, editable=False)
    revoked_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint("digest", name="a_token_has_its_own_secret"),
            models.UniqueConstraint(
                "owner", Lower("name"), name="one_token_per_name", condition=models.Q(revoked_at=None)
            ),
            models.CheckConstraint(
                condition=models.Q(scopes__contained_by=Scope.values, scopes__len__gt=0),
                name="scopes_are_known",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_expired(self) -> bool:
        return self.expires_at <= timezone.now()


class Recognition(models.TextChoices):
    PENDING = "pending", "not yet decided"
    RECOGNISED = "recognised", "recognised"
    REFUSED = "refused", "refused"


class BodyQuerySet(models.QuerySet["Body"]):
    def named(self, name: str) -> "BodyQuerySet":
        """Return the body with this name, compared like the constraint `one_body_per_name`."""
        return self.alias(lowered=Lower("name")).filter(lowered=Lower(models.Value(name)))


class Body(models.Model):
    """A standards development organization, scientific society or similar body (RFC 8141, section 6.3).

    `recognition` is the decision of the approval body. It applies to later cases of the people who were recorded
    as representatives when it was made, not to others who name the body.
    """

    name = models.CharField(max_length=200)
    recognition = models.CharField(
        max_length=12, choices=Recognition.choices, default=Recognition.PENDING, editable=False
    )
    recognition_reference = models.CharField(max_length=500, blank=True, editable=False)
    representatives = models.ManyToManyField(User, related_name="represented_bodies", editable=False)

    objects: ClassVar[models.Manager["Body"]] = BodyQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "bodies"
        constraints = [
            models.UniqueConstraint(Lower("name"), name="one_body_per_name"),
            models.CheckConstraint(
                condition=models.Q(recognition__in=Recognition.values), name="recognition_is_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name


def addresses(people: Iterable[User]) -> list[str]:
    """Return the distinct e-mail addresses, sorted."""
    return sorted({person.email for person in people})
