"""Claims of namespaces by token: as the pages do them, with the same refusals."""

from typing import Any

import pytest

from registry.accounts.models import Scope, User
from registry.audit_log.models import Event
from registry.core.exceptions import NotPermitted
from registry.core.reading import may_read
from registry.custody.actions.claims import announce_claim, claim_namespace, decline_claim
from registry.custody.models import NamespaceClaim
from registry.namespaces.models import Namespace
from registry.organisations.actions.members import end_membership
from registry.organisations.actions.organisations import create_organisation
from registry.organisations.models import MemberRole, Membership
from tests.api.client import KEY, TokenClient, check_problem
from tests.custody.conftest import *  # noqa: F403  # its fixtures
from tests.custody.conftest import a_claim
from tests.custody.test_claims import let_time_pass
from tests.support.factories import a_person

EVIDENCE = {"ground": "domain", "statement": "I work there.", "links": ["https://example.org/about"]}


def claim_by_token(person: User, nid: str = "isbn") -> Any:
    answer = TokenClient(person).post(f"namespaces/{nid}/claims/", EVIDENCE)
    assert answer.status_code == 201, answer.text
    return answer.json()


def numbers_for(person: User, query: str = "") -> list[int]:
    found = TokenClient(person, Scope.READ).get(f"claims/{query}").json()["results"]
    return [each["number"] for each in found]


def test_a_namespace_is_claimed_and_approved(isbn: Namespace, claimant: User, administrator: User) -> None:
    made = claim_by_token(claimant)
    assert (made["status"], made["evidence"], set(made["actions"])) == ("open", EVIDENCE, {"withdraw"})
    path = f"claims/{made['number']}"
    seen = TokenClient(administrator).get(f"{path}/").json()
    assert set(seen["actions"]) == {"approve", "decline"}
    check_problem(TokenClient(claimant).post(f"{path}/approve/", {"reason": "Mine."}), 404, "not-found")
    check_problem(TokenClient(administrator).post(f"{path}/approve/", {"reason": " "}), 422, "text-missing")
    approved = TokenClient(administrator).post(f"{path}/approve/", {"reason": "Proved."}).json()
    assert (approved["status"], approved["reason"], approved["actions"]) == ("approved", "Proved.", {})
    isbn.refresh_from_db()
    assert isbn.registrant == claimant
    check_problem(
        TokenClient(administrator).post(f"{path}/decline/", {"reason": "No."}), 409, "claim-decided"
    )


def test_a_claim_names_the_organisation_that_is_to_get_the_namespace(
    isbn: Namespace, claimant: User, administrator: User
) -> None:
    agency = create_organisation(by=claimant, name="ISBN Agency")
    made = (
        TokenClient(claimant).post("namespaces/isbn/claims/", EVIDENCE | {"organisation": agency.pk}).json()
    )
    other = a_claim(isbn, by=a_person(email="other@example.org"))
    for_agency, for_other = (
        TokenClient(administrator, Scope.READ).get(f"claims/{number}/").json()
        for number in (made["number"], other.pk)
    )
    assert (for_agency["organisation"]["number"], for_agency["organisation"]["name"]) == (
        agency.pk,
        "ISBN Agency",
    )
    assert for_other["organisation"] is None


def test_only_representatives_claim_for_an_organisation(
    isbn: Namespace, claimant: User, registrant: User
) -> None:
    agency = create_organisation(by=registrant, name="ISBN Agency")
    Membership.objects.create(organisation=agency, user=claimant, part=MemberRole.EDITOR)
    body = EVIDENCE | {"organisation": agency.pk}
    check_problem(TokenClient(claimant).post("namespaces/isbn/claims/", body), 404, "not-found")
    assert not NamespaceClaim.objects.exists()


