"""`account/tokens/`: made, listed, rotated and revoked with a session and a recent sign-in, never with a token."""

import json
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from registry.accounts.models import Scope, Token, User
from registry.accounts.tokens import make_token, token_with
from registry.api.models import IdempotentResponse
from registry.audit_log.models import Event
from tests.api.client import KEY, V1, TokenClient, check_problem
from tests.api.schema_checks import check_response

PATH = f"{V1}account/tokens/"
NEW = {"name": "Example program", "scopes": ["read", "write"], "days": 7}
CSRF = "x" * 32


class Browser:
    """A script in the browser of a person who has just signed in: with cookies, and the CSRF token in a header."""

    def __init__(self, person: User) -> None:
        self.client = Client(enforce_csrf_checks=True)
        self.client.force_login(person)
        self.client.cookies["csrftoken"] = CSRF

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        sent = {name.replace("_", "-"): value for name, value in ({"X_CSRFToken": CSRF} | headers).items()}
        written = {} if body is None else {"data": json.dumps(body), "content_type": "application/json"}
        answer = self.client.generic(method, path, headers=sent, **written)
        check_response(method, answer)
        return answer

    def make(self, **changes: Any) -> dict[str, Any]:
        answer = self.ask("POST", PATH, NEW | changes)
        assert answer.status_code == 201, answer.text
        return dict(answer.json())


@pytest.fixture
def browser(registrant: User) -> Browser:
    return Browser(registrant)


def requests(number: int) -> list[tuple[str, str, Any]]:
    """Each operation, as it would succeed."""
    return [
        ("GET", PATH, None),
        ("POST", PATH, NEW | {"name": "Another"}),
        ("GET", f"{PATH}{number}/", None),
        ("POST", f"{PATH}{number}/rotate/", {}),
        ("DELETE", f"{PATH}{number}/", None),
    ]


def test_a_token_is_made_listed_rotated_and_revoked(browser: Browser, registrant: User) -> None:
    answer = browser.ask("POST", PATH, NEW)
    made = answer.json()
    assert (answer.status_code, answer["Cache-Control"]) == (201, "private, no-store")
    assert answer["Location"] == made["links"]["self"]
    assert token_with(made["secret"]) == Token.objects.get(pk=made["number"], owner=registrant)
    assert made["requests_an_hour"] is None
    listed = browser.ask("GET", PATH).json()["results"]
    assert listed == [{name: value for name, value in made.items() if name != "secret"}]
    one = browser.ask("GET", f"{PATH}{made['number']}/").json()
    assert one == listed[0]
    rotated = browser.ask("POST", f"{PATH}{made['number']}/rotate/", {}).json()
    assert {**rotated, "secret": ""} == {**made, "secret": ""}
    assert token_with(made["secret"]) is None
    assert token_with(rotated["secret"]) is not None
    assert browser.ask("DELETE", f"{PATH}{made['number']}/").status_code == 204
    assert browser.ask("GET", PATH).json()["results"] == []
    verbs = Event.objects.filter(actor=registrant).order_by("number").values_list("verb", flat=True)
    assert list(verbs) == ["make_token", "rotate_token", "revoke_token"]


def test_a_token_is_made_with_a_quota_which_it_keeps(browser: Browser) -> None:
    made = browser.make(requests_an_hour=9)
    rotated = browser.ask("POST", f"{PATH}{made['number']}/rotate/", {}).json()
    assert made["requests_an_hour"] == rotated["requests_an_hour"] == 9
    assert browser.make(name="Without", requests_an_hour=None)["requests_an_hour"] is None


def test_no_response_with_a_secret_is_stored(browser: Browser) -> None:
    """These operations accept no Idempotency-Key: a repetition is refused, and rotation gives another secret."""
    made = browser.ask("POST", PATH, NEW, Idempotency_Key=KEY).json()
    check_problem(browser.ask("POST", PATH, NEW, Idempotency_Key=KEY), 409, "token-name-taken")
    path = f"{PATH}{made['number']}/rotate/"
    secrets = [browser.ask("POST", path, {}, Idempotency_Key=KEY).json()["secret"] for _ in range(2)]
    assert len({made["secret"], *secrets}) == 3
    assert not IdempotentResponse.objects.exists()


def test_the_old_secret_stops_at_once(registrant: User, browser: Browser) -> None:
    program = TokenClient(registrant)
    assert program.get("account/").status_code == 200
    secret = browser.ask("POST", f"{PATH}{program.token.pk}/rotate/", {}).json()["secret"]
    check_problem(program.get("account/"), 401, "token-refused", "unknown")
    assert program.get("account/", Authorization=f"Bearer {secret}").status_code == 200


