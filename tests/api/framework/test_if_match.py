"""If-Match of changes and removals of records: a record that was changed since it was read is not overwritten."""

from contextlib import suppress
from functools import partial
from threading import Barrier, BrokenBarrierError, Event
from typing import Any

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.api.framework import conditional
from registry.core.http.conditional import etag_of
from registry.domains.actions import add_domain
from registry.namespaces.actions.registration import register_formal
from registry.organisations.models import Membership, Organisation
from tests.api.client import V1, TokenClient, check_problem
from tests.api.schema_checks import described_operations, resolved
from tests.organisations.conftest import *  # noqa: F403  # its people
from tests.organisations.conftest import an_organisation
from tests.support.databases import at_once
from tests.support.factories import a_person, a_template
from tests.webhooks.conftest import a_webhook

STALE = '"00000000000000000000000000000000"'
URL = "https://hooks.example/registry"


@pytest.fixture
def records(arboretum: Organisation, representative: User, editor: User) -> dict[str, tuple[Any, Any]]:
    """By the address of a record: two bodies of a PUT or PATCH, or one None for a DELETE."""
    member = Membership.objects.get(user=editor)
    domain = add_domain(arboretum, by=representative, domain="trees.example")
    webhook = a_webhook(representative, URL)
    removed = a_webhook(representative, "https://hooks.example/other")
    organisation = f"organisations/{arboretum.pk}/"
    return {
        f"account/webhooks/{webhook.pk}/": ({"url": f"{URL}/2"}, {"url": f"{URL}/3"}),
        f"account/webhooks/{removed.pk}/": (None, None),
        "account/notifications/": ({"comments": "daily"}, {"comments": "off"}),
        organisation: ({"name": "Garden"}, {"name": "Park"}),
        f"{organisation}members/{member.pk}/": ({"part": "contact"}, {"part": "editor"}),
        f"{organisation}domains/{domain.pk}/": (None, None),
    }


def test_every_change_but_that_of_a_token_honours_if_match() -> None:
    without = {
        operation["operationId"]
        for method, _, operation in described_operations().values()
        if method in {"put", "patch", "delete"}
        and "If-Match" not in {resolved(each)["name"] for each in operation.get("parameters", ())}
    }
    assert without == {"revokeToken"}  # A token has no ETag, and only its use changes it.


def ask(client: TokenClient, path: str, body: Any, **headers: str) -> Any:
    method = "delete" if body is None else "patch" if "notifications" in path else "put"
    return client.ask(method, path, body, **headers)


@pytest.mark.exhaustive
def test_a_record_that_has_changed_is_not_overwritten(
    representative: User, records: dict[str, tuple[Any, Any]], subtests: pytest.Subtests
) -> None:
    client = TokenClient(representative)
    for path, (first, second) in records.items():
        with subtests.test(path):
            read = client.get(path)
            etag = read["ETag"]
            assert client.get(path, If_None_Match=etag).status_code == 304
            for wrong in (STALE, f"W/{etag}", '"x"'):
                check_problem(
                    ask(client, path, first, If_Match=wrong), 412, "stale-precondition", "Read it again"
                )
            assert client.get(path).json() == read.json()
            changed = ask(client, path, first, If_Match=f"{STALE}, {etag}")
            if first is None:
                assert changed.status_code == 204
                assert client.get(path).status_code == 404
                continue
            assert changed.status_code == 200
            assert changed["ETag"] == client.get(path)["ETag"] != etag
            check_problem(ask(client, path, second, If_Match=etag), 412, "stale-precondition")
            assert client.get(path).json() == changed.json()
            again = ask(client, path, second, If_Match=changed["ETag"])
            assert again.status_code == 200
            assert ask(client, path, first, If_Match="*").json() == changed.json()
            assert ask(client, path, second)["ETag"] == again["ETag"]


def test_the_etag_of_a_compressed_response_will_do(
    client: Client, arboretum: Organisation, representative: User
) -> None:
    register_formal(a_template(), registrant=arboretum)
    path = f"organisations/{arboretum.pk}/"
    etag = etag_of(client.get(V1 + path)["ETag"].strip('"'), "gzip")
    program = TokenClient(representative)
    assert program.put(path, {"name": "Garden"}, If_Match=etag).status_code == 200
    check_problem(program.put(path, {"name": "Park"}, If_Match=etag), 412, "stale-precondition")


def test_a_refusal_of_the_action_is_that_of_a_request_without_if_match(
    representative: User, records: dict[str, tuple[Any, Any]]
) -> None:
    client = TokenClient(representative)
    (path,) = (each for each in records if "members" in each)
    etag = client.get(path)["ETag"]
    check_problem(client.put(path, {"part": "editor"}, If_Match=etag), 409, "same-part")
    check_problem(client.put(path, {"part": "x"}, If_Match=etag), 400, "invalid-fields")
    check_problem(
        client.put(path.replace("members/", "members/9"), {"part": "x"}, If_Match="*"), 404, "not-found"
    )
    assert client.get(path)["ETag"] == etag


def test_the_condition_of_a_person_who_may_not_change_the_record_is_not_evaluated(
    arboretum: Organisation, editor: User, participant: User
) -> None:
    path = f"organisations/{arboretum.pk}/"
    programs = [TokenClient(person) for person in (editor, participant)]
    for program in programs:
        check_problem(program.put(path, {"name": "Garden"}, If_Match="*"), 404, "not-found")
    register_formal(a_template(), registrant=arboretum)
    for program in programs:
        for etag in (STALE, program.get(path)["ETag"]):
            check_problem(program.put(path, {"name": "Garden"}, If_Match=etag), 404, "not-found")


@pytest.mark.usefixtures("real_database")
def test_of_two_changes_at_once_one_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    representative = a_person(email="representative@example.org")
    client = TokenClient(representative)
    path = f"organisations/{an_organisation(by=representative).pk}/"
    etag = client.get(path)["ETag"]
    # Both look at the record before either changes it, unless one waits for the other.
    both, check = Barrier(2), conditional._check_if_match

    def check_together(header: str, current: Any) -> None:
        with suppress(BrokenBarrierError):
            both.wait(0.5)
        check(header, current)

    monkeypatch.setattr(conditional, "_check_if_match", check_together)
    names = ("Garden", "Park")
    answers = at_once([partial(client.put, path, {"name": name}, If_Match=etag) for name in names])
    changed, stale = sorted(answers, key=lambda answer: answer.status_code)
    assert (changed.status_code, stale.status_code) == (200, 412)
    assert client.get(path).json() == changed.json()


@pytest.mark.usefixtures("real_database")
def test_a_change_without_if_match_waits_for_one_that_was_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    representative = a_person(email="representative@example.org")
    client = TokenClient(representative)
    path = f"organisations/{an_organisation(by=representative).pk}/"
    etag = client.get(path)["ETag"]
    checked, changed = Event(), Event()
    came_between: list[bool] = []
    check = conditional._check_if_match

    def check_and_wait(header: str, current: Any) -> None:
        check(header, current)
        checked.set()
        came_between.append(changed.wait(timeout=0.5))

    def change_without() -> Any:
        assert checked.wait(timeout=30)
        answer = client.put(path.removesuffix("/"), {"name": "Park"})
        changed.set()
        return answer

    monkeypatch.setattr(conditional, "_check_if_match", check_and_wait)
    change = partial(client.put, path, {"name": "Garden"}, If_Match=etag)
    answers: list[Any] = at_once([change, change_without])
    assert [answer.status_code for answer in answers] == [200, 200]
    assert came_between == [False]
    assert client.get(path).json()["name"] == "Park"
