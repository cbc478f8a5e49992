"""Confirming and withdrawing hosts: who may, what is refused, and what is recorded."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from registry.accounts.models import User
from registry.audit_log.committed_texts import changed_texts
from registry.audit_log.models import Event
from registry.core.exceptions import RegistryError
from registry.core.validators import TextMissing
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.history import history_of
from registry.namespaces.models import Namespace, Revision
from registry.namespaces.profile_documents import load_profiles
from registry.resolution import actions
from registry.resolution.actions import evidence_in_registration
from registry.resolution.models import Basis, ConfirmedHost, HealthState, ServiceHealth
from tests.resolution.conftest import a_namespace_with, a_profile_with, a_service, fixture_profile
from urnsyntax.profiles.examples import Verification

pytestmark = pytest.mark.django_db


@pytest.fixture
def garden(db: None) -> Namespace:
    return a_namespace_with(a_profile_with(a_service()))


def confirm(namespace: Namespace, by: User, host: str = "trees.example", **changes: Any) -> ConfirmedHost:
    given = {"basis": Basis.DNS, "evidence": "TXT of trees.example, read today.", **changes}
    return actions.confirm_host(namespace, by=by, host=host, **given)


def test_a_confirmation_is_recorded(garden: Namespace, administrator: User) -> None:
    confirm(garden, administrator)
    row = ConfirmedHost.objects.get()
    assert (row.namespace, row.host, row.basis, row.confirmed_by) == (
        garden, "trees.example", "dns", administrator,
    )  # fmt: skip
    event = Event.objects.order_by("number").last()
    assert event is not None
    assert (event.verb, event.nid, event.actor) == ("confirm_host", garden.nid, administrator)
    assert (event.reason, event.details) == (row.evidence, {"host": "trees.example", "basis": "dns"})
    assert history_of(garden)[0].label == "Host trees.example confirmed"


def test_a_withdrawal_is_recorded(garden: Namespace, administrator: User) -> None:
    confirm(garden, administrator)
    actions.withdraw_host(garden, by=administrator, host="trees.example", reason="It was sold.")
    assert not ConfirmedHost.objects.exists()
    line = history_of(garden)[0]
    assert (line.label, line.event.reason) == ("Host trees.example withdrawn", "It was sold.")


REFUSED: list[tuple[type[RegistryError], dict[str, Any]]] = [
    (actions.NotAHostOfServices, {"host": "oaks.example"}),
    (actions.NotAHostOfServices, {"host": "TREES.example"}),
    (actions.NotAHostOfServices, {"host": ""}),
    (actions.UnknownBasis, {"basis": "rumour"}),
    (actions.NotInRegistration, {"basis": Basis.REGISTERED_TEXT}),
    (TextMissing, {"evidence": "  "}),
]


@pytest.mark.parametrize(("refusal", "changes"), REFUSED)
def test_what_is_wrong_is_refused(
    garden: Namespace, administrator: User, refusal: type[RegistryError], changes: dict[str, Any]
) -> None:
    count = Event.objects.count()
    with pytest.raises(refusal):
        confirm(garden, administrator, **changes)
    assert (ConfirmedHost.objects.count(), Event.objects.count()) == (0, count)


def test_nothing_is_confirmed_or_withdrawn_twice(garden: Namespace, administrator: User) -> None:
    confirm(garden, administrator)
    with pytest.raises(actions.AlreadyConfirmed):
        confirm(garden, administrator)
    actions.withdraw_host(garden, by=administrator, host="trees.example", reason="It was sold.")
    with pytest.raises(actions.NotConfirmed):
        actions.withdraw_host(garden, by=administrator, host="trees.example", reason="It was sold.")


def test_a_host_is_confirmed_for_one_namespace_only(garden: Namespace, administrator: User) -> None:
    other = a_namespace_with(fixture_profile("ietf"))
    with pytest.raises(actions.NotAHostOfServices):
        confirm(other, administrator)


# Loaded profiles


def load(nid: str) -> None:
    load_profiles([Verification(nid, fixture_profile(nid), [])])


def test_a_loaded_profile_confirms_the_hosts_that_its_registration_states(db: None) -> None:
    for nid in ("doi", "isbn", "nbn"):
        Namespace.objects.create(nid=nid, kind="formal")
        load(nid)
    assert list(ConfirmedHost.objects.order_by("host").values_list("namespace__nid", "host")) == [
        ("doi", "doi.org"), ("isbn", "urn.fi"),
    ]  # fmt: skip
    row = ConfirmedHost.objects.get(host="doi.org")
    assert (row.basis, row.confirmed_by) == (Basis.REGISTERED_TEXT, None)
    assert "Registration of urn:doi" in row.evidence


def test_a_withdrawn_host_is_not_confirmed_by_a_file_again(administrator: User) -> None:
    doi = Namespace.objects.create(nid="doi", kind="formal")
    load("doi")
    actions.withdraw_host(doi, by=administrator, host="doi.org", reason="To be checked.")
    set_profile(doi, by=None, profile=None, basis="It is wrong.", replaces=1)
    load("doi")
    doi.refresh_from_db()
    assert doi.profile is not None
    assert not ConfirmedHost.objects.exists()


def test_a_profile_that_a_person_sets_confirms_nothing(administrator: User) -> None:
    doi = Namespace.objects.create(nid="doi", kind="formal")
    set_profile(doi, by=administrator, profile=fixture_profile("doi"), basis="It.", replaces=0)
    assert not ConfirmedHost.objects.exists()


ADDRESSES = [
    ("https://trees.example/numbers", True),
    ("http://TREES.example", True),
    ("https://trees.example?u=1", True),
    ("https://trees.example#top", True),
    ("https://www.trees.example/", False),
    ("https://trees.example.org/", False),
    ("https://oaks.example/?trees.example-x", False),
    ("https://oaks.example/?u=trees.example", False),
    ("https://oaks.example/?u=https://trees.example/", False),
    ("https://oaks.example/trees.example", False),
    ("https://trees.example@oaks.example/", False),
    ("https://trees.example:443@oaks.example/", False),
    ("https://trees.example\\@oaks.example/", False),
    ("https://[trees.example/", False),
    ("ftp://trees.example/", False),
    ("//trees.example/", False),
    ("trees.example", False),
    ("ann@trees.example", False),
    ("mailto:ann@trees.example", False),
]


@pytest.mark.parametrize(("target", "is_named"), ADDRESSES)
def test_a_host_in_the_references_is_found(garden: Namespace, target: str, is_named: bool) -> None:
    garden.references = [{"type": "uri", "target": target, "label": ""}]
    assert bool(evidence_in_registration(garden, "trees.example")) is is_named


@pytest.mark.parametrize(
    "context", ["{}", "See {} for more.", "See <{}>.", "At <URL:{}>", 'At "{}"', "(see {}).", "{},"]
)
@pytest.mark.parametrize(("target", "is_named"), ADDRESSES)
def test_a_host_in_the_registered_text_is_found(
    garden: Namespace, target: str, is_named: bool, context: str
) -> None:
    garden.latest = Revision(namespace=garden, version=1, text=context.format(target))
    assert bool(evidence_in_registration(garden, "trees.example")) is is_named


# Constraints and triggers


def a_row(garden: Namespace, **changes: Any) -> dict[str, Any]:
    row = {"namespace": garden, "host": "trees.example", "basis": Basis.REGISTERED_TEXT, "evidence": "It."}
    return row | changes


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("confirmed_host_is_lower_case", {"host": "Trees.example"}),
        ("confirmed_host_is_lower_case", {"host": "trees"}),
        ("confirmed_host_is_lower_case", {"host": "-trees.example"}),
        ("confirmed_host_is_lower_case", {"host": "trees-.example"}),
        ("confirmed_host_is_lower_case", {"host": f"{'t' * 64}.example"}),
        ("confirmed_host_is_lower_case", {"host": "trees.example\n"}),
        ("confirmed_host_is_lower_case", {"host": "trees.example:8443"}),
        ("confirmation_basis_is_known", {"basis": "rumour"}),
        ("confirmation_has_evidence", {"evidence": ""}),
        ("only_registered_text_confirms_itself", {"basis": Basis.DNS}),
    ],
)
def test_rows_that_cannot_be_true_are_refused(garden: Namespace, name: str, changes: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        ConfirmedHost.objects.create(**a_row(garden, **changes))


def test_a_host_has_one_row(garden: Namespace) -> None:
    ConfirmedHost.objects.create(**a_row(garden))
    with pytest.raises(IntegrityError, match="one_confirmation_per_host"), transaction.atomic():
        ConfirmedHost.objects.create(**a_row(garden))


def test_a_row_is_never_changed(garden: Namespace) -> None:
    ConfirmedHost.objects.create(**a_row(garden))
    with pytest.raises(IntegrityError, match="never changed"), transaction.atomic():
        ConfirmedHost.objects.update(host="oaks.example")


HEALTH: list[tuple[str, dict[str, Any]]] = [
    ("health_state_is_known", {"state": "dizzy", "checked_at": "2026-11-01T00:00Z"}),
    ("known_health_was_checked", {"state": HealthState.UNKNOWN, "worked_at": "2026-11-01T00:00Z"}),
    ("known_health_was_checked", {"state": HealthState.WORKS}),
    ("failures_have_a_beginning", {"state": "works", "checked_at": "2026-11-01T00:00Z", "failures": 1}),
    ("unhealthy_service_fails", {"state": "down", "checked_at": "2026-11-01T00:00Z"}),
]


@pytest.mark.parametrize(("name", "columns"), HEALTH)
def test_health_that_cannot_be_true_is_refused(garden: Namespace, name: str, columns: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        ServiceHealth.objects.create(namespace=garden, template="https://trees.example/{nss}", **columns)


# The audit log


@pytest.mark.parametrize(
    "tamper",
    [
        lambda row: row.delete(),
        lambda row: ConfirmedHost.objects.create(**a_row(row.namespace, host="oaks.example")),
    ],
)
def test_rows_that_differ_from_the_audit_log_are_noticed(
    garden: Namespace, administrator: User, tamper: Callable[[ConfirmedHost], object]
) -> None:
    row = confirm(garden, administrator)
    assert not [each for each in changed_texts() if "host" in each]
    tamper(row)
    assert [each for each in changed_texts() if "host" in each]
