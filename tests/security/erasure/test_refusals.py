"""Erasure of personal data: what is refused, and actions at the same time."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from registry.accounts.erasure import OwnerRequired, ReasonNamesPerson, erase_person
from registry.accounts.models import Recognition, Role, User
from registry.accounts.personal_data import OnlyRepresentative, find_person
from registry.accounts.roles import LastAdministrator
from registry.audit_log import log
from registry.audit_log.models import Event
from registry.audit_log.verification import verify
from registry.core.database.connections import APPLICATION_ROLE
from tests.security.erasure.erasing import REASON, account, erase, rows, traces_in
from tests.security.erasure.leaver import ADDRESS, NAME, person
from tests.support.databases import blocks_another
from tests.support.factories import a_body
from tests.support.waiting import wait_until


def check_refused(refusal: type[Exception]) -> None:
    before = rows()
    with pytest.raises(refusal), transaction.atomic():
        erase()
    assert rows() == before


def test_the_last_administrator_is_not_erased(registry: None) -> None:
    Role.objects.filter(name="administrator").exclude(user=account()).delete()
    check_refused(LastAdministrator)


@pytest.mark.exhaustive
def test_the_only_representative_of_a_recognised_body_is_not_erased(registry: None) -> None:
    body = a_body(recognition=Recognition.RECOGNISED)
    body.representatives.add(account())
    check_refused(OnlyRepresentative)
    body.representatives.add(person("registrant"))
    erase()
    assert list(body.representatives.all()) == [person("registrant")]


@pytest.mark.parametrize(
    "reason", [f"{NAME} left.", f"Request of {ADDRESS.upper()}.", "Example\nleaver left."]
)
def test_a_reason_that_names_the_person_is_refused(reason: str, registry: None) -> None:
    with pytest.raises(ReasonNamesPerson):
        erase_person(find_person(ADDRESS), by=None, reason=reason)


@pytest.mark.exhaustive
def test_the_role_of_the_web_processes_may_not_erase(registry: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SET ROLE {APPLICATION_ROLE}")
        with pytest.raises(OwnerRequired, match="as the owner of the tables"), transaction.atomic():
            erase()
        cursor.execute("RESET ROLE")
    assert account().name == NAME


@pytest.mark.exhaustive
def test_an_action_during_the_erasure_does_not_bring_the_name_back(committed_registry: None) -> None:
    key = account().pk
    # No event contains this name yet, so that the action has to store it.
    User.objects.filter(pk=key).update(name=f"{NAME} Again")
    leaving = find_person(ADDRESS)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            erase_person(leaving, by=None, reason=REASON, with_texts=True)
            action = pool.submit(act_as, key)
            wait_until(blocks_another)
        action.result(240)
    assert Event.objects.latest("number").verb == "example"
    assert not traces_in(rows()["audit_log_personaldata"])
    assert verify().faults == []


def act_as(key: int) -> None:
    try:
        with transaction.atomic():
            log.append("example", by=User.objects.get(pk=key))
    finally:
        connection.close()
