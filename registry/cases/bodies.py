"""Decisions of the approval body on the recognition of a body, recorded outside a case (RFC 8141, Section 6.3).

They apply to cases that its representatives submit later. Decisions made in a case do not change.
"""

from dataclasses import dataclass
from typing import Any

from django.db import transaction

from registry.accounts.gravity import Gravity, has_gravity
from registry.accounts.locks import check_is_verified
from registry.accounts.models import Body, Recognition, User, addresses
from registry.accounts.roles import lock_roles
from registry.audit_log import log
from registry.cases.permissions import may_decide_on, may_represent
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.validators import MAX_REFERENCE_LENGTH, check_text
from registry.mail import outbox


class RecognitionStands(RegistryError):
    """The body already has this recognition."""

    title = "Already recorded"


class OwnBenefit(RegistryError):
    """A liaison can't record a representative whose recognition they gain by."""

    title = "Another liaison must record this"


@dataclass(frozen=True)
class BodyDecision:
    """A decision on a body. `name` is the verb of the event and the name of the mail."""

    name: str
    label: str
    recognition: Recognition


RECOGNISE_BODY = BodyDecision("recognise_body", "Recognised for the fast track", Recognition.RECOGNISED)
REFUSE_BODY = BodyDecision("refuse_body", "Does not qualify for the fast track", Recognition.REFUSED)
WITHDRAW_RECOGNITION = BodyDecision(
    "withdraw_recognition",
    "The earlier decision no longer applies: decide in each case",
    Recognition.PENDING,
)
DECISIONS = {each.name: each for each in (RECOGNISE_BODY, REFUSE_BODY, WITHDRAW_RECOGNITION)}


def check_may_decide_on(body: Body, *, by: User) -> None:
    """Raise NotPermitted unless `by` may record decisions on the body."""
    if not may_decide_on(by, body):
        raise NotPermitted(
            f"To decide on {body}, a liaison must not edit its cases, represent it, or work with its representatives. "
            "Another liaison must record this decision."
        )


@has_gravity(Gravity.DECISION)
@transaction.atomic
def decide_on_body(
    body: Body, decision: BodyDecision, *, by: User, reference: str, representative: User | None = None
) -> Body:
    """Record a decision on a body and, if it is recognised, optionally a representative."""
    to = decision.recognition
    body = Body.objects.select_for_update().get(pk=body.pk)
    lock_roles(by)
    check_may_decide_on(body, by=by)
    if representative is not None and not may_represent(representative, by=by):
        raise OwnBenefit(
            f"You can't record yourself as a representative of {body}. The same applies to people who represent "
            "a body or edit a case together with you. Another liaison must record this decision."
        )
    before = set(body.representatives.all())
    if body.recognition == to and (representative is None or representative in before):
        raise RecognitionStands(f"“{body.get_recognition_display()}” is already recorded for {body}.")
    reference = check_text(reference, "the reference to the decision", longest=MAX_REFERENCE_LENGTH)
    was, body.recognition, body.recognition_reference = body.recognition, to, reference
    body.save(update_fields=["recognition", "recognition_reference"])
    if to != Recognition.RECOGNISED:
        body.representatives.clear()
    elif representative is not None:
        check_is_verified(representative)
        body.representatives.add(representative)
    people = before | ({representative} if representative else set())
    named: dict[str, Any] = {"person": representative.pk} if representative else {}
    event = log.append(
        decision.name,
        by=by,
        from_state=was,
        to_state=to,
        body=body.pk,
        name=body.name,
        reference=reference,
        **named,
    )
    context = {"body": body, "event": event}
    outbox.post(decision.name, to=addresses(people), context=context, event_number=event.number)
    return body
