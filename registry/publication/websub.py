"""WebSub: a hub is notified of feeds with new entries, and notifies their subscribers (W3C WebSub, Section 7).

Each minute the worker notes the feeds with new entries, in the transaction in which it moves on in the audit log, and
writes a job for each. The jobs are repeated like mails of the outbox.
"""

from collections.abc import Iterator
from http import HTTPStatus
from urllib.parse import urlencode

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from procrastinate.contrib.django import app
from procrastinate.contrib.django.models import ProcrastinateJob
from procrastinate.types import JSONDict

from registry.audit_log.models import Event, LogPosition
from registry.core.exceptions import RegistryError
from registry.core.jobs import in_transaction
from registry.core.outgoing.https_requests import RequestLimits, request
from registry.publication.feeds import NEWS, OF_NAMESPACE, namespace_topic, registry_topic
from registry.publication.models import HubPosition

LIMITS = RequestLimits(connect=5, wait=10, total=15, body=4 * 1024)
MAX_EVENTS = 1_000
PING = "registry.publication.ping_hub"


class HubRefused(RegistryError):
    """The WebSub hub did not accept that a feed has new entries."""

    title = "The hub refused"


@transaction.atomic
def announce_new_entries() -> int:
    """Write a job for each feed with entries since the last time; return their number. The first time, there are none."""
    if not settings.WEBSUB_HUB:
        return 0
    position, is_new = HubPosition.objects.select_for_update().get_or_create(
        pk=1, defaults={"event": LogPosition.current().number}
    )
    if is_new:
        return 0
    head = LogPosition.current().number
    found = Event.objects.filter(NEWS | OF_NAMESPACE, number__gt=position.event, number__lte=head)
    events = list(found.order_by("number")[: MAX_EVENTS + 1])
    position.event = events[MAX_EVENTS - 1].number if len(events) > MAX_EVENTS else head
    position.save()
    topics = dict.fromkeys(_topics_of(events[:MAX_EVENTS]))
    jobs = ProcrastinateJob.objects.filter(task_name=PING, status="todo", args__topic__in=[*topics])
    # A job that waits after a failure may wait for hours.
    for job in jobs.filter(Q(scheduled_at=None) | Q(scheduled_at__lte=Now())):
        topics.pop(job.args["topic"], None)
    if topics:
        arguments: list[JSONDict] = [{"topic": topic} for topic in topics]
        in_transaction(app.tasks[PING]).batch_defer(*arguments)
    return len(topics)


def _topics_of(events: list[Event]) -> Iterator[str]:
    """The addresses of the feeds with these entries."""
    numbers = [event.number for event in events]
    news = set(Event.objects.filter(NEWS, number__in=numbers).values_list("number", flat=True))
    of_namespace = Event.objects.filter(OF_NAMESPACE, number__in=numbers).values_list("number", flat=True)
    registered = set(of_namespace)
    for event in events:
        if event.number in news:
            yield registry_topic()
        if event.number in registered and event.nid:
            yield namespace_topic(event.nid)


def ping(topic: str) -> None:
    """Notify the hub that a feed has new entries. Raises HubRefused, or an exception of `registry.core.outgoing`."""
    if not settings.WEBSUB_HUB:
        return
    body = urlencode({"hub.mode": "publish", "hub.topic": topic, "hub.url": topic}).encode()
    headers = {
        "Content-Type": "application/x-www-form-urlencoded",
        "User-Agent": settings.USER_AGENT,
        "Accept-Encoding": "identity",
    }
    reply = request("POST", settings.WEBSUB_HUB, headers, LIMITS, body)
    if not HTTPStatus.OK <= reply.status < HTTPStatus.MULTIPLE_CHOICES:
        raise HubRefused(f"The hub replied {reply.status} about new entries of {topic}.")
