"""What experts do with cases besides answering: take them, hand them over, be away, note what they looked at.

None of this is an event of the public record: who looks at a case is the experts' own affair until one of
them answers. A holding is kept with its beginning and its end, so it can be told who had what when.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from http import HTTPStatus

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from registry.accounts.models import RoleName, User, addresses
from registry.desk.checklist import QUESTION_BY_KEY
from registry.desk.models import Absence, ChecklistMark, Holding
from registry.errors import NotForYou, RegistryError
from registry.mail import outbox
from registry.registrations.models import Registration
from registry.registrations.moving import locked
from registry.registrations.permissions import is_disinterested, is_expert
from registry.words import check_remark


class AlreadyHeld(RegistryError):
    """Somebody else has taken the case."""

    title = "Somebody has taken this case"


class NotHeld(RegistryError):
    """Nobody has taken the case, or somebody else has."""

    title = "You don't hold this case"


class CaseClosed(RegistryError):
    """There is nothing to do in the case any more."""

    title = "This case is closed"


class NoExpertThere(RegistryError):
    """The person that is to take the case over is no expert in it."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "This person can't take the case"


class DaysWrong(RegistryError):
    """An absence that ends before it begins, or is over."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "These days can't be"


class UnknownQuestion(RegistryError):
    """The checklist has no such question."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "There is no such question"


@dataclass(frozen=True, slots=True)
class Mark:
    """What an expert says of one question."""

    is_ticked: bool = False
    note: str = ""


def may_lead(user: User, registration: Registration) -> bool:
    """Whether `user` may hand over what others have taken."""
    return RoleName.LEADER in user.roles and is_disinterested(user, registration)


@transaction.atomic
def take(registration: Registration, *, by: User) -> Holding:
    """Say that one looks after a case. It goes from nobody who is here and can act."""
    case = _open_case(registration, by=by)
    if not is_expert(by, case):
        raise NotForYou(f"Case {case.pk} is not one that you can take.")
    held = _held(case)
    if held and held.person_id == by.pk:
        return held
    if held and _looks_after(held, case):
        raise AlreadyHeld(
            f"{held.person} has case {case.pk} since {held.since:%Y-%m-%d}. You can answer all the same: the "
            "first answer counts. Ask them to hand it over if you want to have it."
        )
    return _pass_to(by, case, held)


@transaction.atomic
def hand_over(registration: Registration, *, by: User, to: User) -> Holding:
    """Give a case that one holds to another expert, who is told; the leader gives anybody's."""
    case = _open_case(registration, by=by)
    held = _held_by(by, case)
    if not is_expert(to, case):
        raise NoExpertThere(f"{to} can't act as expert in case {case.pk}.")
    if held and held.person_id == to.pk:
        return held
    taken = _pass_to(to, case, held)
    if to.pk != by.pk:
        context = {"case": case, "by": by, "holding": taken, "origin": settings.PUBLIC_ORIGIN}
        outbox.post("hand_over", to=addresses([to]), context=context)
    return taken


@transaction.atomic
def give_back(registration: Registration, *, by: User) -> None:
    """Hold a case no longer; it waits for whoever takes it."""
    case = _open_case(registration, by=by)
    _end(_held_by(by, case))


def _open_case(registration: Registration, *, by: User) -> Registration:
    case = locked(registration, by=by)
    if not case.is_public:
        raise NotForYou(f"There is no case {case.pk}.")
    if not case.is_open:
        raise CaseClosed(f"Case {case.pk} is {case.get_state_display()}: there is nothing to look after.")
    return case


def _held(case: Registration) -> Holding | None:
    return Holding.objects.current().select_related("person").filter(registration=case).first()


def _held_by(by: User, case: Registration) -> Holding | None:
    """The holding that `by` may end, or None where the leader gives what nobody has."""
    held = _held(case)
    if may_lead(by, case) or (held and held.person_id == by.pk):
        return held
    if not is_expert(by, case):
        raise NotForYou(f"Case {case.pk} is not one that you can take.")
    raise NotHeld(f"{held.person if held else 'Nobody'} has case {case.pk}; you can give only what you hold.")


def _looks_after(held: Holding, case: Registration) -> bool:
    """Whether the holder is here, and can still act."""
    is_away = Absence.objects.on(timezone.now().date()).filter(person=held.person_id).exists()
    return held.person.is_active and not is_away and is_expert(held.person, case)


def _pass_to(person: User, case: Registration, held: Holding | None) -> Holding:
    _end(held)
    return Holding.objects.create(registration=case, person=person)


def _end(held: Holding | None) -> None:
    if held:
        held.ended_at = timezone.now()
        held.save(update_fields=["ended_at"])


def be_away(*, by: User, first_day: date, last_day: date) -> Absence:
    """Be out of office on these days: cases that one holds can be taken, and reminders go to the others."""
    if last_day < first_day:
        raise DaysWrong(f"The last day, {last_day}, comes before the first, {first_day}.")
    if last_day < timezone.now().date():
        raise DaysWrong(f"{last_day} is over: an absence that is past changes nothing.")
    return Absence.objects.create(person=by, first_day=first_day, last_day=last_day)


def be_back(absence: Absence, *, by: User) -> None:
    """Take an absence back, or end it early."""
    if absence.person_id != by.pk:
        raise NotForYou("This is somebody else's absence.")
    absence.delete()


@transaction.atomic
def mark(registration: Registration, *, by: User, round_number: int, marks: Mapping[str, Mark]) -> None:
    """Keep what `by` ticked and noted of one round, by question."""
    case = locked(registration, by=by)
    if not is_expert(by, case):
        raise NotForYou(f"Case {case.pk} is not one that you review.")
    submission = case.submissions.filter(round=round_number).first()
    if submission is None:
        raise NotForYou(f"Case {case.pk} has no round {round_number}.")
    for key, said in marks.items():
        if key not in QUESTION_BY_KEY:
            raise UnknownQuestion(f"“{key}” is no question of the checklist.")
        note = check_remark(said.note, "the note")
        ChecklistMark.objects.update_or_create(
            submission=submission,
            expert=by,
            question=key,
            defaults={"is_ticked": said.is_ticked, "note": note, "at": timezone.now()},
        )
