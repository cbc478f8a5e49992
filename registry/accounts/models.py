"""Models of people, roles, API tokens, pending grants, and the bodies that can request the fast track."""

import uuid
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Any, ClassVar, Self, TypeVar

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchQuery, SearchVector
from django.db import models
from django.db.models.functions import Lower
from django.db.models.lookups import Exact
from django.utils import timezone
from django.utils.functional import cached_property

from registry.accounts.display_names import imitates_a_role
from registry.core.database.prepared_reader import prepared
from registry.core.validators import MAX_BODY_NAME_LENGTH, MAX_REFERENCE_LENGTH, MAX_TOKEN_NAME_LENGTH

# The domain of the addresses of erased accounts, to which no mail can be sent (RFC 2606, Section 2).
ERASED_DOMAIN = "@erased.invalid"
WORDS_OF_NAME = SearchVector("name", config="simple")
# Of an account: its owner confirmed its address. It joins a row for each confirmed address that differs in case alone.
CONFIRMED = models.Q(emailaddress__verified=True, emailaddress__email__iexact=models.F("email"))


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

    def verified(self) -> models.QuerySet["User"]:
        """Return the accounts whose address has been confirmed by its owner."""
        return self.filter(pk__in=self.filter(CONFIRMED).values("pk"))

    def holding(self, role: str) -> models.QuerySet["User"]:
        """Return the active accounts with this role, a `RoleName`, also if it is suspended."""
        return self.filter(granted_roles__name=role, is_active=True)

    def named(self, words: str) -> models.QuerySet["User"]:
        """Return the accounts with all these words in their name."""
        return self.annotate(words=WORDS_OF_NAME).filter(words=SearchQuery(words, config="simple"))

    def with_address(self, email: str) -> "User | None":
        """Return the active, verified account that confirmed this address, compared like `one_account_per_email`."""
        confirmed = self.verified().filter(
            is_address("emailaddress__email", email), emailaddress__verified=True, is_active=True
        )
        return confirmed.first()


class User(AbstractBaseUser, PermissionsMixin):
    """A person with an account. All users can comment; roles grant further permissions."""

    email = models.EmailField(max_length=254)
    name = models.CharField(max_length=200, blank=True)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    date_joined = models.DateTimeField(default=timezone.now, editable=False)
    # The time zone for display; `accounts.time_zones` lists the valid names.
    time_zone = models.CharField(max_length=64, default="UTC")
    # The time at which `accounts.erasure` erased the name, the address and everything else that is personal.
    erased_at = models.DateTimeField(null=True, editable=False)

    # The token with which the person makes this request; None on pages and in commands.
    acting_with: "Token | None" = None

    objects: ClassVar[UserManager] = UserManager()

    EMAIL_FIELD = "email"
    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        indexes = [GinIndex(WORDS_OF_NAME, name="accounts_by_name")]
        constraints = [
            models.UniqueConstraint(Lower("email"), name="one_account_per_email"),
            models.CheckConstraint(
                condition=models.Q(erased_at=None)
                | models.Q(is_active=False, name="", email__endswith=ERASED_DOMAIN),
                name="erased_account_is_empty",
            ),
        ]

    def __str__(self) -> str:
        """The name of the person, or else what stands before the @ of the address, unless that imitates a role."""
        if self.erased_at:
            return f"erased account {self.pk}"
        local_part = self.email.partition("@")[0]
        return self.name or (f"account {self.pk}" if imitates_a_role(local_part) else local_part)

    def set_password(self, raw_password: str | None) -> None:
        """Set the password. The first one of an account is not a changed one (`accounts.passwords`): it has no tokens yet."""
        super().set_password(raw_password)
        if self._state.adding:
            self._password = None

    @property
    def held_roles(self) -> frozenset[str]:
        """The names of the roles that were granted to this person, as `RoleName` values, also of those that rest."""
        return frozenset(role.name for role in self.granted_roles.all())

    @cached_property
    def roles(self) -> frozenset[str]:
        """The names of the roles in which this person can act: a role that needs a second factor is suspended without it."""
        return roles_in_force(self, self.granted_roles.all())

    @property
    def has_second_factor(self) -> bool:
        """Whether the account has a passkey or an authenticator app; recovery codes only replace them."""
        kinds = (Authenticator.Type.WEBAUTHN, Authenticator.Type.TOTP)
        return bool(Authenticator.objects.filter(user=self, type__in=kinds).exists())

    @property
    def suspended_roles(self) -> frozenset[str]:
        """The names of the roles that are suspended until the person adds a second factor."""
        return self.held_roles - self.roles

    def has_address(self, email: str) -> bool:
        """Whether this is the address of the account, regardless of case."""
        return self.email.lower() == email.lower()

    def owns_address(self, email: str) -> bool:
        """Whether this is the address of the account, or another one that its owner confirmed."""
        return self.has_address(email) or email.lower() in self.confirmed_addresses

    @property
    def confirmed_addresses(self) -> "models.QuerySet[User, str]":
        """All addresses that the owner confirmed, in lower case."""
        return confirmed_addresses([self])

    @property
    def is_verified(self) -> bool:
        """Whether the owner of the address confirmed it. Only verified accounts get roles, parts, offers and mail."""
        return any(User.objects.raw(*_verified(self.pk)))


