"""What is recorded of checks: the states of a service, and one mail about changes."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from registry.accounts.models import RoleName, User
from registry.mail.models import Message
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Namespace
from registry.resolution.health.checking import CheckResult, Outcome, services_of
from registry.resolution.health.recording import HealthChange, record_checks
from registry.resolution.models import HealthState, ListedService, ServiceHealth
from tests.mail.messages import check_plain
from tests.resolution.health.results import results
from tests.support.factories import a_person, a_profile
from tests.support.services import a_service, with_profile, with_services

WORKS, FAILS, UNDECIDED = Outcome
DAY = timedelta(days=1)
START = datetime(2026, 1, 1, 3, 42, tzinfo=timezone.get_default_timezone())


@pytest.fixture
def trees(registrant: User) -> Namespace:
    return with_services("trees", a_service(), registrant=registrant)


def recorded(
    outcomes: str, *namespaces: Namespace, days: int = 1, start: datetime = START, detail: str = "It was so."
) -> list[HealthChange]:
    """Record one outcome of all services for every so many days: "w", "f" and "u". Returns all changes."""
    meanings = {"w": WORKS, "f": FAILS, "u": UNDECIDED}
    return [
        change
        for number, letter in enumerate(outcomes)
        for change in record_checks(
            [found for each in namespaces for found in results_of_all(each, meanings[letter], detail)],
            now=start + number * days * DAY,
        )
    ]


def results_of_all(namespace: Namespace, outcome: Outcome, detail: str) -> list[CheckResult]:
    assert namespace.current_profile
    outcomes = [outcome for _ in services_of(namespace.current_profile)]
    return results(namespace, *outcomes, detail=detail)


def the_health() -> ServiceHealth:
    return ServiceHealth.objects.get()


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("outcomes", "state", "failures"),
    [
        ("w", HealthState.WORKS, 0),
        ("f", HealthState.UNKNOWN, 1),
        ("ff", HealthState.UNKNOWN, 2),
        ("fff", HealthState.DEGRADED, 3),
        ("wf", HealthState.WORKS, 1),
        ("wff", HealthState.WORKS, 2),
        ("wfff", HealthState.DEGRADED, 3),
        ("wffwff", HealthState.WORKS, 2),
        ("wfffw", HealthState.WORKS, 0),
        ("w" + "f" * 14, HealthState.DEGRADED, 14),
        ("w" + "f" * 15, HealthState.DOWN, 15),
        ("f" * 15, HealthState.DOWN, 15),
        ("f" * 15 + "w", HealthState.WORKS, 0),
        ("f" * 15 + "wf", HealthState.WORKS, 1),
        ("u", HealthState.UNKNOWN, 0),
        ("uuuu", HealthState.UNKNOWN, 0),
        ("wu", HealthState.WORKS, 0),
        ("wfuf", HealthState.WORKS, 2),
        ("wffuf", HealthState.DEGRADED, 3),
        ("fffu", HealthState.DEGRADED, 3),
        ("f" * 15 + "u", HealthState.DOWN, 15),
    ],
)
def test_the_state_follows_from_the_checks(
    trees: Namespace, outcomes: str, state: HealthState, failures: int
) -> None:
    recorded(outcomes, trees)
    health = the_health()
    assert (health.state, health.failures) == (state, failures)
    assert health.checked_at == START + (len(outcomes) - 1) * DAY
    assert (health.failing_since is None) == (failures == 0)
    assert (health.worked_at is None) == ("w" not in outcomes)


def test_failures_within_two_weeks_do_not_take_a_service_down(trees: Namespace) -> None:
    recorded("w" + "f" * 40, trees, days=0)
    assert the_health().state == HealthState.DEGRADED
    recorded("f", trees, start=START + 14 * DAY - timedelta(seconds=1))
    assert the_health().state == HealthState.DEGRADED
    recorded("f", trees, start=START + 14 * DAY)
    assert the_health().state == HealthState.DOWN


def test_two_failures_however_far_apart_are_not_enough(trees: Namespace) -> None:
    recorded("wff", trees, days=30)
    assert the_health().state == HealthState.WORKS


def test_the_times_are_those_of_the_checks(trees: Namespace) -> None:
    recorded("wfwffu", trees)
    health = the_health()
    assert health.worked_at == START + 2 * DAY
    assert health.failing_since == START + 3 * DAY
    assert health.checked_at == START + 5 * DAY


def test_a_long_detail_is_shortened(trees: Namespace) -> None:
    record_checks(results(trees, FAILS, detail="x" * 1000))
    assert the_health().detail == "x" * 199 + "…"


def test_each_template_has_its_own_health(db: None) -> None:
    services = [
        a_service(kind=kind, template=f"https://{host}.example/{{nss}}")
        for kind, host in (("I2C", "a"), ("I2L", "b"), ("I2R", "a"))
    ]
    trees = with_services("trees", *services)
    record_checks(results(trees, WORKS, FAILS))
    assert list(ListedService.objects.values_list("kind", "state", "failures")) == [
        ("I2C", "works", 0),
        ("I2L", "unknown", 1),
        ("I2R", "works", 0),
    ]


# Profiles that change


def test_a_result_for_a_service_that_is_gone_is_discarded(trees: Namespace) -> None:
    old = results(trees, FAILS)
    recorded("w", trees)
    with_profile(a_profile("trees", services=[a_service(template="https://new.example/{nss}")]))
    assert record_checks(old) == []
    assert not ServiceHealth.objects.exists()
    assert list(ListedService.objects.values_list("state", flat=True)) == ["unknown"]


def test_the_health_of_removed_services_is_deleted_by_the_next_check(
    trees: Namespace, administrator: User
) -> None:
    recorded("w", trees)
    other = with_services("other", a_service("other", template="https://other.example/{nss}"))
    set_profile(trees, by=administrator, profile=None, basis="Wrong.", replaces=1)
    assert not ListedService.objects.filter(nid="trees").exists()
    record_checks(results(other, WORKS))
    assert list(ServiceHealth.objects.values_list("namespace__nid", flat=True)) == ["other"]


def test_no_result_changes_nothing(trees: Namespace) -> None:
    recorded("wff", trees)
    before = ServiceHealth.objects.values().get()
    assert record_checks([]) == []
    assert ServiceHealth.objects.values().get() == before


# Mails


def mailed() -> list[tuple[str, str]]:
    return sorted(Message.objects.filter(name="service_health").values_list("to", "subject"))


@pytest.fixture(autouse=True)
def _administrator(administrator: User) -> None:
    """There is one."""


BOTH = ("administrator@example.org", "registrant@example.org")


@pytest.mark.parametrize(
    ("outcomes", "subjects"),
    [
        ("w", []),
        ("wff", []),
        ("wwfwfw", []),
        ("u", []),
        ("fff", ["1 failing"]),
        ("wfff", ["1 failing"]),
        ("wffff", ["1 failing"]),
        ("wfffw", ["1 failing", "1 working again"]),
        ("wfffuw", ["1 failing", "1 working again"]),
        ("w" + "f" * 20, ["1 failing", "1 failing"]),
        ("w" + "f" * 20 + "w", ["1 failing", "1 failing", "1 working again"]),
    ],
)
def test_each_change_is_mailed_once(trees: Namespace, outcomes: str, subjects: list[str]) -> None:
    recorded(outcomes, trees)
    expected = [(to, f"Services of URN namespaces: {subject}") for to in BOTH for subject in subjects]
    assert mailed() == expected


def test_all_changes_of_a_run_are_in_one_mail(registrant: User, administrator: User) -> None:
    mine = [with_services(nid, a_service(nid), registrant=registrant) for nid in ("aaa", "bbb")]
    theirs = with_services("ccc", a_service("ccc"), registrant=a_person(email="other@example.org"))
    imported = with_services("ddd", a_service("ddd"))
    recorded("fff", *mine, theirs, imported)
    assert mailed() == [
        ("administrator@example.org", "Services of URN namespaces: 4 failing"),
        ("other@example.org", "Services of URN namespaces: 1 failing"),
        ("registrant@example.org", "Services of URN namespaces: 2 failing"),
    ]
    body = Message.objects.get(name="service_health", to="registrant@example.org").body
    assert [line.split(":")[0] for line in body.splitlines() if ": “Catalogue" in line] == ["aaa", "bbb"]
    record_checks([*results(mine[0], WORKS), *results(mine[1], FAILS), *results(theirs, WORKS)])
    again = Message.objects.filter(to="administrator@example.org").last()
    assert again
    assert again.subject == "Services of URN namespaces: 1 failing, 2 working again"


def test_an_administrator_who_is_the_registrant_gets_one_mail(db: None) -> None:
    person = a_person(email="both@example.org", roles=(RoleName.ADMINISTRATOR,))
    recorded("fff", with_services("trees", a_service(), registrant=person))
    assert [to for to, _ in mailed()] == ["administrator@example.org", "both@example.org"]


def test_the_mail_says_what_fails_since_when_and_why(trees: Namespace) -> None:
    recorded("w" + "f" * 15, trees, detail="The reply to urn:trees:12:4711 is 404 Not Found.")
    first, second = Message.objects.filter(name="service_health", to="registrant@example.org")
    flowing = " ".join(first.body.split())
    assert "trees: “Catalogue of trees”, at trees.example, has failed since 2026-01-02." in flowing
    assert "The reply to urn:trees:12:4711 is 404 Not Found." in flowing
    assert f"{settings.PUBLIC_ORIGIN}/services/" in first.body
    assert "trees: “Catalogue of trees”, at trees.example, has been down since 2026-01-02." in " ".join(
        second.body.split()
    )
    for each in (first, second):
        check_plain(each)


def test_a_text_of_a_server_adds_no_lines_to_a_mail(trees: Namespace) -> None:
    recorded("fff", trees, detail="It failed.\r\nBcc: all@example.org")
    mails = Message.objects.filter(name="service_health")
    assert len(mails) == len(BOTH)
    for each in mails:
        check_plain(each)
        assert "\nBcc" not in each.body


def test_a_long_list_is_cut(db: None, administrator: User) -> None:
    services = [a_service(template=f"https://h{number}.example/{{nss}}") for number in range(30)]
    both = [
        with_services(nid, *[each | {"examples": [f"urn:{nid}:1:1"]} for each in services])
        for nid in ("aaa", "bbb")
    ]
    recorded("fff", *both)
    (mail,) = Message.objects.filter(name="service_health")
    assert mail.subject == "Services of URN namespaces: 60 failing"
    assert mail.body.count("Catalogue of trees") == 50
    assert "There are 10 more." in mail.body
    check_plain(mail)


# What the database refuses


@pytest.mark.parametrize(
    "values",
    [
        {"state": "broken", "checked_at": START},
        {"state": "works"},
        {"state": "unknown", "worked_at": START},
        {"state": "works", "checked_at": START, "failures": 1},
        {"state": "works", "checked_at": START, "failing_since": START},
        {"state": "down", "checked_at": START},
        {"state": "degraded", "checked_at": START, "failures": 0},
    ],
)
def test_impossible_health_is_refused(trees: Namespace, values: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        ServiceHealth.objects.create(namespace=trees, template="https://trees.example/{nss}", **values)
