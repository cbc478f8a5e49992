"""The public history of a namespace on its page, from the audit log."""

import html
from inspect import isfunction
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from registry.accounts.models import User
from registry.cases.workflow import functions
from registry.devserver.demonstration import FIXTURES
from registry.namespaces.actions import deprecation, profiles, transfers
from registry.namespaces.history import event_types, history_of
from registry.namespaces.models import Kind, Namespace, Origin
from registry.publication.iana.file_reader import read_version
from registry.publication.iana.fixtures import IANA_FIXTURE
from registry.publication.iana.importing.importer import import_versions
from tests.support.factories import a_case_in_review, a_draft, a_namespace, a_person


@pytest.fixture
def trees(registrant: User, expert: User, administrator: User) -> Namespace:
    return a_namespace(by=registrant, expert=expert, administrator=administrator)


def labels(namespace: Namespace) -> list[str]:
    return [line.label for line in history_of(namespace)]


def test_the_history_lists_all_events_latest_first(
    client: Client, trees: Namespace, registrant: User, administrator: User
) -> None:
    heir = a_person(email="heir@example.org")
    plants = Namespace.objects.create(nid="plants", kind=Kind.FORMAL, origin=Origin.IANA)
    transfers.decline_transfer(transfers.offer_transfer(trees, by=registrant, to=heir.email), by=heir)
    transfers.withdraw_transfer(transfers.offer_transfer(trees, by=registrant, to=heir.email), by=registrant)
    transfers.accept_transfer(
        transfers.offer_transfer(trees, by=registrant, to=heir.email, reason="I <retire>."), by=heir
    )
    deprecation.deprecate(trees, by=administrator, statement="No garden uses it.", successor=plants)
    assert labels(trees) == [
        "Deprecated",
        "Transferred to another registrant",
        "Offered to another registrant",
        "Offer withdrawn",
        "Offered to another registrant",
        "Offer declined",
        "Offered to another registrant",
        "Registered, version 1",
    ]
    page = client.get(trees.get_absolute_url())
    assert "<retire>" not in page.text
    history = html.unescape(page.text.partition('id="history"')[2].partition("</section>")[0])
    for words in (*labels(trees), "I <retire>.", "No garden uses it.", "Heir", 'href="/namespaces/plants/"'):
        assert words in history


def test_the_history_links_to_the_registering_case(client: Client, trees: Namespace) -> None:
    case = trees.cases.get()
    assert f'href="{case.get_absolute_url()}"' in client.get(trees.get_absolute_url()).text


def test_the_history_leaves_out_cases_that_only_requested_the_nid(
    client: Client, trees: Namespace, participant: User
) -> None:
    competing_case = a_draft(by=participant)
    functions.withdraw(competing_case, by=participant, reason="A secret of a draft.")
    functions.withdraw(a_case_in_review(by=participant, namespace_identifier="example-tree5"), by=participant)
    assert labels(trees) == ["Registered, version 1"]
    assert "A secret of a draft." not in client.get(trees.get_absolute_url()).text


def test_the_history_of_an_imported_namespace_shows_its_source(client: Client, db: None) -> None:
    import_versions([read_version(FIXTURES / IANA_FIXTURE)])
    (line,) = history_of(Namespace.objects.get(nid="isbn"))
    assert (line.label, line.remark) == ("IANA's registry: added", "as of 2026-07-28")
    page = html.unescape(client.get("/namespaces/isbn/").text)
    for words in ("IANA's registry: added", "as of 2026-07-28", "the registry,"):
        assert words in page


def test_a_namespace_without_events_has_no_history(client: Client, db: None) -> None:
    Namespace.objects.create(nid="plants", kind=Kind.FORMAL, origin=Origin.IANA)
    assert 'id="history"' not in client.get("/namespaces/plants/").text


def test_a_long_history_costs_no_more_than_a_short_one(
    client: Client, trees: Namespace, registrant: User, django_assert_num_queries: Any
) -> None:
    heir = a_person(email="heir@example.org")

    def lengthen(by: int) -> None:
        for _ in range(by):
            transfers.decline_transfer(transfers.offer_transfer(trees, by=registrant, to=heir.email), by=heir)

    lengthen(by=1)
    with CaptureQueriesContext(connection) as short:
        client.get(trees.get_absolute_url())
    lengthen(by=5)
    with django_assert_num_queries(len(short)):
        client.get(trees.get_absolute_url())


def test_every_action_has_an_event_label() -> None:
    made_here = (
        each
        for module in (deprecation, profiles, transfers)
        for each in vars(module).values()
        if getattr(each, "__module__", "") == module.__name__
    )
    names = {each.__name__ for each in made_here if isfunction(each)}
    steps_of_set_profile = {"write_profile", "record_profile"}
    # It withdraws offers.
    others = {*steps_of_set_profile, "end_lapsed_offer"}
    changes = {name for name in names if not name.startswith(("_", "check_"))} - others
    assert changes >= {"deprecate", "set_profile"}
    assert changes <= set(event_types())
