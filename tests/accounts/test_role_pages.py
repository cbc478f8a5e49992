"""The pages about people and roles, for administrators only."""

import html
from typing import Any

import pytest
from django.test import Client

from registry.accounts.models import Role, RoleName, User
from registry.accounts.roles import withdraw_role
from registry.audit_log.models import Event
from tests.support.browser import fill_in, signed_in
from tests.support.factories import a_person

GRANT = "/people/grant-role/"


def withdrawal(person: User, role: str = "expert") -> str:
    return f"/people/{person.pk}/withdraw-role/{role}/"


@pytest.fixture
def page(administrator: User) -> Client:
    return signed_in(administrator)


def test_the_list_contains_only_people_with_roles(
    page: Client, expert: User, liaison: User, participant: User
) -> None:
    answer = page.get("/people/")
    for person in (expert, liaison):
        assert person.email in answer.text
    assert withdrawal(expert) in answer.text
    assert participant.email not in answer.text


def test_the_list_costs_as_much_for_many_as_for_few(
    page: Client, django_assert_max_num_queries: Any, expert: User
) -> None:
    for number in range(20):
        a_person(email=f"expert-{number}@example.org", roles=(RoleName.EXPERT, RoleName.LIAISON))
    with django_assert_max_num_queries(6):
        page.get("/people/")


@pytest.mark.parametrize("who", ["registrant", "expert", "liaison"])
def test_other_users_get_404(who: str, expert: User, request: pytest.FixtureRequest) -> None:
    client = signed_in(request.getfixturevalue(who))
    for address in ("/people/", GRANT, withdrawal(expert), withdrawal(expert, "nothing")):
        assert client.get(address).status_code == 404
    typed = {"user": expert.email, "role": "administrator", "reason": "Why not?"}
    assert client.post(GRANT, typed).status_code == 404
    assert client.post(withdrawal(expert), {"reason": "Why not?"}).status_code == 404
    assert Role.objects.filter(user=expert, name=RoleName.EXPERT).exists()


@pytest.mark.parametrize("address", ["/people/", GRANT, "/people/1/withdraw-role/expert/"])
def test_anonymous_visitors_are_redirected_to_sign_in(client: Client, db: None, address: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 302
    assert answer.headers["Location"] == f"/accounts/login/?next={address}"


def test_administrators_alone_are_led_here_from_their_own_page(page: Client, expert: User) -> None:
    assert 'href="/people/"' in page.get("/mine/").text
    assert 'href="/people/"' not in signed_in(expert).get("/mine/").text


def test_a_role_is_granted_by_address_in_any_case_of_letters(page: Client, participant: User) -> None:
    answer = fill_in(page, GRANT, user="Participant@EXAMPLE.org", role="liaison", reason="Elected.")
    assert answer.redirect_chain == [("/people/", 302)]
    assert "Participant now has the role “liaison”." in answer.text
    assert participant.roles == {RoleName.LIAISON}
    assert Event.objects.last().reason == "Elected."


@pytest.mark.parametrize(
    ("typed", "complaint"),
    [
        ({"user": "nobody@example.org"}, "has the address “nobody@example.org”"),
        ({"user": "closed@example.org"}, "has the address “closed@example.org”"),
        ({"user": ""}, "This field is required."),
        ({"user": "participant"}, "Enter a valid email address."),
        ({"user": "participant@example.org\n\nx"}, "Enter a valid email address."),
        ({"user": "participant@exámple.org"}, "has the address"),
        ({"user": "part\u0131cipant@example.org"}, "address"),
        ({"user": "p" * 400 + "@example.org"}, "Ensure this value has at most"),
        ({"role": "emperor"}, "Select a valid choice."),
        ({"role": "expert\n"}, "Select a valid choice."),
        ({"role": ""}, "This field is required."),
        ({"reason": ""}, "This field is required."),
        ({"reason": " \n"}, "This field is required."),
        ({"reason": "x" * 2001}, "Ensure this value has at most 2000 characters"),
    ],
)
def test_an_invalid_grant_is_explained_and_the_input_is_kept(
    page: Client, participant: User, typed: dict[str, str], complaint: str
) -> None:
    a_person(email="closed@example.org", is_active=False)
    sent = {"user": participant.email, "role": "expert", "reason": "Knows trees & shrubs."} | typed
    answer = page.post(GRANT, sent)
    assert answer.status_code == 422
    assert complaint in html.unescape(answer.text)
    shown = html.unescape(answer.text)
    for name in {"user", "reason"} - set(typed):
        assert sent[name] in shown
    assert not Role.objects.filter(user=participant).exists()


def test_granting_what_is_held_changes_nothing(page: Client, expert: User) -> None:
    before = Event.objects.count()
    answer = fill_in(page, GRANT, user=expert.email, role="expert", reason="Again.")
    assert "Expert now has the role “designated expert”." in answer.text
    assert Event.objects.count() == before


def test_a_role_is_withdrawn_with_a_reason(page: Client, expert: User) -> None:
    answer = fill_in(page, withdrawal(expert), reason="Retired.")
    assert "Expert no longer has the role “designated expert”." in answer.text
    assert expert.email not in answer.text
    assert Event.objects.last().reason == "Retired."
    # The button pressed twice: what it says is still so, and nothing happens twice.
    assert page.post(withdrawal(expert), {"reason": "Retired."}).status_code == 302
    assert Event.objects.filter(verb="withdraw_role").count() == 1


def test_a_withdrawal_requires_a_reason(page: Client, expert: User) -> None:
    answer = page.post(withdrawal(expert), {"reason": " "})
    assert answer.status_code == 422
    assert "This field is required." in answer.text
    assert Role.objects.filter(user=expert).exists()


def test_withdrawing_the_last_administrator_fails_and_the_input_is_kept(
    page: Client, administrator: User
) -> None:
    answer = page.post(withdrawal(administrator, "administrator"), {"reason": "I have had enough."})
    assert answer.status_code == 409
    assert "is the only administrator" in answer.text
    assert "I have had enough." in answer.text
    assert Role.objects.filter(user=administrator).exists()


def test_who_withdraws_their_own_role_is_led_to_a_page_that_they_may_see(
    page: Client, administrator: User
) -> None:
    a_person(email="other-administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    answer = fill_in(page, withdrawal(administrator, "administrator"), reason="Enough.")
    assert answer.redirect_chain == [("/", 302)]
    assert page.get("/people/").status_code == 404


@pytest.mark.parametrize("role", ["liaison", "emperor", "expert%0A", "Expert", "éxpert", "superuser"])
def test_what_is_not_held_can_not_be_withdrawn(page: Client, expert: User, role: str) -> None:
    assert page.get(withdrawal(expert, role)).status_code == 404


def test_withdrawing_from_an_unknown_user_is_not_found(page: Client, expert: User) -> None:
    for number in (0, 10**30):
        assert page.get(f"/people/{number}/withdraw-role/expert/").status_code == 404


def test_a_closed_account_is_listed_as_closed(page: Client) -> None:
    a_person(email="closed@example.org", roles=(RoleName.EXPERT,), is_active=False)
    assert "account closed" in page.get("/people/").text


def test_nothing_is_granted_by_reading(page: Client, administrator: User) -> None:
    other = a_person(email="other-administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    page.get(GRANT, {"user": "participant@example.org", "role": "expert", "reason": "x"})
    page.get(withdrawal(other, "administrator"), {"reason": "x"})
    assert Role.objects.count() == 2
    withdraw_role(other, RoleName.ADMINISTRATOR, by=administrator, reason="To see that it could be.")
