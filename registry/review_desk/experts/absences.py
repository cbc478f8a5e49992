"""Absences: days on which a person is out of office."""

from datetime import date
from http import HTTPStatus

from django.utils import timezone

from registry.accounts.models import User
from registry.core.exceptions import NotPermitted, RegistryError
from registry.review_desk.models import Absence


class InvalidAbsence(RegistryError):
    """An absence that ends before it begins, or is over."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "These days can't be"


def add_absence(*, by: User, first_day: date, last_day: date) -> Absence:
    """Be out of office on these days: cases that one holds can be taken, and reminders go to the others."""
    if last_day < first_day:
        raise InvalidAbsence(f"The last day, {last_day}, comes before the first, {first_day}.")
    if last_day < timezone.now().date():
        raise InvalidAbsence(f"{last_day} is over: an absence that is past changes nothing.")
    return Absence.objects.create(person=by, first_day=first_day, last_day=last_day)


def remove_absence(absence: Absence, *, by: User) -> None:
    """Take an absence back, or end it early."""
    if absence.person_id != by.pk:
        raise NotPermitted("This is somebody else's absence.")
    absence.delete()
