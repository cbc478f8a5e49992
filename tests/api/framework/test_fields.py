"""The parameter `fields` of every list: the members of its entries that a client needs."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from registry.accounts.models import User
from registry.audit_log.heads import publish_head
from registry.cases.comments import comment
from registry.cases.models import Case
from registry.custody.actions.claims import claim_namespace
from registry.domains.actions import add_domain
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.actions.transfers import offer_transfer
from registry.namespaces.models import Namespace
from registry.organisations.actions.members import invite_member
from registry.organisations.actions.organisations import create_organisation
from registry.sightings.actions import confirm_sighting, report_sighting
from registry.webhooks.models import Delivery
from tests.api.client import V1, TokenClient, check_problem
from tests.api.schema_checks import check_response, described_operations, resolved
from tests.resolution.conftest import a_namespace_with, a_profile_with, a_service
from tests.support.factories import a_case_in_review, a_profile, an_imported_namespace
from tests.webhooks.conftest import a_webhook

# An entry is one table, which is read as a whole.
WITHOUT = {"getStatistics"}
LISTS = [
    ("problems/", "type", "status"),
    ("files/", "name", "media_type"),
    ("namespaces/", "nid", "status"),
    ("namespaces/example-trees/versions/", "version", "digest"),
    ("namespaces/example-trees/profile/", "version", "basis"),
    ("namespaces/example-trees/events/", "number", "summary"),
    ("namespaces/example-trees/transfers/", "number", "actions"),
    ("organisations/", "number", "homepage"),
    ("organisations/{organisation}/members/", "number", "part"),
    ("organisations/{organisation}/invitations/", "number", "actions"),
    ("organisations/{organisation}/events/", "number", "summary"),
    ("organisations/{organisation}/domains/", "number", "domain"),
    ("cases/", "number", "state"),
    ("cases/{case}/rounds/", "round", "digest"),
    ("cases/{case}/comments/", "number", "text"),
    ("cases/{case}/events/", "number", "verb"),
    ("events/", "number", "digest"),
    ("audit-log/heads/", "size", "root_hash"),
    ("account/webhooks/", "number", "pause_reason"),
    ("claims/", "number", "status"),
    ("sightings/", "number", "nid"),
    ("account/sightings/", "number", "state"),
    ("services/", "nid", "host"),
]


@pytest.fixture
def places(trees: Namespace, registrant: User, administrator: User) -> dict[str, int]:
    """The numbers in the addresses, of a registry in which every list has an entry."""
    case: Case = a_case_in_review(by=registrant, namespace_identifier="hedges")
    comment(case, by=administrator, round_number=1, section="purpose", text="Which hedges?")
    set_profile(trees, by=administrator, profile=a_profile("example-trees"), basis="Syntax.", replaces=0)
    offer_transfer(trees, by=registrant, to="heir@example.org")
    organisation = create_organisation(by=registrant, name="Arboretum")
    invite_member(organisation, by=registrant, email="gardener@example.org", part="editor")
    add_domain(organisation, by=registrant, domain="trees.example")
    claimed = a_namespace_with(a_profile_with(a_service(examples=["urn:oaks:12:4711"]), nid="oaks"))
    Namespace.objects.filter(pk=an_imported_namespace(nid="isbn").pk).update(organisation=organisation)
    claim_namespace(claimed, by=registrant, ground="other", statement="My site.", links=[])
    sighting = report_sighting(by=registrant, nid="weeds", used_by="A program", source="Its manual")
    confirm_sighting(sighting, by=administrator, reason="Read.")
    a_webhook(registrant, "https://hooks.example/registry")
    publish_head()
    return {"case": case.pk, "organisation": organisation.pk}


def test_every_list_has_the_parameter() -> None:
    without = {
        operation["operationId"]
        for method, _, operation in described_operations().values()
        if method == "get" and "results" in _members(operation) and "fields" not in _parameters(operation)
    }
    assert without == WITHOUT


def _members(operation: dict[str, Any]) -> dict[str, Any]:
    content = operation["responses"].get("200", {}).get("content", {}).get("application/json", {})
    return resolved(content.get("schema", {})).get("properties", {})


def _parameters(operation: dict[str, Any]) -> set[str]:
    return {resolved(each)["name"] for each in operation.get("parameters", [])}


def test_only_the_chosen_members_and_the_key_are_listed(
    token_client: TokenClient, places: dict[str, int], subtests: pytest.Subtests
) -> None:
    for path, key, member in LISTS:
        with subtests.test(path):
            address = path.format(**places)
            whole = token_client.get(address).json()["results"]
            assert len(whole[0]) > 2
            chosen = token_client.get(f"{address}?fields={member}").json()["results"]
            assert chosen == [{name: each[name] for name in each if name in {key, member}} for each in whole]


def test_other_members_are_refused(
    token_client: TokenClient, places: dict[str, int], subtests: pytest.Subtests
) -> None:
    for path, key, _ in LISTS:
        with subtests.test(path):
            answer = token_client.get(f"{path.format(**places)}?fields={key},colour")
            problem = check_problem(answer, 400, "invalid-parameter", "separated by commas: ")
            assert problem["errors"][0]["parameter"] == "fields"


def test_the_next_page_has_the_same_members(token_client: TokenClient, places: dict[str, int]) -> None:
    first = token_client.get("events/?fields=digest&page_size=1").json()
    assert set(first["results"][0]) == {"number", "digest"}
    assert set(token_client.get(first["next"]).json()["results"][0]) == {"number", "digest"}


@pytest.mark.parametrize(("suffix", "wanted"), [("txt", "1\n"), ("xml", "<version>1</version>")])
def test_other_formats_have_the_chosen_members(
    client: Client, trees: Namespace, suffix: str, wanted: str
) -> None:
    text = client.get(f"{V1}namespaces/{trees.nid}/versions.{suffix}?fields=version").text
    assert wanted in text
    assert "digest" not in text
    assert "template" not in text


def test_a_member_that_is_left_out_is_not_read(token_client: TokenClient, places: dict[str, int]) -> None:
    path = f"organisations/{places['organisation']}/invitations/"
    with CaptureQueriesContext(connection) as whole:
        token_client.get(path)
    with CaptureQueriesContext(connection) as chosen:
        token_client.get(f"{path}?fields=email")
    # `actions` needs the organisations of the user, and the invitations to the user.
    assert len(chosen) <= len(whole) - 2


def test_members_of_tokens_and_deliveries_are_chosen(registrant: User, token_client: TokenClient) -> None:
    browser = Client()
    browser.force_login(registrant)
    answer = browser.get(f"{V1}account/tokens/?fields=name")
    check_response("get", answer)
    assert answer.json()["results"] == [
        {"number": token_client.token.pk, "name": token_client.token.name},
    ]
    webhook = a_webhook(registrant, "https://hooks.example/registry")
    Delivery.objects.create(webhook=webhook, message_id="1", attempt=1, milliseconds=5, is_delivered=True)
    answer = token_client.get(f"account/webhooks/{webhook.pk}/deliveries/?fields=attempt")
    assert [set(each) for each in answer.json()["results"]] == [{"number", "attempt"}]
