"""Actions of experts: take, hand over and release a case, and note an absence.

None of these is an event in the audit log: the work on a review is not public until its verdict. Assignments are stored with
their beginning and end.
"""

from datetime import date
from functools import partial
from http import HTTPStatus

from django.utils import timezone

from registry.accounts.gravity import Gravity
from registry.accounts.models import RoleName, User, addresses
from registry.actions.declarations import Action, ActionContext, Condition
from registry.actions.engine import performs
from registry.actions.parameters import Day
from registry.actions.people import PERSON, is_the_person
from registry.cases.deadlines import due_at
from registry.cases.models import Case
from registry.cases.permissions import is_disinterested, is_expert
from registry.cases.workflow.subject import CASE
from registry.core.exceptions import NotPermitted, RegistryError
from registry.mail import outbox
from registry.review_desk.experts.inputs import OtherExpert
from registry.review_desk.models import Absence, CaseAssignment


class InvalidAbsence(RegistryError):
    """An absence that ends before it begins, or is in the past."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Invalid absence"


class AlreadyAssigned(RegistryError):
    """The case is assigned to another expert."""

    title = "This case is already assigned"


class NotAssigned(RegistryError):
    """The case is not assigned, or it is assigned to another expert."""

    title = "This case is not assigned to you"


class CaseClosed(RegistryError):
    """The case is closed."""

    title = "This case is closed"


class NotEligible(RegistryError):
    """The person cannot act as expert in the case."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "This person can't review the case"


def _reviews(user: User, case: Case) -> bool:
    return case.is_public and is_expert(user, case)


def _may_reassign(user: User, case: Case) -> bool:
    """Whether `user` may hand over and release cases that are assigned to others."""
    return case.is_public and RoleName.LEADER in user.roles and is_disinterested(user, case)


def may_see_review(user: User, case: Case) -> bool:
    """Whether `user` reviews the case, or hands it over to those who do."""
    return _reviews(user, case) or _may_reassign(user, case)


def _can_take(user: User, case: Case) -> bool:
    """Whether the case is neither assigned to `user` nor to another expert who is available."""
    assignment = CaseAssignment.objects.current_of(case).first()
    return assignment is None or (assignment.person_id != user.pk and not _is_available(assignment, case))


def _can_hand_over(user: User, case: Case) -> bool:
    """Whether the case is assigned to `user`, or they are the leader."""
    return _may_reassign(user, case) or CaseAssignment.objects.current_of(case).filter(person=user).exists()


# What the actions on the assignment of a case have in common.
on_case = partial(
    Action[Case],
    not_permitted="You can't review case {subject.pk}.",
    gravity=Gravity.ORDINARY,
    conditions=(
        Condition[Case](
            lambda case: case.is_open,
            lambda case: (
                f"Case {case.pk} is {case.get_state_display()}, so it can't be assigned or handed over."
            ),
            CaseClosed,
        ),
    ),
    needs_confirmed_address=False,
    is_logged=False,
)
TAKE_CASE = on_case(
    name="take_case",
    label="Assign to me",
    effect="Other experts can still decide the case.",
    success="This case is assigned to you.",
    permission=_reviews,
    offered_to=_can_take,
    refusals=(AlreadyAssigned,),
)
HAND_OVER_CASE = on_case(
    name="hand_over_case",
    label="Hand over",
    effect="The new reviewer is notified by e-mail.",
    success=lambda assignment: f"The case is assigned to {assignment.person}.",
    permission=may_see_review,
    offered_to=_can_hand_over,
    parameters=(OtherExpert("to", "Expert"),),
    refusals=(NotAssigned, NotEligible),
)
RELEASE_CASE = on_case(
    name="release_case",
    label="Release",
    effect="Any expert can take over the case.",
    success="The case was released.",
    permission=may_see_review,
    refusals=(NotAssigned,),
)
ADD_ABSENCE = Action[User](
    name="add_absence",
    effect="While you are away, other experts can take over your cases and receive the reminders. Deadlines do not change.",
    success="The absence was added. Other experts see it next to your cases.",
    permission=lambda person, subject: is_the_person(person, subject) and bool(person.roles),
    not_permitted="Only people with a role can note absences.",
    gravity=Gravity.ORDINARY,
    parameters=(Day("first_day", "First day"), Day("last_day", "Last day")),
    refusals=(InvalidAbsence,),
    needs_confirmed_address=False,
    is_logged=False,
)


