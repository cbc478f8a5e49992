"""Access to the desk pages by role."""

import pytest
from django.test import Client

from registry.accounts.models import RoleName, User
from tests.support.browser import signed_in
from tests.support.factories import a_person

pytestmark = pytest.mark.django_db

ADMINISTRATOR, LIAISON, EXPERT = RoleName.ADMINISTRATOR, RoleName.LIAISON, RoleName.EXPERT
LEADER = RoleName.LEADER
OPEN_TO = {
    "/desk/": {ADMINISTRATOR, LIAISON, EXPERT, LEADER},
    "/desk/assignments/": {ADMINISTRATOR},
    "/desk/liaison/": {LIAISON},
    "/desk/bodies/": {ADMINISTRATOR, LIAISON},
    "/desk/outbox/": {ADMINISTRATOR},
    "/desk/imports/": {ADMINISTRATOR},
    "/desk/imports/removed/": {ADMINISTRATOR},
    "/desk/corrections/": {ADMINISTRATOR},
    "/admin/": {ADMINISTRATOR},
    "/admin/accounts/user/": {ADMINISTRATOR},
}


@pytest.mark.parametrize("role", [None, *RoleName])
def test_each_desk_page_requires_its_role(role: RoleName | None) -> None:
    client = signed_in(a_person(email="somebody@example.org", roles=(role,) if role else ()))
    found = {address: client.get(address).status_code for address in OPEN_TO}
    assert found == {address: 200 if role in roles else 404 for address, roles in OPEN_TO.items()}


@pytest.mark.parametrize("address", OPEN_TO)
def test_a_stranger_is_redirected_to_sign_in(address: str) -> None:
    answer = Client().get(address)
    assert answer.status_code == 302
    assert answer.headers["Location"] == f"/accounts/login/?next={address}"


def test_neither_staff_nor_superuser_is_a_role() -> None:
    person = a_person(email="somebody@example.org", is_staff=True, is_superuser=True)
    assert signed_in(person).get("/admin/").status_code == 404
    assert signed_in(person).get("/desk/assignments/").status_code == 404


@pytest.mark.parametrize("name", ["submit", "approve", "withdraw", "no-such-transition", "assign "])
def test_only_listed_transitions_can_be_made_from_the_desk(name: str, administrator: User) -> None:
    assert signed_in(administrator).post(f"/desk/cases/1/{name}/").status_code == 404


def test_the_desk_links_to_the_pages_of_each_role(administrator: User, liaison: User, expert: User) -> None:
    of_administrator, of_liaison, of_expert = (
        signed_in(person).get("/desk/").text for person in (administrator, liaison, expert)
    )
    assert 'href="/desk/assignments/"' in of_administrator
    assert 'href="/admin/"' in of_administrator
    assert 'href="/desk/liaison/"' not in of_administrator
    assert 'href="/desk/liaison/"' in of_liaison
    assert 'href="/desk/assignments/"' not in of_liaison
    assert 'href="/desk/assignments/"' not in of_expert
