"""GET /api/v1/cases/{number}/compare/: the differences between two rounds."""

from django.test import Client

from registry.accounts.models import User
from registry.cases.drafts.history import compare_rounds
from tests.api.client import check_problem
from tests.api.schema_checks import check_response
from tests.cases.transitions.rounds import next_round
from tests.support.factories import a_case_in_review, a_draft


def test_two_rounds_are_compared_as_on_the_page(client: Client, registrant: User) -> None:
    case = a_case_in_review(by=registrant)
    address = f"/api/v1/cases/{case.pk}/compare/"
    check_problem(client.get(address), 404, "round-unknown", "fewer than two")
    next_round(case, purpose="Names every tree of a garden, for all who care for trees.")
    response = client.get(address)
    check_response("get", response)
    first, second = case.rounds.order_by("number")
    changed = compare_rounds(first, second).changed
    body = response.json()
    assert (body["from"], body["to"]) == (1, 2)
    assert [each["section"] for each in body["changes"]] == [each.key for each in changed] == ["purpose"]
    back = client.get(address, {"from": "2", "to": "1"}).json()["changes"]
    (there,), (again,) = body["changes"], back
    assert {line["before"] for line in there["lines"]} == {line["after"] for line in again["lines"]}
    check_problem(client.get(address, {"to": "3"}), 404, "round-unknown", "it has 1, 2")


def test_a_draft_is_not_compared(client: Client, registrant: User) -> None:
    address = f"/api/v1/cases/{a_draft(by=registrant).pk}/compare/"
    check_problem(client.get(address), 404, "case-unknown")
