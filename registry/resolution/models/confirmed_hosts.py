"""The hosts to which the registry redirects without asking."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from registry.namespaces.models import Namespace
from urnsyntax.profiles.services.hosts import HOST_PATTERN, MAX_HOST


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
