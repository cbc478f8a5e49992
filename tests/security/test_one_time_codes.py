"""A code is accepted once, also if it is sent to several processes at the same moment."""

from functools import partial

import pytest
from django.test import Client

from registry.accounts.models import User
from tests.accounts.test_second_factors import AUTHENTICATE, add_app, code_of, is_signed_in, sign_in, with_app
from tests.support.browser import signed_in
from tests.support.databases import at_once
from tests.support.factories import a_person

pytestmark = pytest.mark.usefixtures("real_database")


@pytest.fixture
def person(real_database: None) -> User:
    return a_person(email="registrant@example.org")


def check_that_one_signs_in(person: User, code: str) -> None:
    waiting: list[Client] = [sign_in(person)[0] for _ in range(4)]
    answers = at_once([partial(client.post, AUTHENTICATE, {"code": code}) for client in waiting])
    assert not [each for each in answers if isinstance(each, Exception)]
    assert sum(is_signed_in(client) for client in waiting) == 1


def test_a_code_of_an_app_that_is_sent_several_times_at_once_signs_in_once(person: User) -> None:
    check_that_one_signs_in(person, code_of(with_app(person)))


def test_a_recovery_code_that_is_sent_several_times_at_once_signs_in_once(person: User) -> None:
    adding = signed_in(person)
    add_app(adding)
    check_that_one_signs_in(person, adding.get("/accounts/2fa/recovery-codes/file/").text.split()[0])
