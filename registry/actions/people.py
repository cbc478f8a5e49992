"""What actions on the account of the person who acts are about, such as those that make something new."""

from collections.abc import Mapping
from typing import Any

from registry.accounts.locks import lock_open_account
from registry.accounts.models import User
from registry.actions.declarations import Person, SubjectType


class PersonSubject(SubjectType[User]):
    def lock(self, subject: User, by: User | None) -> User:
        lock_open_account(subject)
        return subject

    def members(self, subject: User) -> Mapping[str, Any]:
        return {}


def is_the_person(user: Person, subject: User) -> bool:
    return user.pk == subject.pk


PERSON = PersonSubject()
