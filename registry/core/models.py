"""Counters of the rate limits, the tokens of changes, and the database that workers serve, shared by all processes."""

from django.db import models


class Counter(models.Model):
    """What a client has spent of a limit since `began_at` (seconds since 1970).

    The table is UNLOGGED: writes do not wait for the disk, and a crash of the server empties it.
    """

    key = models.TextField(primary_key=True, db_collation="C")
    began_at = models.FloatField()
    spent = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"{self.key}: {self.spent}"


class ChangeToken(models.Model):
    """Random tokens, one of which is replaced by each change of what public pages show; see `change_tokens.sql`."""

    token = models.UUIDField()
    changed_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.token} of {self.changed_at:%Y-%m-%d %H:%M:%S}"


class ServedDatabase(models.Model):
    """The database that workers last served: one row, which a copy of the database has too, or none.

    Written by `registry.core.processes.served_database`. Workers wait while it `is_held`.
    """

    database = models.TextField()
    timeline = models.CharField(max_length=8)
    seen_at = models.DateTimeField()
    is_held = models.BooleanField(default=False)

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(pk=1), name="one_served_database")]

    def __str__(self) -> str:
        return f"database {self.database}, timeline {self.timeline}"
