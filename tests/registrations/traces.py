"""What a move leaves behind: exactly one event when it is made, and nothing at all when it is refused."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import models
from django.utils import timezone

from registry.accounts.models import Body
from registry.errors import RegistryError
from registry.mail.models import Message
from registry.namespaces.models import InformalCounter, Namespace, Revision
from registry.record import journal
from registry.record.models import Event
from registry.registrations.models import (
    ActionPoint,
    Answer,
    CoEditor,
    Comment,
    Recusal,
    Registration,
    Review,
    Submission,
    Watch,
)

KEPT: tuple[type[models.Model], ...] = (
    Registration,
    Submission,
    Review,
    ActionPoint,
    Answer,
    Comment,
    CoEditor,
    Recusal,
    Watch,
    Event,
    Message,
    Body,
    Namespace,
    Revision,
    InformalCounter,
)

# Words that say nothing, however they are typed.
NO_WORDS = ["", " ", "\n", "\t \r\n", "\u00a0", "\u2003", "\u200b", "\ufeff\u200d"]
# What a database, a mail or an XML document would not keep.
UNKEEPABLE = ["Sound.\x00", "\x00", "So\x1bund.", "So\ud800und.", "Sound.\uffff"]


def everything() -> dict[str, list[dict[str, Any]]]:
    """Every row of every table that a move may touch."""
    return {model.__name__: list(model._default_manager.order_by("pk").values()) for model in KEPT}


@contextmanager
def refused(why: type[RegistryError], saying: str = "") -> Iterator[None]:
    """Inside, exactly this refusal is raised, in words, and not a row of any table is another afterwards."""
    before = everything()
    with pytest.raises(why) as refusal:
        yield
    assert refusal.type is why
    assert str(refusal.value).strip()
    assert saying in str(refusal.value)
    assert everything() == before


@contextmanager
def one_event(**expected: Any) -> Iterator[None]:
    """Inside, one event is written; it says all of what is expected, and the record holds."""
    before, start = Event.objects.count(), timezone.now()
    yield
    events = list(journal.verified())
    assert len(events) == before + 1
    event = events[-1]
    said = {
        "verb": event.verb,
        "by": event.actor,
        "case": event.registration_number,
        "nid": event.nid,
        "moved": (event.from_state, event.to_state),
        "reason": event.reason,
        "text": event.text_digest,
        "particulars": event.particulars,
    }
    assert said == {"nid": "example-trees", "reason": "", "particulars": {}} | expected
    assert start <= event.at <= timezone.now()


def check_record_holds() -> None:
    """Not an event is missing from the chain."""
    assert sum(1 for _ in journal.verified()) == Event.objects.count()


def digest_of_round(case: Registration, number: int) -> str:
    return str(case.submissions.get(round=number).digest)
