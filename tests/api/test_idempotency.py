"""A request sent again with its Idempotency-Key gets the first answer, and nothing happens a second time."""

import os
import signal
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from registry.accounts.models import RoleName, Scope, User
from registry.api.idempotency import forget_old_answers
from registry.api.models import KeptAnswer
from registry.mail.models import Message
from registry.record.models import Event
from registry.registrations.models import Comment, Registration, Review
from tests import processes
from tests.api.asking import V1, Program, check_problem
from tests.databases import at_once, refusals
from tests.factories import a_case_in_review, a_person

KEY = '"8e03978e-40d5-43dd-bc93-6894a57f9324"'
BEGIN = {"kind": "formal", "sections": {"purpose": "Names trees."}}


@pytest.fixture
def program(registrant: User) -> Program:
    return Program(registrant)


def test_the_same_request_gets_the_same_answer_and_acts_once(program: Program) -> None:
    first = program.post("registrations/", BEGIN, Idempotency_Key=KEY)
    again = program.post("registrations/", BEGIN, Idempotency_Key=KEY)
    assert (first.status_code, first.content) == (again.status_code, again.content)
    assert first.headers["Location"] == again.headers["Location"]
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"
    assert Registration.objects.count() == 1


def test_without_a_key_or_with_another_it_is_another_request(program: Program) -> None:
    for key in ({}, {}, {"Idempotency_Key": '"a"'}, {"Idempotency_Key": '"b"'}):
        assert program.post("registrations/", BEGIN, **key).status_code == 201
    assert Registration.objects.count() == 4


def test_a_key_is_the_same_with_its_quotes_and_without(program: Program) -> None:
    for key in ('"one"', "one"):
        program.post("registrations/", BEGIN, Idempotency_Key=key)
    assert Registration.objects.count() == 1


def test_a_move_made_is_answered_again_though_it_is_not_open_any_more(registrant: User, expert: User) -> None:
    case = a_case_in_review(by=registrant)
    program, path = Program(expert), f"registrations/{case.pk}/approve/"
    verdict = {"round_number": 1, "rationale": "Sound."}
    first = program.post(path, verdict, Idempotency_Key=KEY)
    events, mails = Event.objects.count(), Message.objects.count()
    assert program.post(path, verdict, Idempotency_Key=KEY).content == first.content
    assert (Review.objects.count(), Event.objects.count(), Message.objects.count()) == (1, events, mails)
    check_problem(program.post(path, verdict), 409, "move-not-open")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("registrations/", {"kind": "informal"}),
        ("registrations/1/withdraw/", BEGIN),
        ("registrations/?x=1", BEGIN),
    ],
)
def test_a_key_that_came_with_another_request_is_a_422(program: Program, path: str, body: Any) -> None:
    program.post("registrations/", BEGIN, Idempotency_Key=KEY)
    answer = program.post(path, body, Idempotency_Key=KEY)
    if "?" in path:
        check_problem(answer, 400, "parameter-refused")
    else:
        check_problem(answer, 422, "idempotency-key-reused")
    assert Registration.objects.count() == 1


def test_everybody_has_their_own_keys(program: Program, participant: User) -> None:
    program.post("registrations/", BEGIN, Idempotency_Key=KEY)
    assert Program(participant).post("registrations/", BEGIN, Idempotency_Key=KEY).status_code == 201
    assert Registration.objects.count() == 2


def test_a_refusal_did_nothing_so_it_is_asked_anew(registrant: User, program: Program) -> None:
    case = a_case_in_review(by=registrant)
    path, body = f"registrations/{case.pk}/comments/", {"round_number": 1, "text": ""}
    check_problem(program.post(path, body, Idempotency_Key=KEY), 422, "words-missing")
    assert not KeptAnswer.objects.exists()
    body["text"] = "Which trees?"
    assert program.post(path, body, Idempotency_Key=KEY).status_code == 201


def test_a_token_that_lost_its_scope_gets_no_kept_answer(program: Program) -> None:
    program.post("registrations/", BEGIN, Idempotency_Key=KEY)
    type(program.token).objects.filter(pk=program.token.pk).update(scopes=[Scope.READ])
    check_problem(program.post("registrations/", BEGIN, Idempotency_Key=KEY), 403, "scope-missing")


@pytest.mark.parametrize(
    "key", ["", '""', '"a', 'a"', '"a\nb"', '"\u0661"', '"a\\b"', "a b", '"' + "a" * 256 + '"', '"a", "b"']
)
def test_a_key_that_is_none_is_a_400(program: Program, key: str) -> None:
    answer = program.post("registrations/", BEGIN, Idempotency_Key=key)
    check_problem(answer, 400, "idempotency-key-malformed")
    assert not Registration.objects.exists()


