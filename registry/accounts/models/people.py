"""People with accounts."""

import uuid
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchQuery, SearchVector
from django.db import models
from django.db.models.functions import Lower
from django.db.models.lookups import Exact
from django.utils import timezone
from django.utils.functional import cached_property

from registry.accounts.display_names import imitates_a_role
from registry.core.database.prepared_queries import prepared

if TYPE_CHECKING:
    from registry.accounts.models.tokens import Token

# The domain of the addresses of erased accounts, to which no mail can be sent (RFC 2606, Section 2).
ERASED_DOMAIN = "@erased.invalid"
WORDS_OF_NAME = SearchVector("name", config="simple")


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
        confirmed = self.filter(emailaddress__verified=True, emailaddress__email__iexact=models.F("email"))
        return self.filter(pk__in=confirmed.values("pk"))

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
    # The time at which `services.erasure` erased the name, the address and everything else that is personal.
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

    @property
    def held_roles(self) -> frozenset[str]:
        """The names of the roles that were granted to this person, as `RoleName` values, also of those that rest."""
        return frozenset(role.name for role in self.granted_roles.all())

    @cached_property
    def roles(self) -> frozenset[str]:
        """The names of the roles in which this person can act: a role that needs a second factor is suspended without it."""
        from registry.accounts.second_factors.policy import roles_in_force

        return roles_in_force(self, self.granted_roles.all())

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
    return dict(User.objects.verified().filter(pk__in=keys).values_list("pk", "email"))
