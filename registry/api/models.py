"""Temporary data of the API: responses to idempotent requests."""

from django.db import models
from django.utils import timezone

from registry.accounts.models import Token


class IdempotentResponse(models.Model):
    """The response to a request with an Idempotency-Key, stored in the transaction of the change.

    `body` is encrypted (`registry.api.framework.idempotency`).
    """

    token = models.ForeignKey(Token, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=255, db_collation="C")
    request_digest = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True)
    headers = models.JSONField(default=dict)
    body = models.TextField(blank=True)
    at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint("token", "key", name="one_response_per_key")]

    def __str__(self) -> str:
        return f"response {self.key} of token {self.token_id}"
