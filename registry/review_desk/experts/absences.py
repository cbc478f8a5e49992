"""Absences: days on which a person is out of office."""

from datetime import date
from http import HTTPStatus

from django.utils import timezone

from registry.accounts.models import User
from registry.core.exceptions import NotPermitted, RegistryError
from registry.review_desk.models import Absence


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
