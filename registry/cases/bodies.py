"""The standing word of the approval body on a body, recorded apart from any case (RFC 8141, section 6.3).

It holds for cases that its representatives submit from then on; what was decided in a case stays decided.
"""

from typing import Any

from django.db import transaction

from registry.accounts.models import Body, Recognition, User, addresses
from registry.accounts.services.roles import lock_roles
from registry.audit_log import log
from registry.cases.permissions import may_decide_on
from registry.cases.workflow.parameters import LONGEST_REFERENCE
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.validators import check_text
from registry.mail import outbox


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
    lock_roles(by)
    if not may_decide_on(by, body):
        raise NotPermitted(f"What the approval body says of {body} is not yours to record.")
    before = set(body.representatives.all())
    if body.recognition == to and (representative is None or representative in before):
        raise RecognitionStands(
            f"{body} is {body.get_recognition_display()} already ({body.recognition_reference})."
        )
    reference = check_text(reference, "the reference to the decision", longest=LONGEST_REFERENCE)
    was, body.recognition, body.recognition_reference = body.recognition, to, reference
    body.save(update_fields=["recognition", "recognition_reference"])
    if to != Recognition.RECOGNISED:
        body.representatives.clear()
    elif representative is not None:
        body.representatives.add(representative)
    people = before | ({representative} if representative else set())
    named: dict[str, Any] = {"person": representative.pk} if representative else {}
    event = log.append(
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
