"""All services of the current profiles with their health, as rows of a list."""

from django.db import models

from registry.resolution.models.service_health import HealthState, health_label
from urnsyntax.profiles.services.service import KINDS


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