@prepared
def _verified(key: int) -> models.QuerySet[User]:
    return User.objects.verified().filter(pk=key).only("pk")


def erased_address() -> str:
    """Return an address that replaces an erased one."""
    return f"{uuid.uuid4().hex}{ERASED_DOMAIN}"


def is_address(column: str, email: str) -> Exact:
    """Return the condition that a column has this address, compared like `one_account_per_email`."""
    return Exact(Lower(column), Lower(models.Value(email)))


def confirmed_addresses(people: Iterable[User]) -> "models.QuerySet[User, str]":
    """Return all addresses that these people confirmed, in lower case."""
    confirmed = User.objects.filter(pk__in=[person.pk for person in people], emailaddress__verified=True)
    return confirmed.annotate(address=Lower("emailaddress__email")).values_list("address", flat=True)


def addresses(people: Iterable[User]) -> list[str]:
    """Return the distinct e-mail addresses of verified people, sorted: others get no mail but the confirmation."""
    return sorted(verified_addresses({person.pk for person in people}).values())


def verified_addresses(keys: Collection[int]) -> dict[int, str]:
    """Return the e-mail addresses of the verified people among these accounts, by the keys of the accounts."""
    return dict(User.objects.filter(CONFIRMED, pk__in=keys).values_list("pk", "email"))


class RoleName(models.TextChoices):
    EXPERT = "expert", "designated expert"
    ADMINISTRATOR = "administrator", "administrator"
    LIAISON = "liaison", "liaison"
    # Receives reminders of overdue cases and can reassign cases, but makes no decisions.
    LEADER = "leader", "leader of the experts"


ROLES_THAT_DECIDE = frozenset({RoleName.EXPERT, RoleName.ADMINISTRATOR, RoleName.LIAISON})


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

    @property
    def suspended_from(self) -> datetime | None:
        """The time from which the role is suspended without a second factor; None if it needs none."""
        if not settings.REQUIRE_SECOND_FACTOR or self.name not in ROLES_THAT_DECIDE:
            return None
        return (self.signed_in_at or self.granted_at) + timedelta(days=settings.SECOND_FACTOR_DAYS)


def roles_in_force(person: User, held: Iterable[Role]) -> frozenset[str]:
    """The names of the roles that a person holds and that are not suspended."""
    held, now = list(held), timezone.now()
    suspended = {role.name for role in held if role.suspended_from and role.suspended_from <= now}
    if suspended and person.has_second_factor:
        suspended = set()
    return frozenset(role.name for role in held) - suspended


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


class PendingGrant(models.Model):
    """What a person grants or asks for, and what takes effect later: an invitation, an offer, a claim.

    It is worth as much as the authority of its grantor when it is used, and of the token with which it was made, if it was
    made with one (`accounts.grants`).
    """

    # The name of the column with the grantor.
    GRANTOR: ClassVar[str]

    made_with = models.ForeignKey(
        Token, on_delete=models.PROTECT, null=True, editable=False, related_name="+", db_index=False
    )

    class Meta:
        abstract = True

    @property
    def grantor(self) -> User | None:
        """The person who made it."""
        grantor: User | None = getattr(self, self.GRANTOR)
        return grantor

    @property
    def grantor_id(self) -> int | None:
        key: int | None = getattr(self, f"{self.GRANTOR}_id")
        return key


