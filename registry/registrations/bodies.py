"""The standing word of the approval body on a body, recorded apart from any case (RFC 8141, section 6.3).

It holds for cases that its representatives submit from then on; what was decided in a case stays decided.
"""

from typing import Any

from django.db import transaction

from registry.accounts.actions import hold_roles
from registry.accounts.models import Body, Recognition, User, addresses
from registry.errors import NotForYou, RegistryError
from registry.mail import outbox
from registry.record import journal
from registry.registrations.actions import LONGEST_REFERENCE
from registry.registrations.permissions import may_decide_on
from registry.words import check_words


class RecognitionStands(RegistryError):
    """What was to be recorded is so already."""

    title = "That is recorded already"


def recognise_body(body: Body, *, by: User, reference: str, representative: User | None = None) -> Body:
    """Record that the body is recognised for the fast track, and who may speak for it."""
    return _decide(body, "recognise_body", Recognition.RECOGNISED, by, reference, representative)


def refuse_body(body: Body, *, by: User, reference: str) -> Body:
    """Record that the body is none for the fast track: its cases follow the community procedure."""
    return _decide(body, "refuse_body", Recognition.REFUSED, by, reference)


def withdraw_recognition(body: Body, *, by: User, reference: str) -> Body:
    """Record that the word given before holds no more: the approval body is asked anew in each case."""
    return _decide(body, "withdraw_recognition", Recognition.PENDING, by, reference)


@transaction.atomic
def _decide(
    body: Body, verb: str, to: Recognition, by: User, reference: str, representative: User | None = None
) -> Body:
    """The shape of the three: lock, ask who, write the word, its event and its mail."""
    body = Body.objects.select_for_update().get(pk=body.pk)
    hold_roles(by)
    if not may_decide_on(by, body):
        raise NotForYou(f"What the approval body says of {body} is not yours to record.")
    before = set(body.representatives.all())
    if body.recognition == to and (representative is None or representative in before):
        raise RecognitionStands(
            f"{body} is {body.get_recognition_display()} already ({body.recognition_reference})."
        )
    reference = check_words(reference, "the reference to the decision", longest=LONGEST_REFERENCE)
    was, body.recognition, body.recognition_reference = body.recognition, to, reference
    body.save(update_fields=["recognition", "recognition_reference"])
    if to != Recognition.RECOGNISED:
        body.representatives.clear()
    elif representative is not None:
        body.representatives.add(representative)
    people = before | ({representative} if representative else set())
    named: dict[str, Any] = {"person": representative.pk} if representative else {}
    event = journal.append(
        verb,
        by=by,
        from_state=was,
        to_state=to,
        body=body.pk,
        name=body.name,
        reference=reference,
        **named,
    )
    outbox.post(verb, to=addresses(people), context={"body": body, "event": event}, event_number=event.number)
    return body
