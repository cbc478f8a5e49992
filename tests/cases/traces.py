"""Side effects of transitions: exactly one event if it is made, and nothing if it is refused."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import models
from django.utils import timezone

from registry.accounts.models import Body
from registry.audit_log import log
from registry.audit_log.models import Event
from registry.cases.models import (
    ActionPoint,
    Case,
    CoEditor,
    Comment,
    Invitation,
    Recusal,
    Reply,
    Review,
    Round,
    Subscription,
)
from registry.core.exceptions import RegistryError
from registry.mail.models import Message
from registry.namespaces.models import InformalCounter, Namespace, Revision

KEPT: tuple[type[models.Model], ...] = (
    Case,
    Round,
    Review,
    ActionPoint,
    Reply,
    Comment,
    CoEditor,
    Invitation,
    Recusal,
    Subscription,
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
UNSTORABLE = ["Sound.\x00", "\x00", "So\x1bund.", "So\ud800und.", "Sound.\uffff"]


def everything() -> dict[str, list[dict[str, Any]]]:
    """Every row of every table that a transition may change."""
    return {model.__name__: list(model._default_manager.order_by("pk").values()) for model in KEPT}


@contextmanager
def refused(why: type[RegistryError], saying: str = "") -> Iterator[pytest.ExceptionInfo[Any]]:
    """Inside, exactly this refusal is raised, in words, and not a row of any table is another afterwards."""
    before = everything()
    with pytest.raises(why) as refusal:
        yield refusal
    assert refusal.type is why
    assert str(refusal.value).strip()
    assert saying in str(refusal.value)
    assert everything() == before


@contextmanager
def one_event(**expected: Any) -> Iterator[None]:
    """Inside, one event is written; it says all of what is expected, and the record holds.

    Unless another text is expected, it is that of the latest round.
    """
    before, start = Event.objects.count(), timezone.now()
    yield
    events = list(log.verified())
    assert len(events) == before + 1
    event = events[-1]
    said = {
        "verb": event.verb,
        "by": event.actor,
        "case": event.case_number,
        "nid": event.nid,
        "moved": (event.from_state, event.to_state),
        "reason": event.reason,
        "text": event.text_digest,
        "details": event.details,
    }
    latest = Round.objects.filter(case=event.case_number).last()
    usual = {"nid": "example-trees", "reason": "", "details": {}, "text": latest.digest if latest else ""}
    assert said == usual | expected
    assert start <= event.at <= timezone.now()


def check_record_holds() -> None:
    """Not an event is missing from the chain."""
    assert sum(1 for _ in log.verified()) == Event.objects.count()


def digest_of_round(case: Case, number: int) -> str:
    return str(case.rounds.get(number=number).digest)