@performs(TAKE_CASE, CASE)
def take_case(context: ActionContext[Case]) -> CaseAssignment:
    """Take a case, unless it is assigned to an expert who is present and can act."""
    case = context.subject
    assignment = CaseAssignment.objects.current_of(case).first()
    if assignment and assignment.person_id == context.actor.pk:
        return assignment
    if assignment and _is_available(assignment, case):
        raise AlreadyAssigned(
            f"Case {case.pk} has been assigned to {assignment.person} since {assignment.assigned_at:%Y-%m-%d}. "
            "Ask them to hand it over. You can still decide: the first decision counts."
        )
    return _reassign(case, assignment, context.actor)


@performs(HAND_OVER_CASE, CASE)
def hand_over_case(context: ActionContext[Case], *, to: User) -> CaseAssignment:
    """Hand a case over to another expert, who is notified. The leader can hand over any case."""
    case, by = context.subject, context.actor
    assignment = _assignment_to_end(case, by)
    if not is_expert(to, case):
        raise NotEligible(f"{to} can't act as expert in case {case.pk}.")
    if assignment and assignment.person_id == to.pk:
        return assignment
    if to.pk != by.pk:
        mail = {"case": case, "by": by, "due": due_at(case)}
        outbox.post("hand_over", to=addresses([to]), context=mail)
    return _reassign(case, assignment, to)


@performs(RELEASE_CASE, CASE)
def release_case(context: ActionContext[Case]) -> None:
    """Release a case, so that any expert can take it."""
    _release(_assignment_to_end(context.subject, context.actor))


@performs(ADD_ABSENCE, PERSON)
def add_absence(context: ActionContext[User], *, first_day: date, last_day: date) -> Absence:
    """Add an absence. During it, other experts can take the person's cases and get the reminders."""
    if last_day < first_day:
        raise InvalidAbsence(
            f"The last day, {last_day}, is before the first day, {first_day}. Change one of them."
        )
    if last_day < timezone.now().date():
        raise InvalidAbsence(f"The last day, {last_day}, is in the past. Enter today or a later day.")
    return Absence.objects.create(person=context.subject, first_day=first_day, last_day=last_day)


def remove_absence(absence: Absence, *, by: User) -> None:
    """Remove an absence, or end it early."""
    if absence.person_id != by.pk:
        raise NotPermitted("This is another person's absence.")
    absence.delete()


def _assignment_to_end(case: Case, by: User) -> CaseAssignment | None:
    """The assignment that `by` may end; None if the leader assigns a case that is not assigned."""
    assignment = CaseAssignment.objects.current_of(case).first()
    if _may_reassign(by, case) or (assignment and assignment.person_id == by.pk):
        return assignment
    who = f"assigned to {assignment.person}" if assignment else "not assigned"
    raise NotAssigned(f"Case {case.pk} is {who}. You can hand over or release only cases assigned to you.")


def _is_available(assignment: CaseAssignment, case: Case) -> bool:
    """Whether the reviewer is present and can still act."""
    is_away = Absence.objects.on(timezone.now().date()).filter(person=assignment.person_id).exists()
    return assignment.person.is_active and not is_away and is_expert(assignment.person, case)


def _reassign(case: Case, assignment: CaseAssignment | None, person: User) -> CaseAssignment:
    _release(assignment)
    return CaseAssignment.objects.create(case=case, person=person)


def _release(assignment: CaseAssignment | None) -> None:
    if assignment:
        assignment.released_at = timezone.now()
        assignment.save(update_fields=["released_at"])
