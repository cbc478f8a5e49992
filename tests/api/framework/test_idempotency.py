"""A request sent again with its Idempotency-Key gets the first answer, and nothing happens a second time."""

import os
import signal
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from registry.accounts.models import RoleName, Scope, User
from registry.api.framework.idempotency import delete_old_responses
from registry.api.models import IdempotentResponse
from registry.audit_log.models import Event
from registry.cases.models import Case, Comment, Review
from registry.mail.models import Message
from tests.api.client import KEY, V1, TokenClient, check_problem
from tests.support import processes
from tests.support.databases import at_once, refusals
from tests.support.factories import a_case_in_review, a_person

BEGIN = {"kind": "formal", "sections": {"purpose": "Names trees."}}


@pytest.fixture
def token_client(registrant: User) -> TokenClient:
    return TokenClient(registrant)


def test_a_repeated_request_gets_the_first_response_and_has_one_effect(token_client: TokenClient) -> None:
    first = token_client.post("cases/", BEGIN, Idempotency_Key=KEY)
    again = token_client.post("cases/", BEGIN, Idempotency_Key=KEY)
    assert (first.status_code, first.content) == (again.status_code, again.content)
    assert first.headers["Location"] == again.headers["Location"]
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"
    assert Case.objects.count() == 1


def test_requests_with_different_keys_are_independent(token_client: TokenClient) -> None:
    for key in ({}, {}, {"Idempotency_Key": '"a"'}, {"Idempotency_Key": '"b"'}):
        assert token_client.post("cases/", BEGIN, **key).status_code == 201
    assert Case.objects.count() == 4


def test_a_key_is_the_same_with_its_quotes_and_without(token_client: TokenClient) -> None:
    for key in ('"one"', "one"):
        token_client.post("cases/", BEGIN, Idempotency_Key=key)
    assert Case.objects.count() == 1


def test_a_repeated_transition_gets_the_first_response(registrant: User, expert: User) -> None:
    case = a_case_in_review(by=registrant)
    token_client, path = TokenClient(expert), f"cases/{case.pk}/approve/"
    verdict = {"round": 1, "rationale": "Sound."}
    first = token_client.post(path, verdict, Idempotency_Key=KEY)
    events, mails = Event.objects.count(), Message.objects.count()
    assert token_client.post(path, verdict, Idempotency_Key=KEY).content == first.content
    assert (Review.objects.count(), Event.objects.count(), Message.objects.count()) == (1, events, mails)
    check_problem(token_client.post(path, verdict), 409, "transition-not-allowed")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("cases/", {"kind": "informal"}),
        ("cases/1/withdraw/", BEGIN),
        ("cases/?x=1", BEGIN),
    ],
)
def test_a_key_used_for_another_request_is_a_422(token_client: TokenClient, path: str, body: Any) -> None:
    token_client.post("cases/", BEGIN, Idempotency_Key=KEY)
    answer = token_client.post(path, body, Idempotency_Key=KEY)
    if "?" in path:
        check_problem(answer, 400, "invalid-parameter")
    else:
        check_problem(answer, 422, "idempotency-key-reused")
    assert Case.objects.count() == 1


def test_keys_of_different_tokens_are_independent(token_client: TokenClient, participant: User) -> None:
    token_client.post("cases/", BEGIN, Idempotency_Key=KEY)
    assert TokenClient(participant).post("cases/", BEGIN, Idempotency_Key=KEY).status_code == 201
    assert Case.objects.count() == 2


def test_a_rejected_request_can_be_repeated_with_its_key(registrant: User, token_client: TokenClient) -> None:
    case = a_case_in_review(by=registrant)
    path, body = f"cases/{case.pk}/comments/", {"round": 1, "text": ""}
    check_problem(token_client.post(path, body, Idempotency_Key=KEY), 422, "text-missing")
    assert not IdempotentResponse.objects.exists()
    body["text"] = "Which trees?"
    assert token_client.post(path, body, Idempotency_Key=KEY).status_code == 201


def test_a_token_without_the_scope_gets_no_stored_response(token_client: TokenClient) -> None:
    token_client.post("cases/", BEGIN, Idempotency_Key=KEY)
    type(token_client.token).objects.filter(pk=token_client.token.pk).update(scopes=[Scope.READ])
    check_problem(token_client.post("cases/", BEGIN, Idempotency_Key=KEY), 403, "scope-missing")


@pytest.mark.parametrize(
    "key", ["", '""', '"a', 'a"', '"a\nb"', '"\u0661"', '"a\\b"', "a b", '"' + "a" * 256 + '"', '"a", "b"']
)
def test_a_malformed_key_is_a_400(token_client: TokenClient, key: str) -> None:
    answer = token_client.post("cases/", BEGIN, Idempotency_Key=key)
    check_problem(answer, 400, "idempotency-key-malformed")
    assert not Case.objects.exists()


def test_a_stored_response_is_encrypted(token_client: TokenClient) -> None:
    token_client.post(
        "cases/", {"kind": "formal", "sections": {"purpose": "Names vines."}}, Idempotency_Key=KEY
    )
    webhook = {"url": "https://hooks.example/registry"}
    made = token_client.post("account/webhooks/", webhook, Idempotency_Key='"b"').json()
    for stored in IdempotentResponse.objects.all():
        texts = " ".join(map(str, (stored.body, stored.headers, stored.key)))
        assert not any(
            each in texts for each in ("draft_stamp", made["secret"], made["secret"][6:], webhook["url"])
        )


