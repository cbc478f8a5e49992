"""Webhooks whose addresses have answered a challenge."""

from registry.webhooks.models import Webhook


def confirmed(webhook: Webhook) -> Webhook:
    """Confirm the address, as if it had answered."""
    webhook.confirmed_at, webhook.challenge = webhook.created_at, ""
    webhook.save()
    return webhook
