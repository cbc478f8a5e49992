"""Webhooks of a person, how far deliveries are behind, and the end of old log entries."""

from datetime import datetime, timedelta

from django.db.models import Count, Min
from django.shortcuts import get_object_or_404
from django.utils import timezone

from registry.accounts.models import User
from registry.audit_log.models import Event
from registry.webhooks.models import Delivery, Webhook

KEPT_FOR = timedelta(days=30)
MAX_KEPT = 1_000  # for each webhook


def own_webhook(owner: User, pk: int) -> Webhook:
    """The webhook of its owner. Raises Http404 for everyone else."""
    return get_object_or_404(Webhook, pk=pk, owner=owner)


def counts_by_state() -> dict[str, int]:
    """The numbers of webhooks of open accounts."""
    webhooks = Webhook.objects.open()
    confirmed, active = webhooks.confirmed().count(), webhooks.active().count()
    failing = webhooks.active().filter(failures__gt=0).count()
    return {
        "unconfirmed": webhooks.count() - confirmed,
        "active": active - failing,
        "failing": failing,
        "paused": confirmed - active,
    }


def oldest_waiting_event() -> datetime | None:
    """The time of the oldest event that was not looked at for a webhook that works; None if there is none.

    It is recent while a worker runs: retries and paused webhooks do not count.
    """
    last = Webhook.objects.active().filter(failures=0).aggregate(last=Min("last_event"))["last"]
    if last is None:
        return None
    waiting = Event.objects.filter(number__gt=last).order_by("number")
    return waiting.values_list("at", flat=True).first()


def delete_old_deliveries() -> None:
    """Delete log entries that are older than KEPT_FOR, and all but the newest MAX_KEPT of each webhook."""
    Delivery.objects.filter(at__lt=timezone.now() - KEPT_FOR).delete()
    counts = Delivery.objects.order_by().values("webhook").annotate(count=Count("pk"))
    for pk in counts.filter(count__gt=MAX_KEPT).values_list("webhook", flat=True):
        log = Delivery.objects.filter(webhook=pk)
        last_kept = log.values_list("pk", flat=True)[MAX_KEPT - 1]
        log.filter(pk__lt=last_kept).delete()