def test_a_stored_response_outlives_a_new_secret_key_with_the_former_as_a_fallback(
    token_client: TokenClient, settings: Any
) -> None:
    first = token_client.post("cases/", BEGIN, Idempotency_Key=KEY)
    former, settings.SECRET_KEY = settings.SECRET_KEY, "another-key" * 5
    refusal = token_client.post("cases/", BEGIN, Idempotency_Key=KEY)
    check_problem(refusal, 409, "stored-response-unreadable", "was carried out")
    settings.SECRET_KEY_FALLBACKS = [former]
    assert token_client.post("cases/", BEGIN, Idempotency_Key=KEY).content == first.content
    assert Case.objects.count() == 1


def test_a_key_expires_after_a_day(token_client: TokenClient) -> None:
    token_client.post("cases/", BEGIN, Idempotency_Key=KEY)
    token_client.post("cases/", BEGIN, Idempotency_Key='"younger"')
    old = timezone.now() - timedelta(hours=24, seconds=1)
    IdempotentResponse.objects.filter(key=KEY.strip('"')).update(at=old)
    assert token_client.post("cases/", BEGIN, Idempotency_Key=KEY).status_code == 201
    assert Case.objects.count() == 3
    IdempotentResponse.objects.filter(key=KEY.strip('"')).update(at=old)
    assert delete_old_responses() == 1
    assert IdempotentResponse.objects.get().key == "younger"


# Many at once, and killed half-way: on a database where transactions commit.


@pytest.fixture
def committed(real_database: None) -> tuple[TokenClient, Case]:
    registrant = a_person(email="registrant@example.org")
    return TokenClient(registrant), a_case_in_review(by=registrant)


@pytest.mark.usefixtures("real_database")
def test_simultaneous_requests_with_one_key_have_one_effect() -> None:
    token_client = TokenClient(a_person(email="registrant@example.org"))
    answers = at_once([partial(token_client.post, "cases/", BEGIN, Idempotency_Key=KEY)] * 10)
    assert refusals(answers) == []
    assert {answer.status_code for answer in answers} == {201}  # type: ignore[union-attr]
    assert len({answer.content for answer in answers}) == 1  # type: ignore[union-attr]
    assert Case.objects.count() == 1


@pytest.mark.usefixtures("real_database")
def test_a_wait_of_lock_timeout_for_the_first_request_is_a_409() -> None:
    token_client = TokenClient(a_person(email="registrant@example.org"))

    def second() -> Any:
        connection.cursor().execute("SET lock_timeout = '50ms'")
        return token_client.post("cases/", BEGIN, Idempotency_Key=KEY)

    with transaction.atomic():
        IdempotentResponse.objects.create(token=token_client.token, key=KEY.strip('"'), request_digest="x")
        (answer,) = at_once([second])
    check_problem(answer, 409, "idempotency-key-in-use")
    assert answer.headers["Retry-After"] == "1"  # type: ignore[union-attr]


def comment_and_die(secret: str, path: str, step: str) -> None:
    """Send a comment, and be killed at `step`, or with the answer in hand and not yet sent."""
    from django.test import Client

    if step:
        processes.die_at(step)
    body = '{"round":1,"text":"Which trees?"}'
    headers = {"Authorization": f"Bearer {secret}", "Idempotency-Key": KEY}
    Client().post(path, body, content_type="application/json", headers=headers)
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("step", "is_done"),
    [
        ("registry.cases.comments.digest_of_comment", False),
        ("registry.api.framework.idempotency._store_response", False),
        ("", True),
    ],
)
def test_a_request_repeated_after_a_kill_has_one_effect(
    committed: tuple[TokenClient, Case], step: str, is_done: bool
) -> None:
    token_client, case = committed
    path = f"{V1}cases/{case.pk}/comments/"
    killed = processes.start(comment_and_die, token_client.secret, path, step)
    killed.join(timeout=60)
    assert killed.exitcode == -signal.SIGKILL
    assert Comment.objects.exists() is IdempotentResponse.objects.exists() is is_done
    body = '{"round":1,"text":"Which trees?"}'
    answer = token_client.ask("post", path, body, Content_Type="application/json", Idempotency_Key=KEY)
    assert (answer.status_code, "Idempotency-Replayed" in answer.headers) == (201, is_done)
    assert answer.json()["number"] == Comment.objects.get().pk


@pytest.mark.usefixtures("real_database")
def test_of_two_simultaneous_decisions_one_is_made() -> None:
    registrant = a_person(email="registrant@example.org")
    experts = [
        TokenClient(a_person(email=f"expert-{number}@example.org", roles=(RoleName.EXPERT,)))
        for number in (1, 2)
    ]
    case = a_case_in_review(by=registrant)
    path, verdict = f"cases/{case.pk}/approve/", {"round": 1, "rationale": "Sound."}
    answers = at_once([partial(each.post, path, verdict, Idempotency_Key=KEY) for each in experts])
    assert sorted(answer.status_code for answer in answers) == [200, 409]  # type: ignore[union-attr]
    assert Review.objects.count() == 1
