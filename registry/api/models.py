"""What the API keeps for a while: answers that may be asked for again, and how much each client asked for."""

from django.db import models
from django.utils import timezone

from registry.accounts.models import Token


class IdempotentResponse(models.Model):
    """The answer to a request with an Idempotency-Key, written in the transaction of what it did."""

    token = models.ForeignKey(Token, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=255, db_collation="C")
    request_digest = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True)
    headers = models.JSONField(default=dict)
    body = models.TextField(blank=True)
    at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint("token", "key", name="a_key_is_used_once")]

    def __str__(self) -> str:
        return f"answer {self.key} of token {self.token_id}"


class RequestCounter(models.Model):
    """How many requests a client made since `began_at` (seconds since 1970), by the key of policy and client.

    An UNLOGGED table: writing it waits for no disk, and a crash of the server forgets it.
    """

    key = models.TextField(primary_key=True, db_collation="C")
    began_at = models.FloatField()
    spent = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"{self.key}: {self.spent}"
