"""Closing an account."""

import pytest
from django.core.management import CommandError, call_command

from registry.accounts import erasure
from registry.accounts.closing import AlreadyClosed, close_account
from registry.accounts.models import User
from registry.accounts.roles import LastAdministrator
from tests.cases.traces import refused
from tests.support.factories import a_person


def test_apps_lock_what_ends_with_an_account_in_one_order() -> None:
    """That of all actions: cases, namespaces, organisations. Another one could deadlock with them.

    `registers` locks its namespaces together with those of `custody`.
    """
    locking = [
        each for each in reversed(erasure._HOLDERS) if type(each).lock is not erasure.PersonalDataHolder.lock
    ]
    modules = [type(each).__module__.split(".")[1] for each in locking]
    assert modules == ["cases", "registers", "custody", "organisations"]


def test_an_account_is_closed_once_and_never_the_last_administrator(
    administrator: User, expert: User
) -> None:
    with refused(LastAdministrator):
        close_account(administrator, by=None, reason="Left.")
    close_account(expert, by=administrator, reason="Left.")
    with refused(AlreadyClosed):
        close_account(expert, by=administrator, reason="Left.")
    with pytest.raises(CommandError, match="No account has the address"):
        call_command("close_account", "nobody@example.org", "--reason", "Left.")
    assert a_person(email="still@example.org").is_active
