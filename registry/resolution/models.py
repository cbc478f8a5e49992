"""Confirmed hosts, the health of services, and all services as rows of a list."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from registry.namespaces.models import Namespace
from urnsyntax.profiles.services.hosts import HOST_PATTERN, MAX_HOST
from urnsyntax.profiles.services.service import KINDS


class Basis(models.TextChoices):
    """Why a host counts as one of the namespace."""

    DNS = "dns", "a record in the DNS of the host"
    WELL_KNOWN = "well_known", "a file on the host, below /.well-known/"
    REGISTERED_TEXT = "registered_text", "the registration names the host"
    ADMINISTRATOR = "administrator", "an administrator checked it"


class ConfirmedHost(models.Model):
    """A host of services of a namespace to which the registry redirects. Rows are written and deleted, never changed.

    `evidence` says what was checked. `confirmed_by` is NULL if a loaded profile states that the registration names the
    host.
    """

    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="confirmed_hosts")
    host = models.CharField(max_length=MAX_HOST, db_collation="C")
    basis = models.CharField(max_length=15, choices=Basis.choices)
    evidence = models.TextField()
    confirmed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    confirmed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["host"]
        constraints = [
            models.UniqueConstraint("namespace", "host", name="one_confirmation_per_host"),
            models.CheckConstraint(
                condition=Q(host__regex=HOST_PATTERN), name="confirmed_host_is_lower_case"
            ),
            models.CheckConstraint(condition=Q(basis__in=Basis.values), name="confirmation_basis_is_known"),
            models.CheckConstraint(condition=~Q(evidence=""), name="confirmation_has_evidence"),
            models.CheckConstraint(
                condition=Q(confirmed_by__isnull=False) | Q(basis=Basis.REGISTERED_TEXT),
                name="only_registered_text_confirms_itself",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.host} of {self.namespace.nid}"

    def get_absolute_url(self) -> str:
        return self.namespace.get_absolute_url()


# A service counts as down for this long after its last check. If the checks stop, the registry redirects to it again.
DOWN_IS_VALID_FOR = timedelta(days=7)


class HealthState(models.TextChoices):
    UNKNOWN = "unknown", "unknown"
    WORKS = "works", "works"
    DEGRADED = "degraded", "failing"
    DOWN = "down", "down"


# A service that never worked is unknown until it has failed often enough.
UNKNOWN = Q(state=HealthState.UNKNOWN, worked_at=None)
KNOWN = ~Q(state=HealthState.UNKNOWN) & Q(checked_at__isnull=False)


def counts_as_down(state: HealthState, checked_at: datetime | None) -> bool:
    """Whether the registry does not redirect to a service, by the state and the time of its last check."""
    is_recent = checked_at is not None and timezone.now() - checked_at <= DOWN_IS_VALID_FOR
    return state == HealthState.DOWN and is_recent


def health_label(state: HealthState, checked_at: datetime | None) -> str:
    """The state in words, with the last check if it is too old for the state to count."""
    is_outdated = state == HealthState.DOWN and not counts_as_down(state, checked_at)
    return f"{state.label}, not checked since {checked_at:%Y-%m-%d}" if is_outdated else str(state.label)


class ServiceHealth(models.Model):
    """The health of the services of a namespace that share an address template.

    `failures` counts the failed checks in a row, the first of which was at `failing_since`. `detail` describes the last
    check in a short sentence. A service without a row is unknown.
    """

    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="service_health")
    template = models.TextField()
    state = models.CharField(max_length=8, choices=HealthState.choices, default=HealthState.UNKNOWN)
    failures = models.PositiveIntegerField(default=0)
    checked_at = models.DateTimeField(null=True)
    worked_at = models.DateTimeField(null=True)
    failing_since = models.DateTimeField(null=True)
    detail = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["namespace_id", "template"]
        verbose_name_plural = "service health"
        constraints = [
            models.UniqueConstraint("namespace", "template", name="one_health_per_service"),
            models.CheckConstraint(condition=Q(state__in=HealthState.values), name="health_state_is_known"),
            models.CheckConstraint(condition=UNKNOWN | KNOWN, name="known_health_was_checked"),
            models.CheckConstraint(
                condition=Q(failures=0, failing_since=None) | Q(failures__gt=0, failing_since__isnull=False),
                name="failures_have_a_beginning",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=[HealthState.DEGRADED, HealthState.DOWN]) | Q(failures__gt=0),
                name="unhealthy_service_fails",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.template} of {self.namespace.nid}: {self.get_state_display()}"

    def get_absolute_url(self) -> str:
        return self.namespace.get_absolute_url()


class ListedService(models.Model):
    """A service of a current profile, from the view in `migrations/services.sql`.

    Services of a namespace that share an address template share their health. `position` is that in the profile, from 1.
    """

    id = models.BigIntegerField(primary_key=True)
    nid = models.CharField(max_length=32, db_collation="C")
    position = models.IntegerField()
    title = models.TextField()
    kind = models.TextField()
    template = models.TextField()
    media_type = models.TextField()
    language = models.TextField()
    state = models.CharField(max_length=8, choices=HealthState.choices)
    failures = models.IntegerField()
    checked_at = models.DateTimeField(null=True)
    worked_at = models.DateTimeField(null=True)
    failing_since = models.DateTimeField(null=True)
    detail = models.TextField()

    class Meta:
        managed = False
        ordering = ["nid", "position"]

    def __str__(self) -> str:
        return f"{self.title} of {self.nid}: {self.get_state_display()}"

    @property
    def returns(self) -> str:
        """What the service returns, in words."""
        return KINDS[self.kind]

    @property
    def health_label(self) -> str:
        """The state in words."""
        return health_label(HealthState(self.state), self.checked_at)

    @property
    def host(self) -> str:
        """The host in the address template."""
        return self.template.split("/")[2].partition(":")[0]
