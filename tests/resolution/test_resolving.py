"""`resolve`: which services a URN has, and what the registry answers. It uses no database."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from registry.resolution.models import DOWN_IS_VALID_FOR, HealthState
from registry.resolution.namespace_data import Health, NamespaceData
from registry.resolution.resolving import Outcome, ResolvedURN, reason_of, resolve
from tests.resolution.conftest import a_profile_with, a_service
from urnsyntax import URN
from urnsyntax.profiles.grammar.matching import Grammar

FIRST, SECOND = "https://first.example/{nss}", "https://second.example/{nss}"
BOTH = frozenset({"first.example", "second.example"})
FAILING_SINCE = datetime(2026, 11, 1, tzinfo=UTC)
DOWN = Health(HealthState.DOWN, checked_at=timezone.now(), failing_since=FAILING_SINCE)


def asked(*services: dict[str, Any], urn: str = "urn:example-trees:12:4711", **facts: Any) -> ResolvedURN:
    profile = a_profile_with(*services) if services else a_profile_with()
    known = {"hosts": BOTH, **facts}
    return resolve(URN.parse(urn), NamespaceData("example-trees", profile=profile, **known))


def addresses(resolved: ResolvedURN) -> list[str]:
    return [each.address for each in resolved.best]


def test_the_best_priority_wins() -> None:
    found = asked(a_service(FIRST, priority=5), a_service(SECOND, priority=2))
    assert (found.outcome, found.address) == (Outcome.REDIRECT, "https://second.example/12%3A4711")
    assert [each.service.priority for each in found.choices] == [2, 5]
    assert reason_of(found) == ""


def test_an_r_component_selects_before_the_priority() -> None:
    services = a_service(FIRST), a_service(SECOND, priority=2, r_components=["season"])
    assert asked(*services).address == "https://first.example/12%3A4711"
    found = asked(*services, urn="urn:example-trees:12:4711?+season=winter&x=1")
    assert found.address == "https://second.example/12%3A4711"
    assert [each.ignored for each in found.choices] == [("x",), ("season", "x")]


def test_equally_good_services_are_a_choice() -> None:
    found = asked(a_service(FIRST), a_service(SECOND), a_service(FIRST + "/more", priority=1))
    assert (found.outcome, found.address) == (Outcome.CHOICE, None)
    assert addresses(found) == ["https://first.example/12%3A4711", "https://second.example/12%3A4711"]
    assert reason_of(found) == "2 services are equally good."


def test_a_page_for_all_names_is_offered_and_no_redirect() -> None:
    found = asked(a_service("https://first.example/list"))
    assert (found.outcome, found.address) == (Outcome.CHOICE, None)
    assert reason_of(found) == "“Page of the tree” is one page for all names, and not about this one."


def test_the_f_component_stands_after_each_address_and_an_ignored_q_component_is_named() -> None:
    found = asked(a_service(FIRST), a_service(FIRST, priority=9), urn="urn:example-trees:12:4711?=x=1#leaf")
    assert found.address == "https://first.example/12%3A4711#leaf"
    assert [(each.address, each.ignores_q) for each in found.choices] == [(found.address, True)]


def test_a_confirmed_host_comes_before_a_better_priority() -> None:
    found = asked(a_service(FIRST), a_service(SECOND, priority=9), hosts=frozenset({"second.example"}))
    assert found.address == "https://second.example/12%3A4711"


def test_without_a_confirmed_host_the_client_is_asked() -> None:
    found = asked(a_service(FIRST), a_service(SECOND, priority=1), hosts=frozenset())
    assert (found.outcome, found.address) == (Outcome.UNCONFIRMED, None)
    assert addresses(found) == ["https://first.example/12%3A4711"]
    assert "has not confirmed that first.example belongs" in reason_of(found)


def test_all_unconfirmed_hosts_are_named() -> None:
    third = FIRST.replace("first", "third")
    services = a_service(FIRST), a_service(SECOND), a_service(third), a_service(FIRST + "/more")
    found = asked(*services, hosts=frozenset())
    assert reason_of(found) == (
        "The registry has not confirmed that first.example, second.example and third.example belong to the namespace."
    )


def test_a_service_that_is_down_is_left_out() -> None:
    found = asked(a_service(FIRST), a_service(SECOND, priority=1), health={FIRST: DOWN})
    assert found.address == "https://second.example/12%3A4711"


@pytest.mark.parametrize(
    ("age", "outcome"),
    [
        (DOWN_IS_VALID_FOR - timedelta(hours=1), Outcome.DOWN),
        (DOWN_IS_VALID_FOR + timedelta(hours=1), Outcome.REDIRECT),
    ],
)
def test_a_failure_counts_only_while_checks_are_recent(age: timedelta, outcome: Outcome) -> None:
    health = Health(HealthState.DOWN, checked_at=timezone.now() - age, failing_since=FAILING_SINCE)
    assert asked(a_service(FIRST), health={FIRST: health}).outcome == outcome
    date = f"{health.checked_at:%Y-%m-%d}"
    assert health.label == ("down" if health.is_down else f"down, not checked since {date}")


@pytest.mark.parametrize("state", [HealthState.UNKNOWN, HealthState.WORKS, HealthState.DEGRADED])
def test_other_states_do_not_count(state: HealthState) -> None:
    found = asked(a_service(FIRST), a_service(SECOND, priority=1), health={FIRST: Health(state)})
    assert found.address == "https://first.example/12%3A4711"


def test_a_working_service_on_an_unconfirmed_host_is_asked_for() -> None:
    found = asked(
        a_service(FIRST),
        a_service(SECOND, priority=1),
        health={FIRST: DOWN},
        hosts=frozenset({"first.example"}),
    )
    assert (found.outcome, addresses(found)) == (Outcome.UNCONFIRMED, ["https://second.example/12%3A4711"])


def test_a_confirmed_host_is_not_confirmed_for_its_other_ports() -> None:
    other = FIRST.replace("first.example/", "first.example:8443/")
    found = asked(a_service(other), a_service(SECOND, priority=1), hosts=frozenset({"first.example"}))
    assert (found.outcome, found.address) == (Outcome.UNCONFIRMED, None)
    assert asked(a_service(other), a_service(FIRST, priority=1)).address == "https://first.example/12%3A4711"


def test_all_services_can_be_down() -> None:
    found = asked(a_service(FIRST), a_service(SECOND), health={FIRST: DOWN, SECOND: DOWN})
    assert (found.outcome, found.address) == (Outcome.DOWN, None)
    assert reason_of(found) == "“Page of the tree” at first.example has been down since 2026-11-01."


def test_a_namespace_may_be_unregistered_or_without_a_profile_or_services() -> None:
    urn = URN.parse("urn:example-trees:12:4711")
    assert resolve(urn, None).outcome == Outcome.NOT_REGISTERED
    assert resolve(urn, NamespaceData("example-trees")).outcome == Outcome.NO_SERVICES
    assert asked().outcome == Outcome.NO_SERVICES


def test_a_name_that_breaks_the_rules_is_not_resolved() -> None:
    for services in ((), (a_service(),)):
        found = asked(*services, urn="urn:example-trees:twelve")
        assert found.outcome == Outcome.NOT_CONFORMANT
        assert found.judgement is not None
        assert reason_of(found) == found.judgement.reason != ""


@pytest.mark.parametrize(
    ("service", "urn", "hosts", "outcome"),
    [
        (a_service(FIRST), "urn:example-trees:12:1", frozenset(), Outcome.UNCONFIRMED),
        (a_service(FIRST), "urn:example-trees:twelve", BOTH, Outcome.NOT_CONFORMANT),
        (a_service(FIRST, kind="I2R"), "urn:example-trees:12:1", BOTH, Outcome.NO_SUITABLE_SERVICE),
    ],
)
def test_the_grammar_is_run_once_for_a_name(
    service: dict[str, Any],
    urn: str,
    hosts: frozenset[str],
    outcome: Outcome,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    profile, runs, matches = a_profile_with(service), [], Grammar.matches

    def counted(grammar: Grammar, nss: str) -> bool:
        runs.append(nss)
        return matches(grammar, nss)

    monkeypatch.setattr(Grammar, "matches", counted)
    namespace_data = NamespaceData("example-trees", profile=profile, hosts=hosts)
    found = resolve(URN.parse(urn), namespace_data, kinds=frozenset({"I2C"}))
    assert (found.outcome, reason_of(found) != "") == (outcome, True)
    assert len(found.best) == len(found.choices)
    assert found.judgement is not None
    assert found.judgement.conformant is not bool(found.judgement.reason)
    assert not found.refused
    assert len(runs) == 1


def test_services_may_be_for_other_names() -> None:
    found = asked(a_service(FIRST, only={"nss": ["12:*"]}), urn="urn:example-trees:13:1")
    assert found.outcome == Outcome.NO_SUITABLE_SERVICE


def test_a_dangerous_address_is_refused() -> None:
    profile = a_profile_with(
        a_service(),
        examples=("..", "a", "b"),
        counterexamples=("é".encode().hex() * 40, "x" * 90, "y" * 90),
        pattern=".{1,80}",
    )
    found = resolve(URN.parse("urn:example-trees:.."), NamespaceData("example-trees", profile=profile))
    assert found.outcome == Outcome.NO_SAFE_ADDRESS
    assert "leads to another path" in reason_of(found)
    assert [each.service.kind for each in found.refused] == ["I2C"]
    of_others = resolve(found.urn, found.namespace_data, kinds=frozenset({"I2N"}))
    assert (of_others.outcome, of_others.refused) == (Outcome.NO_SUITABLE_SERVICE, ())


def test_only_the_kinds_that_are_asked_for_count() -> None:
    profile = a_profile_with(a_service(FIRST, kind="I2R"), a_service(SECOND, priority=1))
    namespace_data = NamespaceData("example-trees", profile=profile, hosts=BOTH)
    urn = URN.parse("urn:example-trees:12:4711")
    assert (
        resolve(urn, namespace_data, kinds=frozenset({"I2C"})).address == "https://second.example/12%3A4711"
    )
    assert resolve(urn, namespace_data, kinds=frozenset({"I2N"})).outcome == Outcome.NO_SUITABLE_SERVICE
