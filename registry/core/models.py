"""Counters of the rate limits, and the tokens of changes, shared by all processes."""

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