Row_co = TypeVar("Row_co", bound=models.Model, covariant=True)


class InvitationQuerySet(models.QuerySet[Row_co]):
    """Open invitations, by their address."""

    def to_address(self, email: str) -> Self:
        """The invitations to this address, compared like `one_account_per_email`."""
        return self.filter(is_address("email", email))

    def to(self, user: User) -> Self:
        """The invitations that `user` may answer: those to the addresses that they confirmed.

        One that was made with a token ends with it.
        """
        is_valid = models.Q(made_with=None) | models.Q(
            made_with__revoked_at=None, made_with__expires_at__gt=timezone.now()
        )
        return self.addressed_to(user).filter(is_valid)

    def addressed_to(self, user: User) -> Self:
        """The invitations to the addresses that `user` confirmed, also those that ended with a token."""
        is_verified = models.Exists(User.objects.verified().filter(pk=user.pk))
        addressed = self.alias(address=Lower("email"))
        return addressed.filter(is_verified, address__in=user.confirmed_addresses)


class AddressedInvitation(PendingGrant):
    """An invitation of the owner of an address, deleted when it is accepted, declined or withdrawn.

    It names an address, not an account, so that it does not tell whether there is one.
    """

    GRANTOR: ClassVar[str] = "invited_by"

    email = models.EmailField(max_length=254)
    invited_at = models.DateTimeField(default=timezone.now)

    class Meta:
        abstract = True


class AddressedOfferQuerySet(models.QuerySet[Row_co]):
    """Offers, by their address."""

    def waiting(self) -> Self:
        return self.filter(ended_at=None)

    def to(self, user: User) -> Self:
        """The offers by others to the addresses that `user` confirmed."""
        return self.alias(address=Lower("email")).filter(is_offered_to(user)).exclude(offered_by=user)


class AddressedOffer(PendingGrant):
    """An offer to the owner of an address, who accepts or declines it, for themselves or for an organisation.

    It names an address, not an account, so that it does not tell whether there is one.
    """

    GRANTOR: ClassVar[str] = "offered_by"

    offered_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    email = models.EmailField(max_length=254)
    offered_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True)
    is_accepted = models.BooleanField(default=False)

    class Meta:
        abstract = True

    @property
    def is_waiting(self) -> bool:
        return self.ended_at is None

    def is_to(self, user: Any) -> bool:
        """Whether it is made to an address of `user`, who confirmed it, by another person."""
        if not isinstance(user, User) or not user.owns_address(self.email):
            return False
        return user.pk != self.offered_by_id and user.is_verified

    def end(self, *, accepted: bool) -> None:
        self.ended_at, self.is_accepted = timezone.now(), accepted
        self.save(update_fields=["ended_at", "is_accepted"])


def is_offered_to(person: User) -> models.Q:
    """Whether an offer, with its address in lower case as `address`, is to an address that a person confirmed."""
    is_verified = models.Exists(User.objects.verified().filter(pk=person.pk))
    return models.Q(is_verified, address__in=person.confirmed_addresses)


class Recognition(models.TextChoices):
    PENDING = "pending", "not yet decided"
    RECOGNISED = "recognised", "recognised"
    REFUSED = "refused", "refused"


class BodyQuerySet(models.QuerySet["Body"]):
    def named(self, name: str) -> "BodyQuerySet":
        """Return the body with this name, compared like the constraint `one_body_per_name`."""
        return self.alias(lowered=Lower("name")).filter(lowered=Lower(models.Value(name)))


class Body(models.Model):
    """A standards development organisation, scientific society or similar body (RFC 8141, Section 6.3).

    `recognition` is the decision of the approval body. It applies to later cases of the people who were recorded
    as representatives when it was made, not to others who name the body.
    """

    name = models.CharField(max_length=MAX_BODY_NAME_LENGTH)
    recognition = models.CharField(
        max_length=12, choices=Recognition.choices, default=Recognition.PENDING, editable=False
    )
    recognition_reference = models.CharField(max_length=MAX_REFERENCE_LENGTH, blank=True, editable=False)
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

    @property
    def recognition_in_later_cases(self) -> str:
        """The recognition in words: without a decision on the body, one is made in each case."""
        is_pending = self.recognition == Recognition.PENDING
        return "decided in each case" if is_pending else str(self.get_recognition_display())
