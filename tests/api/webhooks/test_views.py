"""`account/webhooks/`: the life of a webhook by API, scopes, and strangers."""

from typing import Any

import pytest

from registry.accounts.models import Scope, User
from registry.webhooks.delivery import take_turn
from registry.webhooks.models import Webhook
from tests.api.client import KEY, TokenClient, check_problem
from tests.webhooks.conftest import (
    Receiver,
    a_webhook,
    an_event,
    authority,
    dns,
    loopback_allowed,
    receiver,
    serve,
    verified,
)

__all__ = ["authority", "dns", "loopback_allowed", "receiver", "serve"]

LIST = "account/webhooks/"
URL = "https://hooks.example/registry"


def registered(client: TokenClient, **body: Any) -> dict[str, Any]:
    response = client.post(LIST, {"url": URL} | body)
    assert response.status_code == 201, response.text
    webhook: dict[str, Any] = response.json()
    assert response["Location"] == webhook["links"]["self"]
    return webhook


def test_the_life_of_a_webhook(token_client: TokenClient, receiver: Receiver) -> None:
    made = registered(token_client, url=receiver.url, verbs=["deprecate"], nids=["ISBN"])
    secret, number = made.pop("secret"), made["number"]
    assert (made["verbs"], made["nids"], made["state"]) == (["deprecate"], ["isbn"], "unconfirmed")
    path = f"{LIST}{number}/"
    assert token_client.get(path).json() == made
    check_problem(token_client.post(f"{path}test/"), 409, "webhook-unconfirmed")
    assert token_client.post(f"{path}challenge/").status_code == 200
    assert take_turn(number) == 1
    assert verified(receiver.received.pop(), secret)["verb"] == "webhook.challenge"
    confirmed = token_client.get(path).json()
    assert confirmed["confirmed_at"] is not None
    made |= {"state": "active", "confirmed_at": confirmed["confirmed_at"]}
    assert token_client.get(path).json() == made
    assert token_client.get(LIST).json()["results"] == [made]
    assert token_client.post(f"{path}test/").status_code == 200
    event = an_event()
    assert take_turn(number) == 2
    assert verified(receiver.received[1], secret)["number"] == event.number
    newest, oldest, challenge = token_client.get(f"{path}deliveries/").json()["results"]
    assert (newest["event"], newest["status"], newest["is_delivered"]) == (event.number, 204, True)
    assert (newest["message_id"], newest["error"], newest["response"]) == (receiver.ids[1], None, None)
    assert (oldest["event"], oldest["attempt"]) == (None, 1)
    assert (challenge["event"], challenge["status"], challenge["is_delivered"]) == (None, 200, True)
    page = token_client.get(f"{path}deliveries/?page_size=1").json()
    assert page["results"] == [newest]
    assert page["has_more"] is True
    paused = token_client.post(f"{path}pause/").json()
    assert (paused["state"], paused["pause_reason"]) == ("paused", "owner")
    assert token_client.post(f"{path}resume/").json()["state"] == "active"
    assert token_client.post(f"{path}replay/", {"since": 0}).json()["last_event"] == 0
    changed = token_client.put(path, {"url": URL}).json()
    assert (changed["url"], changed["verbs"], changed["nids"]) == (URL, [], [])
    assert (changed["state"], changed["confirmed_at"]) == ("unconfirmed", None)
    rotated = token_client.post(f"{path}rotate-secret/").json()
    assert rotated["secret"] != secret
    assert rotated["previous_secret_until"] is not None
    deleted = token_client.ask("delete", path)
    assert (deleted.status_code, deleted.content) == (204, b"")
    check_problem(token_client.get(path), 404, "not-found")


def test_a_client_that_lost_the_response_asks_again_and_gets_the_secret(token_client: TokenClient) -> None:
    first, again = (token_client.post(LIST, {"url": URL}, Idempotency_Key=KEY) for _ in range(2))
    assert again.json() == first.json()
    assert again["Idempotency-Replayed"] == "true"
    assert Webhook.objects.count() == 1


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "#/url"),
        ({"url": 1}, "#/url"),
        ({"url": URL, "verbs": "deprecate"}, "#/verbs"),
        ({"url": URL, "verbs": [1]}, "#/verbs/0"),
        ({"url": URL, "nids": {"a": 1}}, "#/nids"),
        ({"url": URL, "secret": "whsec_AAAA"}, "#/secret"),
    ],
)
def test_a_body_of_another_shape_is_refused(token_client: TokenClient, body: Any, pointer: str) -> None:
    problem = check_problem(token_client.post(LIST, body), 400, "invalid-fields")
    assert problem["errors"][0]["pointer"] == pointer


REQUESTS = [
    ("get", "", None),
    ("put", "", {"url": "https://thief.example/"}),
    ("get", "deliveries/", None),
    ("post", "pause/", {}),
    ("post", "resume/", {}),
    ("post", "challenge/", {}),
    ("post", "test/", {}),
    ("post", "replay/", {"since": 0}),
    ("post", "rotate-secret/", {}),
    ("delete", "", None),
]


@pytest.mark.parametrize(("method", "below", "body"), REQUESTS)
def test_for_others_there_is_no_such_webhook(
    registrant: User, participant: User, method: str, below: str, body: Any
) -> None:
    webhook = a_webhook(registrant, URL)
    before = Webhook.objects.values().get()
    stranger = TokenClient(participant)
    for number in (webhook.pk, 0, "9" * 30, "x"):
        check_problem(stranger.ask(method, f"{LIST}{number}/{below}", body), 404, "not-found")
    assert Webhook.objects.values().get() == before
    assert stranger.get(LIST).json()["results"] == []


@pytest.mark.parametrize("below", [below for method, below, _ in REQUESTS if method == "get"])
def test_reading_needs_its_scope(registrant: User, below: str) -> None:
    path, others = (
        f"{LIST}{a_webhook(registrant, URL).pk}/{below}",
        [each for each in Scope if each != "read"],
    )
    refused = TokenClient(registrant, *others).get(path)
    assert check_problem(refused, 403, "scope-missing")["scope"] == "read"
    check_problem(TokenClient(registrant).get(path, Authorization=""), 401, "token-missing")
