"""Every refusal that an operation is described to answer with, it answers with: none is promised in vain."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction
from django.test import override_settings

from registry.api.models import KeptAnswer
from registry.api.problems import CONTENT_TYPE
from tests.api.described import check_described, described_operations, type_of, types_of
from tests.api.grants import UNLIMITED, Scene, a_still_scene
from tests.api.provoking import KEY, PROVOCATIONS, answer_to, granted
from tests.databases import at_once

DESCRIBED = {
    (name, int(status), slug)
    for name, (_, _, described) in described_operations().items()
    for status in described["responses"]
    if int(status) >= 400
    for slug in types_of(described, int(status))
}
# Needs another request that is not answered yet: it has a test of its own below.
IN_USE = "idempotency-key-in-use"


@pytest.fixture(autouse=True)
def counted() -> None:
    """These tests share a database, in which requests are counted."""


@pytest.fixture(scope="module")
def scene(the_test_database: None, django_db_blocker: Any) -> Iterator[Scene]:
    with django_db_blocker.unblock(), a_still_scene() as scene:
        yield scene


def test_there_is_a_way_to_provoke_each() -> None:
    assert {slug for _, _, slug in DESCRIBED} == {*PROVOCATIONS, IN_USE}
    assert len(DESCRIBED) > 700


@pytest.mark.parametrize("slug", PROVOCATIONS)
def test_every_operation_that_promises_a_refusal_gives_it(slug: str, scene: Scene) -> None:
    wrong = []
    for operation, status, _ in sorted(each for each in DESCRIBED if each[2] == slug):
        with transaction.atomic():
            answer = answer_to(scene, PROVOCATIONS[slug](scene, granted(scene, operation)))
            transaction.set_rollback(True)
        got = answer.status_code, type_of(answer.json()) if _is_problem(answer) else ""
        if got != (status, slug):
            wrong.append(f"{operation}: {got} {answer.content[:300] if answer.status_code >= 400 else ''!r}")
        check_described(answer.request["REQUEST_METHOD"], answer)
    assert not wrong, "\n".join(wrong)


def _is_problem(answer: Any) -> bool:
    return bool(answer.headers.get("Content-Type") == CONTENT_TYPE)


@pytest.mark.parametrize("operation", sorted(described_operations()))
def test_nothing_is_refused_before_something_is_made_wrong(operation: str, scene: Scene) -> None:
    with transaction.atomic():
        answer = answer_to(scene, granted(scene, operation))
        transaction.set_rollback(True)
    assert 200 <= answer.status_code < 300, answer.content


@pytest.mark.usefixtures("real_database")
def test_a_key_in_use_is_told_by_every_operation_that_takes_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("registry.api.idempotency.LONGEST_WAIT", "10ms")
    names = sorted(name for name, _, slug in DESCRIBED if slug == IN_USE)
    assert len(names) >= 25
    with override_settings(**UNLIMITED):
        scene = Scene()
        requests = [granted(scene, name).sending(Idempotency_Key=KEY) for name in names]
        with transaction.atomic():
            for token in {scene.token(asked.by) for asked in requests}:
                KeptAnswer.objects.create(token=token, key=KEY.strip('"'), request_digest="x")
            (answers,) = at_once([lambda: [answer_to(scene, asked) for asked in requests]])
    assert not isinstance(answers, Exception), answers
    told = {name: type_of(answer.json()) for name, answer in zip(names, answers, strict=True)}
    assert told == dict.fromkeys(names, IN_USE)
