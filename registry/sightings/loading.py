"""The sightings that come with the registry: `fixtures/unregistered-nids.jsonl`, one JSON object on each line."""

import json
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from registry.actions.declarations import EventType
from registry.audit_log import log
from registry.audit_log.history import private
from registry.core.exceptions import RegistryError
from registry.sightings.actions import checked_texts
from registry.sightings.models import Sighting, SightingState

FILE = settings.BASE_DIR / "fixtures" / "unregistered-nids.jsonl"
MEMBERS = {"nid", "used_by", "example", "source"}
LOAD_SIGHTINGS = EventType(
    name="load_sightings",
    past="Loaded {count} sightings",
    details=(private("count", int),),
    is_public=False,
)


class UnreadableSighting(RegistryError):
    """A line of the file is no sighting; the message names the line."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Not a sighting"


def load_sightings(file: Path = FILE) -> int:
    """Add the sightings of a file as confirmed ones, and return their number. Raises UnreadableSighting, and changes nothing.

    One that is known by its NID and source is kept as it is, also if people declined or removed it.
    """
    listed = list(_read(file))
    with transaction.atomic():
        known = set(Sighting.objects.values_list("nid", "source"))
        new = {(each.nid, each.source): each for each in listed if (each.nid, each.source) not in known}
        Sighting.objects.bulk_create(new.values())
        if new:
            log.append(LOAD_SIGHTINGS.name, by=None, count=len(new))
    return len(new)


def _read(file: Path) -> Iterator[Sighting]:
    now = timezone.now()
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        try:
            members = json.loads(line)
            if not isinstance(members, dict) or not all(isinstance(each, str) for each in members.values()):
                raise UnreadableSighting("It is not an object whose members are texts.")
            if members.keys() != MEMBERS:
                raise UnreadableSighting(f"Its members are not {', '.join(sorted(MEMBERS))}.")
            texts = checked_texts(**members)
        except (ValueError, RegistryError) as fault:
            raise UnreadableSighting(f"{file.name}, line {number}: {fault}") from fault
        yield Sighting(**texts, reported_at=now, state=SightingState.CONFIRMED, decided_at=now)
