"""Actions of experts on cases: claim, hand over, release, and save the checklist.

None of this is an event of the public record: who looks at a case is the experts' own affair until one of
them answers. A claim is kept with its beginning and its end, so it can be told who had what when.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from registry.accounts.models import RoleName, User, addresses
from registry.cases.models import Case
from registry.cases.permissions import is_disinterested, is_expert
from registry.cases.workflow.engine import lock_case
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.validators import check_optional_text
from registry.mail import outbox
from registry.review_desk.experts.checklist import QUESTION_BY_KEY
from registry.review_desk.models import Absence, ChecklistMark, Claim


class AlreadyClaimed(RegistryError):
    """Somebody else has taken the case."""

    title = "Somebody has taken this case"


class NotClaimed(RegistryError):
    """Nobody has taken the case, or somebody else has."""

    title = "You don't hold this case"


class CaseClosed(RegistryError):
    """There is nothing to do in the case any more."""

    title = "This case is closed"


class NotEligible(RegistryError):
    """The person that is to take the case over is no expert in it."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "This person can't take the case"


class UnknownQuestion(RegistryError):
    """The checklist has no such question."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "There is no such question"


@dataclass(frozen=True, slots=True)
class Mark:
    """What an expert says of one question."""

    is_ticked: bool = False
    note: str = ""


def may_reassign(user: User, case: Case) -> bool:
    """Whether `user` may hand over what others have taken."""
    return RoleName.LEADER in user.roles and is_disinterested(user, case)


@transaction.atomic
def claim_case(case: Case, *, by: User) -> Claim:
    """Say that one looks after a case. It goes from nobody who is here and can act."""
    case = _lock_open_case(case, by=by)
    if not is_expert(by, case):
        raise NotPermitted(f"Case {case.pk} is not one that you can take.")
    claim = _current_claim(case)
    if claim and claim.person_id == by.pk:
        return claim
    if claim and _is_available(claim, case):
        raise AlreadyClaimed(
            f"{claim.person} has case {case.pk} since {claim.claimed_at:%Y-%m-%d}. You can answer all the same: the "
            "first answer counts. Ask them to hand it over if you want to have it."
        )
    return _reassign(by, case, claim)


@transaction.atomic
def hand_over_case(case: Case, *, by: User, to: User) -> Claim:
    """Give a case that one holds to another expert, who is told; the leader gives anybody's."""
    case = _lock_open_case(case, by=by)
    claim = _claim_to_end(by, case)
    if not is_expert(to, case):
        raise NotEligible(f"{to} can't act as expert in case {case.pk}.")
    if claim and claim.person_id == to.pk:
        return claim
    new_claim = _reassign(to, case, claim)
    if to.pk != by.pk:
        context = {"case": case, "by": by, "claim": new_claim, "origin": settings.PUBLIC_ORIGIN}
        outbox.post("hand_over", to=addresses([to]), context=context)
    return new_claim


@transaction.atomic
def release_case(case: Case, *, by: User) -> None:
    """Hold a case no longer; it waits for whoever takes it."""
    case = _lock_open_case(case, by=by)
    _release(_claim_to_end(by, case))


def _lock_open_case(case: Case, *, by: User) -> Case:
    case = lock_case(case, by=by)
    if not case.is_public:
        raise NotPermitted(f"There is no case {case.pk}.")
    if not case.is_open:
        raise CaseClosed(f"Case {case.pk} is {case.get_state_display()}: there is nothing to look after.")
    return case


def _current_claim(case: Case) -> Claim | None:
    return Claim.objects.current().select_related("person").filter(case=case).first()


def _claim_to_end(by: User, case: Case) -> Claim | None:
    """The claim that `by` may end, or None where the leader gives what nobody has."""
    claim = _current_claim(case)
    if may_reassign(by, case) or (claim and claim.person_id == by.pk):
        return claim
    if not is_expert(by, case):
        raise NotPermitted(f"Case {case.pk} is not one that you can take.")
    raise NotClaimed(
        f"{claim.person if claim else 'Nobody'} has case {case.pk}; you can give only what you hold."
    )


def _is_available(claim: Claim, case: Case) -> bool:
    """Whether the holder is here, and can still act."""
    is_away = Absence.objects.on(timezone.now().date()).filter(person=claim.person_id).exists()
    return claim.person.is_active and not is_away and is_expert(claim.person, case)


def _reassign(person: User, case: Case, claim: Claim | None) -> Claim:
    _release(claim)
    return Claim.objects.create(case=case, person=person)


def _release(claim: Claim | None) -> None:
    if claim:
        claim.released_at = timezone.now()
        claim.save(update_fields=["released_at"])


@transaction.atomic
def save_marks(case: Case, *, by: User, round_number: int, marks: Mapping[str, Mark]) -> None:
    """Keep what `by` ticked and noted of one round, by question."""
    case = lock_case(case, by=by)
    if not is_expert(by, case):
        raise NotPermitted(f"Case {case.pk} is not one that you review.")
    round_ = case.rounds.filter(number=round_number).first()
    if round_ is None:
        raise NotPermitted(f"Case {case.pk} has no round {round_number}.")
    for key, mark in marks.items():
        if key not in QUESTION_BY_KEY:
            raise UnknownQuestion(f"“{key}” is no question of the checklist.")
        note = check_optional_text(mark.note, "the note")
        ChecklistMark.objects.update_or_create(
            round=round_,
            expert=by,
            question=key,
            defaults={"is_ticked": mark.is_ticked, "note": note, "at": timezone.now()},
        )