def test_a_claim_is_made_once_with_a_key(isbn: Namespace, claimant: User) -> None:
    program = TokenClient(claimant)
    answers = [
        program.post("namespaces/isbn/claims/", EVIDENCE, Idempotency_Key=KEY).json() for _ in range(2)
    ]
    assert answers[0] == answers[1]
    assert NamespaceClaim.objects.count() == 1
    check_problem(program.post("namespaces/isbn/claims/", EVIDENCE), 409, "claim-pending")
    withdrawn = program.post(f"claims/{answers[0]['number']}/withdraw/").json()
    assert withdrawn["status"] == "withdrawn"


def test_a_registrant_objects_to_an_announced_claim_without_seeing_the_evidence(
    trees: Namespace, claimant: User, registrant: User, administrator: User
) -> None:
    number = claim_by_token(claimant, trees.nid)["number"]
    assert numbers_for(registrant) == []
    path = f"claims/{number}"
    announced = TokenClient(administrator).post(f"{path}/announce/", {"reason": "Mails bounce."}).json()
    assert (announced["status"], announced["actions"].keys()) == ("announced", {"decline"})
    seen = TokenClient(registrant).get(f"{path}/").json()
    assert (seen["evidence"], seen["reason"], set(seen["actions"])) == (None, None, {"object"})
    ended = TokenClient(registrant).post(f"{path}/object/").json()
    assert (ended["status"], ended["evidence"]) == ("objected", None)
    check_problem(TokenClient(registrant).get(f"{path}/"), 404, "not-found")
    assert Event.objects.filter(verb="object_to_claim", actor=registrant).count() == 1


@pytest.mark.exhaustive
def test_the_list_has_what_each_person_may_see(
    isbn: Namespace,
    trees: Namespace,
    claimant: User,
    registrant: User,
    expert: User,
    administrator: User,
    other_administrator: User,
) -> None:
    declined = decline_claim(a_claim(isbn, by=claimant), by=administrator, reason="No proof.")
    own = a_claim(isbn, by=administrator)
    announced = announce_claim(a_claim(trees, by=claimant), by=other_administrator, reason="Mails bounce.")
    let_time_pass(announced)
    society = create_organisation(by=registrant, name="Society")
    Membership.objects.create(organisation=society, user=other_administrator, part=MemberRole.EDITOR)
    oaks = Namespace.objects.create(nid="example-oaks", kind="formal", organisation=society)
    of_society = announce_claim(a_claim(oaks, by=claimant), by=administrator, reason="Mails bounce.")
    for_society = claim_namespace(
        isbn, by=registrant, ground="domain", statement="Ours.", organisation=society
    )
    people = (claimant, registrant, expert, administrator, other_administrator)
    for person in people:
        may_see = [each.pk for each in NamespaceClaim.objects.all() if may_read(person, each)]
        assert may_see == numbers_for(person)
    assert numbers_for(claimant) == [declined.pk, announced.pk, of_society.pk]
    assert numbers_for(claimant, "?is_undecided=true") == [announced.pk, of_society.pk]
    assert numbers_for(registrant) == [announced.pk, of_society.pk, for_society.pk]
    assert numbers_for(administrator, "?is_undecided=false") == [declined.pk]
    assert numbers_for(administrator) == [declined.pk, own.pk, announced.pk, of_society.pk, for_society.pk]
    assert for_society.pk not in numbers_for(other_administrator)
    end_membership(Membership.objects.get(user=other_administrator), by=other_administrator)
    assert not may_read(other_administrator, for_society)
    assert of_society.pk not in numbers_for(other_administrator)
    assert for_society.pk not in numbers_for(other_administrator)
    with pytest.raises(NotPermitted):
        decline_claim(for_society, by=other_administrator, reason="No proof.")


@pytest.mark.parametrize("number", ["0", "x", "\u0661", "9" * 40, "1%0A"])
def test_a_claim_that_the_user_may_not_see_does_not_exist(
    claim: NamespaceClaim, expert: User, number: str
) -> None:
    check_problem(TokenClient(expert).get(f"claims/{claim.pk}/"), 404, "not-found")
    check_problem(TokenClient(expert).get(f"claims/{number}/"), 404, "not-found")
