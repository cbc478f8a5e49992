"""The sessions of a person: where they were used, and ending them."""

from datetime import timedelta

import pytest
import time_machine
from allauth.usersessions.models import UserSession
from django.test import Client
from django.utils import timezone

from registry.accounts.erasure import erase_person
from registry.accounts.models import User
from registry.accounts.personal_data import find_person
from registry.accounts.sessions import device_of, prefix_of
from tests.support.factories import PASSWORD, a_person

SESSIONS = "/account/sessions/"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:152.0) Gecko/20100101 Firefox/152.0"
IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/18.5 Mobile/15E148 Safari/604.1"
)


def a_browser(user: User, user_agent: str, address: str = "192.0.2.17") -> Client:
    """A browser in which the user gave the password."""
    client = Client(HTTP_USER_AGENT=user_agent, REMOTE_ADDR=address)
    answer = client.post("/accounts/login/", {"login": user.email, "password": PASSWORD})
    assert answer.status_code == 302
    return client


def test_each_session_is_shown_with_device_place_and_time(registrant: User, participant: User) -> None:
    here = a_browser(registrant, FIREFOX)
    a_browser(registrant, IPHONE, "2001:db8:1:2::3")
    a_browser(participant, "curl/8.0")
    page = here.get(SESSIONS).text
    assert "Firefox on Linux" in page
    assert "192.0.2.0/24" in page
    assert "Mobile Safari on iOS" in page
    assert "2001:db8:1::/48" in page
    assert "curl" not in page
    assert page.count("this session") == 1
    assert "192.0.2.17" not in page


def test_the_account_page_shows_the_last_three_and_how_many_there_are(registrant: User) -> None:
    here = a_browser(registrant, FIREFOX)
    for _ in range(2):
        a_browser(registrant, IPHONE)
    assert "sessions, the last used first" not in here.get("/account/").text
    for _ in range(2):
        a_browser(registrant, IPHONE)
    page = here.get("/account/").text
    assert page.count("last used <time") == 3
    assert "5 sessions, the last used first" in page
    assert len(here.get(SESSIONS).context["sessions"]) == 5


def test_of_an_address_only_the_prefix_is_stored(registrant: User) -> None:
    a_browser(registrant, FIREFOX)
    assert UserSession.objects.get().ip == "192.0.2.0"


def test_one_session_is_ended(registrant: User) -> None:
    here, there = a_browser(registrant, FIREFOX), a_browser(registrant, IPHONE)
    other = UserSession.objects.get(user_agent=IPHONE)
    here.post(SESSIONS, {"session": other.pk})
    assert there.get("/account/").status_code == 302
    assert here.get("/account/").status_code == 200


def test_all_other_sessions_are_ended(registrant: User) -> None:
    here, *others = [a_browser(registrant, FIREFOX) for _ in range(3)]
    here.post(SESSIONS)
    assert [each.get("/account/").status_code for each in (here, *others)] == [200, 302, 302]
    assert UserSession.objects.count() == 1


def test_ones_own_session_can_be_ended(registrant: User) -> None:
    here = a_browser(registrant, FIREFOX)
    here.post(SESSIONS, {"session": UserSession.objects.get().pk})
    assert here.get("/account/").status_code == 302


def test_the_session_of_another_person_is_not_ended(registrant: User, participant: User) -> None:
    here, theirs = a_browser(registrant, FIREFOX), a_browser(participant, IPHONE)
    here.post(SESSIONS, {"session": UserSession.objects.get(user=participant).pk})
    assert theirs.get("/account/").status_code == 200


def test_a_use_is_noted_now_and_then(registrant: User) -> None:
    client = a_browser(registrant, FIREFOX)
    signed_in_at = UserSession.objects.get().last_seen_at
    client.get("/account/")
    assert UserSession.objects.get().last_seen_at == signed_in_at
    with time_machine.travel(timezone.now() + timedelta(minutes=6), tick=True):
        client.get("/namespaces/")
        assert UserSession.objects.get().last_seen_at == signed_in_at
        client.get("/account/", REMOTE_ADDR="198.51.100.9")
    row = UserSession.objects.get()
    assert row.last_seen_at > signed_in_at
    assert row.ip == "198.51.100.0"


def test_a_session_with_a_new_key_is_not_lost(registrant: User) -> None:
    """The key changes when the sign-in is confirmed again."""
    client = a_browser(registrant, FIREFOX)
    with time_machine.travel(timezone.now() + timedelta(hours=1), tick=True):
        client.post("/account/data.json", {"again-password": PASSWORD})
        client.get("/accounts/email/")
        assert "this session" in client.get(SESSIONS).text


@pytest.mark.parametrize("user_agent", ["", "x", "\ufffd" * 400])
def test_any_user_agent_is_accepted(user_agent: str) -> None:
    assert device_of(user_agent) in {"unknown device", "Other", "Other on Other"}


@pytest.mark.parametrize(
    ("address", "prefix"),
    [("203.0.113.200", "203.0.113.0/24"), ("::ffff:203.0.113.200", "203.0.113.0/24"), ("::1", "::/48")],
)
def test_prefixes(address: str, prefix: str) -> None:
    assert prefix_of(address) == prefix


def test_an_erased_person_leaves_no_session(registrant: User) -> None:
    a_browser(registrant, FIREFOX)
    a_browser(a_person(email="another@example.org"), FIREFOX)
    erase_person(find_person(registrant.email), by=None, reason="On request.")
    assert [row.user.email for row in UserSession.objects.all()] == ["another@example.org"]