@pytest.mark.parametrize("scopes", [(scope,) for scope in Scope] + [tuple(Scope)])
@pytest.mark.parametrize("has_session", [False, True])
def test_no_token_manages_tokens(registrant: User, scopes: tuple[Scope, ...], has_session: bool) -> None:
    program = TokenClient(registrant, *scopes)
    browser = Browser(registrant)
    if not has_session:
        browser.client.logout()
    for method, path, body in requests(program.token.pk):
        answer = browser.ask(method, path, body, Authorization=f"Bearer {program.secret}")
        problem = check_problem(answer, 403, "recent-sign-in-required", "A token can't manage tokens")
        assert problem["sign_in"] == "http://localhost:8000/accounts/tokens/make/"
    assert Token.objects.filter(pk=program.token.pk, digest=program.token.digest, revoked_at=None).exists()
    assert Token.objects.count() == 1


def test_an_invalid_token_is_a_401_beside_a_session_too(browser: Browser) -> None:
    for method, path, body in requests(1):
        check_problem(
            browser.ask(method, path, body, Authorization="Bearer nobody"), 401, "token-refused", "unknown"
        )


def test_strangers_are_sent_to_the_page_that_asks_for_the_password(registrant: User) -> None:
    token, _ = make_token(by=registrant, name="Example", scopes=["read"])
    stranger = Browser(registrant)
    stranger.client.logout()
    for method, path, body in requests(token.pk):
        answer = stranger.ask(method, path, body)
        problem = check_problem(answer, 403, "recent-sign-in-required", "needs a session")
    page = stranger.client.get(problem["sign_in"].removeprefix("http://localhost:8000"))
    assert page["Location"] == "/accounts/login/?next=/accounts/tokens/make/"


def test_an_old_sign_in_is_not_enough(registrant: User, browser: Browser) -> None:
    token, _ = make_token(by=registrant, name="Example", scopes=["read"])
    with time_machine.travel(timezone.now() + timedelta(minutes=16), tick=False):
        for method, path, body in requests(token.pk):
            answer = browser.ask(method, path, body)
            problem = check_problem(answer, 403, "recent-sign-in-required", "last 15 minutes")
        page = browser.client.get(problem["sign_in"].removeprefix("http://localhost:8000"))
        assert "Confirm your password" in page.text
    assert Token.objects.get().digest == token.digest


def test_writes_are_checked_for_csrf(registrant: User, browser: Browser) -> None:
    token, _ = make_token(by=registrant, name="Example", scopes=["read"])
    for method, path, body in requests(token.pk):
        for value in ("", "y" * 32):
            answer = browser.ask(method, path, body, X_CSRFToken=value)
            if method == "GET":
                assert answer.status_code == 200
            else:
                check_problem(answer, 403, "csrf-check-failed", "X-CSRFToken")
    foreign = browser.ask("POST", PATH, NEW, Origin="https://thief.example")
    check_problem(foreign, 403, "csrf-check-failed", "Origin")
    assert Token.objects.get().digest == token.digest


def test_the_session_of_a_closed_account_is_not_enough(registrant: User, browser: Browser) -> None:
    User.objects.filter(pk=registrant.pk).update(is_active=False)
    check_problem(browser.ask("POST", PATH, NEW), 403, "recent-sign-in-required")


def test_tokens_of_others_and_revoked_ones_do_not_exist(browser: Browser, administrator: User) -> None:
    theirs, _ = make_token(by=administrator, name="Example", scopes=["read"])
    revoked = browser.make()["number"]
    browser.ask("DELETE", f"{PATH}{revoked}/")
    assert browser.ask("GET", PATH).json()["results"] == []
    for number in (theirs.pk, revoked):
        for method, path, body in requests(number):
            if path != PATH:
                check_problem(browser.ask(method, path, body), 404, "not-found")
    assert Token.objects.filter(pk=theirs.pk, digest=theirs.digest, revoked_at=None).exists()


@pytest.mark.parametrize(
    ("wrong", "status", "slug"),
    [
        ({"name": 1}, 400, "invalid-fields"),
        ({"name": " "}, 422, "text-missing"),
        ({"name": "x" * 61}, 422, "text-too-long"),
        ({"scopes": []}, 422, "invalid-token-settings"),
        ({"scopes": ["everything"]}, 400, "invalid-fields"),
        ({"requests_an_hour": 0}, 422, "invalid-token-settings"),
        ({"days": 0}, 422, "invalid-token-settings"),
        ({"days": 367}, 422, "invalid-token-settings"),
        ({"days": "7"}, 400, "invalid-fields"),
        ({"owner": 1}, 400, "invalid-fields"),
        ({"name": "THE SAME"}, 409, "token-name-taken"),
    ],
)
def test_what_can_not_be_a_token_is_refused(
    browser: Browser, wrong: dict[str, Any], status: int, slug: str
) -> None:
    browser.make(name="The same")
    check_problem(browser.ask("POST", PATH, NEW | wrong), status, slug)
    assert Token.objects.count() == 1


def test_sessions_are_good_for_tokens_alone(browser: Browser) -> None:
    check_problem(browser.ask("POST", f"{V1}cases/", {"kind": "formal"}), 401, "token-missing")
    check_problem(browser.ask("GET", f"{V1}account/"), 401, "token-missing")
