"""Daily mail: one mail in the morning with the mails that a person gets once a day."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import Min
from django.utils import timezone

from registry.accounts.models import User, addresses
from registry.accounts.time_zones import time_zone_name_of
from registry.mail import outbox
from registry.mail.models import HeldMail

# The hour in the time zone of the person.
MORNING = 7
# The next digest contains the rest.
MAX_MAILS = 100


def last_morning(person: User, now: datetime) -> datetime:
    """The last time at which it was MORNING where the person is."""
    local = now.astimezone(ZoneInfo(time_zone_name_of(person)))
    today = local.replace(hour=MORNING, minute=0, second=0, microsecond=0)
    return today if today <= local else today - timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Digest:
    """The mails of one person that were held before a morning, and those since."""

    person: User
    morning: datetime


def due_digests(now: datetime | None = None) -> Iterator[Digest]:
    """The digests to send: of people with a confirmed address and a mail that was held before the last morning."""
    now = now or timezone.now()
    people = User.objects.verified().filter(is_active=True).annotate(held_since=Min("held_mails__created_at"))
    for person in people.exclude(held_since=None).order_by("pk"):
        morning = last_morning(person, now)
        if person.held_since < morning:
            yield Digest(person, morning)


def send_digests(now: datetime | None = None) -> list[Digest]:
    """Send the due digests. A mail leaves the held ones in the transaction that writes the digest, so none is lost or
    sent twice.
    """
    return [digest for digest in due_digests(now) if _sent(digest)]


@transaction.atomic
def _sent(digest: Digest) -> bool:
    """Move the held mails into a digest. Another worker at the same time finds them locked, and leaves them."""
    waiting = HeldMail.objects.filter(person=digest.person).order_by("pk")
    held = list(waiting.select_for_update(skip_locked=True)[:MAX_MAILS])
    if not held or held[0].created_at >= digest.morning:
        return False
    outbox.post(
        "digest", to=addresses([digest.person]), context={"mails": held, "day": digest.morning.date()}
    )
    HeldMail.objects.filter(pk__in=[each.pk for each in held]).delete()
    return True
