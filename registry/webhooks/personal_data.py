"""The personal data of webhooks: addresses that a person registered, and replies of their servers."""

from registry.accounts.erasure import Erasure, PersonalDataHolder, holds_personal_data
from registry.accounts.export import exports
from registry.accounts.models import User
from registry.webhooks.models import Webhook


@holds_personal_data
class WebhookData(PersonalDataHolder):
    """Webhooks and the logs of their deliveries."""

    def close(self, account: User) -> None:
        Webhook.objects.filter(owner=account).delete()

    def erase(self, erasure: Erasure) -> None:
        if erasure.account is not None:
            erasure.delete("webhooks and their deliveries", Webhook.objects.filter(owner=erasure.account))


exports(
    Webhook,
    "url verbs nids created_at confirmed_at last_event failures failing_since paused_at pause_reason",
    of="owner",
)
