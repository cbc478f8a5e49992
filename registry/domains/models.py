"""Domains of organisations, and how far they are proved."""

from datetime import datetime, timedelta
from secrets import token_urlsafe
from typing import ClassVar

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower
from django.utils import timezone

from registry.accounts.models import User
from registry.organisations.models import MemberRole, Organisation, organisations_of

MAX_DOMAIN_LENGTH = 253
# A domain that was proved is checked again after this time.
CHECKED_FOR = timedelta(days=30)
# After a failed check of a proved domain, it stays verified for this time, and is checked daily.
GRACE = timedelta(days=14)
# A requested check that the worker did not make, such as after a crash.
OVERDUE = timedelta(minutes=10)


class Method(models.TextChoices):
    """How a domain is proved."""

    DNS = "dns", "a TXT record"
    WEB = "web", "a file on its web server"


def make_code() -> str:
    return token_urlsafe(24)


class OrganisationDomainQuerySet(models.QuerySet["OrganisationDomain"]):
    def verified(self) -> "OrganisationDomainQuerySet":
        return self.filter(verified_at__isnull=False)

    def visible_to(self, user: User | AnonymousUser) -> "OrganisationDomainQuerySet":
        """The verified domains of organisations that `user` may see, and all of those that they represent."""
        organisations = Organisation.objects.visible_to(user)
        shown = Q(verified_at__isnull=False, organisation__in=organisations.values("pk"))
        if isinstance(user, User):
            shown |= Q(organisation__in=organisations_of(user, [MemberRole.REPRESENTATIVE]))
        return self.filter(shown)


class OrganisationDomain(models.Model):
    """A domain that an organisation names as its own. It is public only when it is verified."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="domains")
    # In lower case, and in ASCII (RFC 5890).
    domain = models.CharField(max_length=MAX_DOMAIN_LENGTH)
    # Not a secret: the organisation publishes it.
    code = models.CharField(max_length=43, default=make_code, editable=False)
    added_at = models.DateTimeField(default=timezone.now)
    # A check waits for the worker.
    check_requested_at = models.DateTimeField(null=True)
    checked_at = models.DateTimeField(null=True)
    # Why the last check failed; empty if it did not.
    failure = models.TextField(blank=True)
    verified_at = models.DateTimeField(null=True)
    method = models.CharField(max_length=3, choices=Method.choices, blank=True)
    # Of a verified domain, the time of the first check that failed.
    failing_since = models.DateTimeField(null=True)

    objects: ClassVar[models.Manager["OrganisationDomain"]] = OrganisationDomainQuerySet.as_manager()

    class Meta:
        ordering = ["domain"]
        constraints = [
            models.UniqueConstraint("organisation", "domain", name="organisation_names_a_domain_once"),
            models.CheckConstraint(
                condition=~Q(domain="") & Q(domain=Lower("domain")), name="domain_is_in_lower_case"
            ),
            models.CheckConstraint(
                condition=Q(verified_at=None, method="", failing_since=None)
                | Q(verified_at__isnull=False, method__in=Method.values, checked_at__gte=F("verified_at")),
                name="verified_domain_has_a_proof",
            ),
        ]

    def __str__(self) -> str:
        return self.domain

    def get_absolute_url(self) -> str:
        return f"/organisations/{self.organisation_id}/domains/"

    @property
    def record_name(self) -> str:
        return f"_urn-registry.{self.domain}"

    @property
    def file_address(self) -> str:
        return f"https://{self.domain}/.well-known/urn-registry.txt"

    @property
    def proof(self) -> str:
        """The text of the record, or a line of the file."""
        return f"urn-registry={self.code}"

    @property
    def is_verified(self) -> bool:
        return self.verified_at is not None

    @property
    def lost_at(self) -> datetime | None:
        """When the domain stops being verified, unless a check succeeds before."""
        return self.failing_since + GRACE if self.failing_since else None