def test_after_a_day_a_key_is_forgotten(program: Program) -> None:
    program.post("registrations/", BEGIN, Idempotency_Key=KEY)
    program.post("registrations/", BEGIN, Idempotency_Key='"younger"')
    old = timezone.now() - timedelta(hours=24, seconds=1)
    KeptAnswer.objects.filter(key=KEY.strip('"')).update(at=old)
    assert program.post("registrations/", BEGIN, Idempotency_Key=KEY).status_code == 201
    assert Registration.objects.count() == 3
    KeptAnswer.objects.filter(key=KEY.strip('"')).update(at=old)
    assert forget_old_answers() == 1
    assert KeptAnswer.objects.get().key == "younger"


# Many at once, and killed half-way: on a database where transactions commit.


@pytest.fixture
def committed(real_database: None) -> tuple[Program, Registration]:
    registrant = a_person(email="registrant@example.org")
    return Program(registrant), a_case_in_review(by=registrant)


@pytest.mark.usefixtures("real_database")
def test_ten_at_once_with_one_key_act_once_and_hear_the_same() -> None:
    program = Program(a_person(email="registrant@example.org"))
    answers = at_once([partial(program.post, "registrations/", BEGIN, Idempotency_Key=KEY)] * 10)
    assert refusals(answers) == []
    assert {answer.status_code for answer in answers} == {201}  # type: ignore[union-attr]
    assert len({answer.content for answer in answers}) == 1  # type: ignore[union-attr]
    assert Registration.objects.count() == 1


@pytest.mark.usefixtures("real_database")
def test_who_waits_too_long_for_the_first_is_told_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("registry.api.idempotency.LONGEST_WAIT", "50ms")
    program = Program(a_person(email="registrant@example.org"))

    def second() -> Any:
        return program.post("registrations/", BEGIN, Idempotency_Key=KEY)

    with transaction.atomic():
        KeptAnswer.objects.create(token=program.token, key=KEY.strip('"'), request_digest="x")
        (answer,) = at_once([second])
    check_problem(answer, 409, "idempotency-key-in-use")
    assert answer.headers["Retry-After"] == "1"  # type: ignore[union-attr]


def comment_and_die(secret: str, path: str, step: str) -> None:
    """Send a comment, and be killed at `step`, or with the answer in hand and not yet sent."""
    from django.test import Client

    if step:
        processes.die_at(step)
    body = '{"round_number":1,"text":"Which trees?"}'
    headers = {"Authorization": f"Bearer {secret}", "Idempotency-Key": KEY}
    Client().post(path, body, content_type="application/json", headers=headers)
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize(
    ("step", "is_done"),
    [
        ("registry.registrations.discussion.comment", False),
        ("registry.api.idempotency._keep", False),
        ("", True),
    ],
)
def test_after_a_kill_the_request_sent_again_has_acted_once(
    committed: tuple[Program, Registration], step: str, is_done: bool
) -> None:
    program, case = committed
    path = f"{V1}registrations/{case.pk}/comments/"
    killed = processes.start(comment_and_die, program.secret, path, step)
    killed.join(timeout=60)
    assert killed.exitcode == -signal.SIGKILL
    assert Comment.objects.exists() is KeptAnswer.objects.exists() is is_done
    body = '{"round_number":1,"text":"Which trees?"}'
    answer = program.ask("post", path, body, Content_Type="application/json", Idempotency_Key=KEY)
    assert (answer.status_code, "Idempotency-Replayed" in answer.headers) == (201, is_done)
    assert answer.json()["number"] == Comment.objects.get().pk


@pytest.mark.usefixtures("real_database")
def test_of_two_decisions_at_once_one_is_made() -> None:
    registrant = a_person(email="registrant@example.org")
    experts = [
        Program(a_person(email=f"expert-{number}@example.org", roles=(RoleName.EXPERT,))) for number in (1, 2)
    ]
    case = a_case_in_review(by=registrant)
    path, verdict = f"registrations/{case.pk}/approve/", {"round_number": 1, "rationale": "Sound."}
    answers = at_once([partial(each.post, path, verdict, Idempotency_Key=KEY) for each in experts])
    assert sorted(answer.status_code for answer in answers) == [200, 409]  # type: ignore[union-attr]
    assert Review.objects.count() == 1
