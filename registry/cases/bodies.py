"""Decisions of the approval body on the recognition of a body, recorded outside a case (RFC 8141, Section 6.3).

They apply to cases that its representatives submit later. Decisions made in a case do not change.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from registry.accounts.gravity import Gravity
from registry.accounts.locks import check_is_verified
from registry.accounts.models import Body, Recognition, User, addresses
from registry.actions.declarations import Action, ActionContext, Condition, SubjectType
from registry.actions.engine import performs
from registry.actions.parameters import reference as reference_to
from registry.audit_log.models import Event
from registry.cases.permissions import may_decide_on, may_represent
from registry.cases.workflow.declarations.parameters import OptionalAccount
from registry.cases.workflow.exceptions import OwnBenefit
from registry.core.exceptions import RegistryError
from registry.core.validators import MAX_REFERENCE_LENGTH, check_text
from registry.mail import outbox


class RecognitionStands(RegistryError):
    """The body already has this recognition."""

    title = "Already recorded"


class BodySubject(SubjectType[Body]):
    def lock(self, subject: Body, by: User | None) -> Body:
        return Body.objects.select_for_update().get(pk=subject.pk)

    def members(self, subject: Body) -> Mapping[str, Any]:
        return {"body": subject.pk, "name": subject.name}


BODY = BodySubject()


def _mail_representatives(event: Event, context: ActionContext[Body]) -> None:
    people = {*context.people_before, *([context.person] if context.person else [])}
    about = {"body": context.subject, "event": event}
    outbox.post(event.verb, to=addresses(people), context=about, event_number=event.number)


def _already_recorded(body: Body) -> str:
    return f"“{body.get_recognition_display()}” is already recorded for {body}."


def _is_not_yet(recognition: Recognition) -> Condition[Body]:
    return Condition(lambda body: body.recognition != recognition, _already_recorded, RecognitionStands)


REFERENCE = reference_to("Reference to the decision")
# What the decisions have in common. The name of each is that of its mail.
on_body = partial(
    Action[Body],
    success=lambda body: f"The decision on {body} was recorded.",
    is_public=False,
    permission=may_decide_on,
    not_permitted=(
        "To decide on {subject}, a liaison must not edit its cases, represent it, or work with its representatives. "
        "Another liaison must record this decision."
    ),
    gravity=Gravity.DECISION,
    parameters=(REFERENCE,),
    needs_confirmed_address=False,
    notify=_mail_representatives,
)
RECOGNISE_BODY = on_body(
    name="recognise_body",
    label="Recognise the body for the fast track",
    button="Record the recognition",
    effect="Cases that its representatives submit are recognised automatically. You can also add a representative of a body that "
    "is recognised already.",
    parameters=(REFERENCE, OptionalAccount("representative", "E-mail address of a representative")),
    refusals=(OwnBenefit, RecognitionStands),
)
REFUSE_BODY = on_body(
    name="refuse_body",
    label="Refuse the fast track",
    button="Record the refusal",
    effect="The body does not qualify for the fast track: its cases follow the community procedure. Its representatives are removed.",
    conditions=(_is_not_yet(Recognition.REFUSED),),
    is_grave=True,
)
WITHDRAW_RECOGNITION = on_body(
    name="withdraw_recognition",
    label="Withdraw the earlier decision",
    button="Record the withdrawal",
    effect="The earlier decision no longer applies: the approval body decides in each case. The representatives are removed.",
    conditions=(_is_not_yet(Recognition.PENDING),),
    is_grave=True,
)
# By their names in forms, in the order of the buttons.
DECISIONS = {each.name: each for each in (RECOGNISE_BODY, REFUSE_BODY, WITHDRAW_RECOGNITION)}


@performs(RECOGNISE_BODY, BODY)
def recognise_body(
    context: ActionContext[Body], *, reference: str, representative: User | None = None
) -> None:
    """Record that a body is recognised and, optionally, a representative."""
    body = context.subject
    if representative is not None and not may_represent(representative, body, by=context.actor):
        raise OwnBenefit(
            f"You can't record yourself as a representative of {body}. The same applies to people who represent "
            "a body or edit a case together with you, and to a person who recognised the body. Another liaison must record "
            "this decision, or another person must represent the body."
        )
    is_known = representative is None or representative in body.representatives.all()
    if body.recognition == Recognition.RECOGNISED and is_known:
        raise RecognitionStands(_already_recorded(body))
    _record(context, Recognition.RECOGNISED, reference)
    if representative is not None:
        check_is_verified(representative)
        body.representatives.add(representative)
        context.person = representative
        context.details["person"] = representative.pk


@performs(REFUSE_BODY, BODY)
def refuse_body(context: ActionContext[Body], *, reference: str) -> None:
    """Record that a body does not qualify for the fast track."""
    _record(context, Recognition.REFUSED, reference)
    context.subject.representatives.clear()


@performs(WITHDRAW_RECOGNITION, BODY)
def withdraw_recognition(context: ActionContext[Body], *, reference: str) -> None:
    """Record that the earlier decision no longer applies."""
    _record(context, Recognition.PENDING, reference)
    context.subject.representatives.clear()


def _record(context: ActionContext[Body], to: Recognition, reference: str) -> None:
    body = context.subject
    reference = check_text(
        reference, "the reference to the decision", longest=MAX_REFERENCE_LENGTH, argument="reference"
    )
    context.people_before = list(body.representatives.all())
    context.details = {"from_state": body.recognition, "to_state": to, "reference": reference}
    body.recognition, body.recognition_reference = to, reference
    body.save(update_fields=["recognition", "recognition_reference"])
