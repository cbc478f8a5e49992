"""Actions of experts: claim, hand over and release a case, and note an absence.

None of these is an event in the audit log: the work on a review is not public until its verdict. Claims are stored with
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
from registry.review_desk.models import Absence, Claim


class InvalidAbsence(RegistryError):
    """An absence that ends before it begins, or is in the past."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Invalid absence"


def add_absence(*, by: User, first_day: date, last_day: date) -> Absence:
    """Add an absence. During it, other experts can claim the person's cases and get the reminders."""
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


class AlreadyClaimed(RegistryError):
    """Another expert has claimed the case."""

    title = "This case is already claimed"


class NotClaimed(RegistryError):
    """The case is not claimed, or another expert has claimed it."""

    title = "This case is not assigned to you"


class CaseClosed(RegistryError):
    """The case is closed."""

    title = "This case is closed"


class NotEligible(RegistryError):
    """The person cannot act as expert in the case."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "This person can't review the case"


def may_reassign(user: User, case: Case) -> bool:
    """Whether `user` may hand over cases that others have claimed."""
    return RoleName.LEADER in user.roles and is_disinterested(user, case)


def may_claim(user: User, case: Case, claim: Claim | None) -> bool:
    """Whether `user` can take over the case, which has the current claim `claim`."""
    if not (case.is_open and is_expert(user, case)):
        return False
    return claim is None or (claim.person_id != user.pk and not _is_available(claim, case))


@transaction.atomic
def claim_case(case: Case, *, by: User) -> Claim:
    """Claim a case, unless an expert who is present and can act has claimed it."""
    case = _lock_open_case(case, by=by)
    if not is_expert(by, case):
        raise NotPermitted(f"You can't claim case {case.pk}.")
    claim = _current_claim(case)
    if claim and claim.person_id == by.pk:
        return claim
    if claim and _is_available(claim, case):
        raise AlreadyClaimed(
            f"Case {case.pk} has been assigned to {claim.person} since {claim.claimed_at:%Y-%m-%d}. "
            "Ask them to hand it over. You can still decide: the first decision counts."
        )
    return _reassign(by, case, claim)


@transaction.atomic
def hand_over_case(case: Case, *, by: User, to: User) -> Claim:
    """Hand a claimed case over to another expert, who is notified. The leader can hand over any case."""
    case = _lock_open_case(case, by=by)
    claim = _claim_to_end(by, case)
    if not is_expert(to, case):
        raise NotEligible(f"{to} can't act as expert in case {case.pk}.")
    if claim and claim.person_id == to.pk:
        return claim
    new_claim = _reassign(to, case, claim)
    if to.pk != by.pk:
        context = {"case": case, "by": by, "due": due_at(case)}
        outbox.post("hand_over", to=addresses([to]), context=context)
    return new_claim


@transaction.atomic
def release_case(case: Case, *, by: User) -> None:
    """Release a case, so that any expert can claim it."""
    case = _lock_open_case(case, by=by)
    _release(_claim_to_end(by, case))


def _lock_open_case(case: Case, *, by: User) -> Case:
    case = lock_case(case, by=by)
    if not case.is_public:
        raise NotPermitted(f"There is no case {case.pk}.")
    if not case.is_open:
        raise CaseClosed(
            f"Case {case.pk} is {case.get_state_display()}, so it can't be claimed or handed over."
        )
    return case


def _current_claim(case: Case) -> Claim | None:
    return Claim.objects.current().select_related("person").filter(case=case).first()


def _claim_to_end(by: User, case: Case) -> Claim | None:
    """The claim that `by` may end; None if the leader assigns a case that is not claimed."""
    claim = _current_claim(case)
    if may_reassign(by, case) or (claim and claim.person_id == by.pk):
        return claim
    if not is_expert(by, case):
        raise NotPermitted(f"You can't claim case {case.pk}.")
    claimed = f"assigned to {claim.person}" if claim else "not claimed"
    raise NotClaimed(f"Case {case.pk} is {claimed}. You can hand over or release only cases assigned to you.")


def _is_available(claim: Claim, case: Case) -> bool:
    """Whether the reviewer is present and can still act."""
    is_away = Absence.objects.on(timezone.now().date()).filter(person=claim.person_id).exists()
    return claim.person.is_active and not is_away and is_expert(claim.person, case)


def _reassign(person: User, case: Case, claim: Claim | None) -> Claim:
    _release(claim)
    return Claim.objects.create(case=case, person=person)


def _release(claim: Claim | None) -> None:
    if claim:
        claim.released_at = timezone.now()
        claim.save(update_fields=["released_at"])
