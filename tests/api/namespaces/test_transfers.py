"""Deprecation and transfer by token: as the pages do them, with the same refusals."""

from typing import Any

import pytest

from registry.accounts.models import Scope, User
from registry.namespaces.models import Namespace, Transfer
from registry.organisations.actions.organisations import create_organisation
from tests.api.client import TokenClient, check_problem


def offered(namespace: Namespace, by: User, to: User) -> str:
    answer = TokenClient(by).post(
        f"namespaces/{namespace.nid}/transfers/", {"to": to.email, "reason": "Sold."}
    )
    assert answer.status_code == 201, answer.text
    return f"namespaces/{namespace.nid}/transfers/{answer.json()['number']}"


def test_an_administrator_deprecates_a_namespace(
    trees: Namespace, isbn: Namespace, administrator: User
) -> None:
    statement = {"statement": "Use the other one.", "successor": "ISBN"}
    path = "namespaces/Example-Trees/deprecate/"
    check_problem(TokenClient(administrator).post(path, {"statement": " "}), 422, "text-missing")
    itself = statement | {"successor": "example-trees"}
    check_problem(TokenClient(administrator).post(path, itself), 422, "invalid-successor")
    answer = TokenClient(administrator).post(path, statement)
    assert answer.status_code == 200, answer.text
    assert (answer.json()["statement"], answer.json()["successor"]) == ("Use the other one.", "isbn")
    assert Namespace.objects.get(nid="example-trees").successor == isbn
    check_problem(TokenClient(administrator).post(path, statement), 409, "already-deprecated")


@pytest.mark.parametrize("successor", ["nobody", "", "isbn\n", "\u0131sbn", "x" * 33, "a\x00", 1, None, []])
def test_a_successor_is_a_registered_namespace(
    trees: Namespace, isbn: Namespace, administrator: User, successor: Any
) -> None:
    sent = {"statement": "Use another one.", "successor": successor}
    answer = TokenClient(administrator).post("namespaces/example-trees/deprecate/", sent)
    assert check_problem(answer, 400, "invalid-fields")["errors"][0]["pointer"] == "#/successor"


def test_a_namespace_is_offered_and_accepted(trees: Namespace, registrant: User, participant: User) -> None:
    offer = offered(trees, registrant, participant)
    (waiting,) = TokenClient(participant, Scope.READ).get("account/").json()["transfers"]
    assert set(waiting["actions"]) == {"accept", "decline", "withdraw"}
    check_problem(TokenClient(registrant).post(f"{offer}/accept/"), 404, "not-found")
    accepted = TokenClient(participant).post(f"{offer}/accept/").json()
    assert (accepted["is_accepted"], accepted["actions"]) == (True, {})
    trees.refresh_from_db()
    assert trees.registrant == participant
    check_problem(TokenClient(participant).post(f"{offer}/decline/"), 409, "transfer-not-open")


def test_an_offer_is_accepted_for_an_organisation(
    trees: Namespace, registrant: User, participant: User
) -> None:
    museum = create_organisation(by=participant, name="Museum")
    other = create_organisation(by=registrant, name="Society")
    offer, program = offered(trees, registrant, participant), TokenClient(participant)
    check_problem(program.post(f"{offer}/accept/", {"organisation": other.pk}), 404, "not-found")
    check_problem(program.post(f"{offer}/accept/", {"organisation": "1"}), 400, "invalid-fields")
    check_problem(program.post(f"{offer}/decline/", {"organisation": museum.pk}), 400, "invalid-fields")
    assert program.post(f"{offer}/accept/", {"organisation": museum.pk}).json()["is_accepted"] is True
    trees.refresh_from_db()
    assert (trees.registrant, trees.organisation) == (None, museum)


def test_an_offer_is_declined_or_withdrawn(trees: Namespace, registrant: User, participant: User) -> None:
    declined = TokenClient(participant).post(
        f"{offered(trees, registrant, participant)}/decline/", {"reason": "No."}
    )
    assert declined.json()["is_accepted"] is False
    withdrawn = TokenClient(registrant).post(f"{offered(trees, registrant, participant)}/withdraw/")
    assert withdrawn.json()["ended_at"]
    assert Transfer.objects.filter(is_accepted=True).count() == 0
    trees.refresh_from_db()
    assert trees.registrant == registrant


@pytest.mark.exhaustive
def test_an_offer_has_its_address_at_its_own_namespace(
    trees: Namespace, isbn: Namespace, registrant: User, participant: User
) -> None:
    offer = offered(trees, registrant, participant)
    for name in ("accept", "decline", "withdraw"):
        elsewhere = offer.replace("example-trees", "isbn")
        check_problem(TokenClient(participant).post(f"{elsewhere}/{name}/"), 404, "not-found")
    for number in ("0", "x", "\u0661", "9" * 40, "1%0A"):
        path = f"namespaces/example-trees/transfers/{number}/accept/"
        check_problem(TokenClient(participant).post(path), 404, "not-found")


def test_invalid_offers_are_rejected(
    trees: Namespace, isbn: Namespace, registrant: User, participant: User
) -> None:
    token_client, path = TokenClient(registrant), "namespaces/example-trees/transfers/"
    check_problem(token_client.post(path, {"to": registrant.email}), 422, "invalid-recipient")
    check_problem(token_client.post(path, {"to": "nobody"}), 422, "invalid-address")
    check_problem(
        token_client.post("namespaces/isbn/transfers/", {"to": participant.email}), 404, "not-found"
    )
    check_problem(token_client.post("namespaces/nobody/transfers/", {"to": "x"}), 404, "namespace-unknown")
    offered(trees, registrant, participant)
    check_problem(token_client.post(path, {"to": participant.email}), 409, "transfer-not-open")


@pytest.mark.exhaustive
def test_the_parties_see_their_offers(
    trees: Namespace, registrant: User, participant: User, expert: User
) -> None:
    path = f"namespaces/{trees.nid}/transfers/"
    first = offered(trees, registrant, participant)
    TokenClient(participant).post(f"{first}/decline/", {"reason": "No."})
    offered(trees, registrant, participant)

    def offers(person: User) -> list[bool]:
        found = TokenClient(person, Scope.READ).get(path).json()["results"]
        return [each["ended_at"] is None for each in found]

    assert offers(registrant) == offers(participant) == [False, True]
    assert offers(expert) == []
    check_problem(TokenClient(registrant, Scope.WRITE).get(path), 403, "scope-missing")
    check_problem(TokenClient(registrant).client.get(f"/api/v1/{path}"), 401, "token-missing")
