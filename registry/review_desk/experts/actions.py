"""Actions of experts: take, hand over and release a case, and note an absence.

None of these is an event in the audit log: the work on a review is not public until its verdict. Assignments are stored with
their beginning and end.
"""

from datetime import date
from http import HTTPStatus

from django.db import transaction
from django.utils import timezone

from registry.accounts.models import RoleName, User, addresses
from registry.cases.deadlines import due_at
from registry.cases.models import Case
from registry.cases.permissions import is_disinterested, is_expert
from registry.cases.workflow.subject import lock_case
from registry.core.exceptions import NotPermitted, RegistryError
from registry.mail import outbox
from registry.review_desk.models import Absence, CaseAssignment


class InvalidAbsence(RegistryError):
    """An absence that ends before it begins, or is in the past."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Invalid absence"


def add_absence(*, by: User, first_day: date, last_day: date) -> Absence:
    """Add an absence. During it, other experts can take the person's cases and get the reminders."""
    if last_day < first_day:
        raise InvalidAbsence(
            f"The last day, {last_day}, is before the first day, {first_day}. Change one of them."
        )
    if last_day < timezone.now().date():
        raise InvalidAbsence(f"The last day, {last_day}, is in the past. Enter today or a later day.")
    return Absence.objects.create(person=by, first_day=first_day, last_day=last_day)


def remove_absence(absence: Absence, *, by: User) -> None:
    """Remove an absence, or end it early."""
    if absence.person_id != by.pk:
        raise NotPermitted("This is another person's absence.")
    absence.delete()


class AlreadyAssigned(RegistryError):
    """The case is assigned to another expert."""

    title = "This case is already claimed"


class NotAssigned(RegistryError):
    """The case is assigned to nobody, or to another expert."""

    title = "This case is not assigned to you"


class CaseClosed(RegistryError):
    """The case is closed."""

    title = "This case is closed"


class NotEligible(RegistryError):
    """The person cannot act as expert in the case."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "This person can't review the case"


def may_reassign(user: User, case: Case) -> bool:
    """Whether `user` may hand over cases that are assigned to others."""
    return RoleName.LEADER in user.roles and is_disinterested(user, case)


def may_take(user: User, case: Case, assignment: CaseAssignment | None) -> bool:
    """Whether `user` can take over the case, which has the current `assignment`."""
    if not (case.is_open and is_expert(user, case)):
        return False
    return assignment is None or (assignment.person_id != user.pk and not _is_available(assignment, case))


@transaction.atomic
def take_case(case: Case, *, by: User) -> CaseAssignment:
    """Take a case, unless it is assigned to an expert who is present and can act."""
    case = _lock_open_case(case, by=by)
    if not is_expert(by, case):
        raise NotPermitted(f"You can't claim case {case.pk}.")
    assignment = _current_assignment(case)
    if assignment and assignment.person_id == by.pk:
        return assignment
    if assignment and _is_available(assignment, case):
        raise AlreadyAssigned(
            f"Case {case.pk} has been assigned to {assignment.person} since {assignment.assigned_at:%Y-%m-%d}. "
            "Ask them to hand it over. You can still decide: the first decision counts."
        )
    return _reassign(by, case, assignment)


@transaction.atomic
def hand_over_case(case: Case, *, by: User, to: User) -> CaseAssignment:
    """Hand a case over to another expert, who is notified. The leader can hand over any case."""
    case = _lock_open_case(case, by=by)
    assignment = _assignment_to_end(by, case)
    if not is_expert(to, case):
        raise NotEligible(f"{to} can't act as expert in case {case.pk}.")
    if assignment and assignment.person_id == to.pk:
        return assignment
    new_assignment = _reassign(to, case, assignment)
    if to.pk != by.pk:
        context = {"case": case, "by": by, "due": due_at(case)}
        outbox.post("hand_over", to=addresses([to]), context=context)
    return new_assignment


@transaction.atomic
def release_case(case: Case, *, by: User) -> None:
    """Release a case, so that any expert can take it."""
    case = _lock_open_case(case, by=by)
    _release(_assignment_to_end(by, case))


def _lock_open_case(case: Case, *, by: User) -> Case:
    case = lock_case(case, by=by)
    if not case.is_public:
        raise NotPermitted(f"There is no case {case.pk}.")
    if not case.is_open:
        raise CaseClosed(
            f"Case {case.pk} is {case.get_state_display()}, so it can't be claimed or handed over."
        )
    return case


def _current_assignment(case: Case) -> CaseAssignment | None:
    return CaseAssignment.objects.current().select_related("person").filter(case=case).first()


def _assignment_to_end(by: User, case: Case) -> CaseAssignment | None:
    """The assignment that `by` may end; None if the leader assigns a case that is assigned to nobody."""
    assignment = _current_assignment(case)
    if may_reassign(by, case) or (assignment and assignment.person_id == by.pk):
        return assignment
    if not is_expert(by, case):
        raise NotPermitted(f"You can't claim case {case.pk}.")
    who = f"assigned to {assignment.person}" if assignment else "not claimed"
    raise NotAssigned(f"Case {case.pk} is {who}. You can hand over or release only cases assigned to you.")


def _is_available(assignment: CaseAssignment, case: Case) -> bool:
    """Whether the reviewer is present and can still act."""
    is_away = Absence.objects.on(timezone.now().date()).filter(person=assignment.person_id).exists()
    return assignment.person.is_active and not is_away and is_expert(assignment.person, case)


def _reassign(person: User, case: Case, assignment: CaseAssignment | None) -> CaseAssignment:
    _release(assignment)
    return CaseAssignment.objects.create(case=case, person=person)


def _release(assignment: CaseAssignment | None) -> None:
    if assignment:
        assignment.released_at = timezone.now()
        assignment.save(update_fields=["released_at"])
