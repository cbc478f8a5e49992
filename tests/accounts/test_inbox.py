"""The inbox: what waits for a person, the filters, the count in the header, and the number of queries."""

import re
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from registry.accounts.models import RoleName, User
from registry.accounts.waiting import KINDS, count_waiting
from registry.cases.models import Case, State
from registry.custody.actions import claims
from registry.custody.models import Ground
from registry.mail.bounces import record_bounce
from registry.mail.models import BouncedAddress
from registry.namespaces.actions import transfers
from registry.organisations.actions.members import invite_member
from registry.organisations.actions.organisations import create_organisation
from registry.review_desk.models import Absence, CaseAssignment
from registry.sightings.actions import report_sighting
from tests.support.browser import queries_of, signed_in
from tests.support.factories import (
    a_body,
    a_case_in_review,
    a_person,
    an_approved_case,
    an_imported_namespace,
    many_cases,
    put_in_state,
)

INBOX = "/inbox/"
pytestmark = pytest.mark.usefixtures("real_counts")


def kinds_in(client: Client, **query: str) -> list[str]:
    answer = client.get(INBOX, query)
    assert answer.status_code == 200
    return [item.kind.name for item in answer.context["page"].rows]


def counted(client: Client, address: str = INBOX) -> int:
    """The number in the header."""
    return header_count(client.get(address).text)


def header_count(page: str) -> int:
    found = re.search(r'<span class="count"><span class="visually-hidden">: </span>(\d+)<', page)
    return int(found[1]) if found else 0


@pytest.fixture
def case(registrant: User) -> Case:
    return a_case_in_review(by=registrant)


def waits(by: User, number: int) -> Case:
    return a_case_in_review(by=by, namespace_identifier=f"example-{number}")


def test_a_person_without_tasks_has_an_empty_inbox(participant: User) -> None:
    page = signed_in(participant).get(INBOX)
    assert "Nothing waits for you" in page.text
    assert 'class="count"' not in page.text


def test_the_inbox_needs_a_sign_in(client: Client, db: None) -> None:
    assert client.get(INBOX).status_code == 302


def test_each_role_finds_its_cases(
    registrant: User, expert: User, administrator: User, liaison: User, participant: User
) -> None:
    a_case_in_review(by=registrant)
    an_approved_case(by=registrant, expert=expert, namespace_identifier="example-hedges")
    returned = a_case_in_review(by=registrant, namespace_identifier="example-ferns")
    put_in_state(returned, State.CHANGES_REQUESTED)
    a_case_in_review(by=registrant, namespace_identifier="example-mosses", body=a_body())
    found = {
        person.email: sorted(kinds_in(signed_in(person)))
        for person in (registrant, expert, administrator, liaison, participant)
    }
    assert found == {
        registrant.email: ["own_case"],
        expert.email: ["review", "review"],
        administrator.email: ["assignment"],
        liaison.email: ["approval_request"],
        participant.email: [],
    }


def test_a_claim_waits_for_administrators_until_it_is_announced_and_then_for_the_registrant(
    registrant: User, participant: User, administrator: User
) -> None:
    namespace = an_imported_namespace("held", registrant=registrant)
    claim = claims.claim_namespace(namespace, by=participant, ground=Ground.OTHER, statement="Named.")
    people = [registrant, participant, administrator]
    assert [kinds_in(signed_in(each)) for each in people] == [[], [], ["claim"]]
    claims.announce_claim(claim, by=administrator, reason="Checked.")
    assert [kinds_in(signed_in(each)) for each in people] == [["objection"], [], []]


def test_a_due_claim_waits_for_an_administrator_other_than_the_one_who_announced_it(
    registrant: User, participant: User, administrator: User
) -> None:
    other = a_person(email="other-administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    namespace = an_imported_namespace("held", registrant=registrant)
    claim = claims.claim_namespace(namespace, by=participant, ground=Ground.OTHER, statement="Named.")
    claims.announce_claim(claim, by=administrator, reason="Checked.")
    then = timezone.now() - timedelta(days=100)
    claim.refresh_from_db()
    type(claim).objects.filter(pk=claim.pk).update(
        announced_at=then, objections_until=then + timedelta(days=30)
    )
    assert kinds_in(signed_in(other)) == ["claim"]
    # Nothing that the registrant must do is overdue; until the decision, they can still object.
    people = [administrator, registrant]
    assert [kinds_in(signed_in(each)) for each in people] == [[], []]
    assert "object to it, if it is wrong." in signed_in(registrant).get("/mine/").text


def test_offers_and_invitations_wait_for_the_person_who_confirmed_the_address(
    registrant: User, participant: User, administrator: User
) -> None:
    namespace = an_imported_namespace("held", registrant=registrant)
    transfers.offer_transfer(namespace, by=registrant, to=participant.email)
    organisation = create_organisation(registrant, by=registrant, name="Example Trees")
    invite_member(organisation, by=registrant, email=participant.email, part="editor")
    client = signed_in(participant)
    assert sorted(kinds_in(client)) == ["membership_invitation", "transfer"]
    EmailAddress.objects.filter(user=participant).update(verified=False)
    assert kinds_in(client) == []
    assert kinds_in(signed_in(registrant)) == []


def test_a_sighting_waits_for_administrators_other_than_its_reporter(
    participant: User, administrator: User
) -> None:
    report_sighting(
        participant, by=participant, nid="acme", used_by="ACME", source="https://acme.example/", example=""
    )
    report_sighting(
        administrator,
        by=administrator,
        nid="roadrunner",
        used_by="ACME",
        source="https://acme.example/",
        example="",
    )
    page = signed_in(administrator).get(INBOX)
    assert [item.nid for item in page.context["page"].rows] == ["acme"]
    assert kinds_in(signed_in(participant)) == []


def test_mail_that_came_back_waits_for_its_owner_and_for_administrators_for_a_month(
    registrant: User, participant: User, administrator: User
) -> None:
    record_bounce(registrant.email, "550 no such user")
    record_bounce("someone-else@example.org", "550 no such user")
    people = [registrant, participant, administrator]
    assert [kinds_in(signed_in(each)) for each in people] == [["own_bounce"], [], ["bounce"]]
    BouncedAddress.objects.update(bounced_at=timezone.now() - timedelta(days=31))
    assert [kinds_in(signed_in(each)) for each in people] == [["own_bounce"], [], []]


@pytest.fixture
def mixed(registrant: User, expert: User) -> Client:
    """The inbox of an expert with cases that each filter tells apart."""
    trees, ferns, mosses = (waits(registrant, number) for number in range(3))
    Case.objects.filter(pk=trees.pk).update(
        requested_nid="trees", state_since=timezone.now() - timedelta(days=60)
    )
    Case.objects.filter(pk=ferns.pk).update(
        requested_nid="ferns", state_since=timezone.now() - timedelta(days=10)
    )
    other = a_person(email="second@example.org", name="Ann Other")
    Case.objects.filter(pk=mosses.pk).update(requested_nid="mosses", registrant=other)
    CaseAssignment.objects.create(case=ferns, person=expert)
    record_bounce(expert.email, "550 no such user")
    return signed_in(expert)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({}, ["trees", "ferns", "mosses", ""]),
        ({"kind": "review"}, ["trees", "ferns", "mosses"]),
        ({"kind": "own_bounce"}, [""]),
        ({"due": "overdue"}, ["trees"]),
        ({"due": "soon"}, ["ferns"]),
        ({"due": "never"}, [""]),
        ({"whose": "mine"}, ["ferns", ""]),
        ({"whose": "unclaimed"}, ["trees", "mosses"]),
        ({"nid": "ERN"}, ["ferns"]),
        ({"person": "ann"}, ["mosses"]),
        ({"q": "review other"}, ["mosses"]),
        ({"q": "trees"}, ["trees"]),
        ({"q": "came back"}, [""]),
        ({"kind": "review", "sort": "newest"}, ["mosses", "ferns", "trees"]),
        ({"kind": "review", "sort": "oldest"}, ["trees", "ferns", "mosses"]),
        ({"kind": "review", "sort": "nid"}, ["ferns", "mosses", "trees"]),
        ({"sort": "nid"}, ["ferns", "mosses", "trees", ""]),
        ({"nid": "unknown"}, []),
    ],
)
def test_filters_and_orders(mixed: Client, query: dict[str, str], found: list[str]) -> None:
    page = mixed.get(INBOX, query)
    assert [item.nid for item in page.context["page"].rows] == found
    # The header counts all.
    assert header_count(page.text) == 4


def test_a_case_is_found_by_its_number(mixed: Client) -> None:
    number = Case.objects.get(requested_nid="ferns").pk
    assert [item.number for item in mixed.get(INBOX, {"q": str(number)}).context["page"].rows] == [number]


def test_up_to_ten_different_words_are_conditions(mixed: Client) -> None:
    assert [item.nid for item in mixed.get(INBOX, {"q": "Trees " * 20}).context["page"].rows] == ["trees"]
    with CaptureQueriesContext(connection) as asked:
        mixed.get(INBOX, {"q": " ".join(f"w{number}" for number in range(40))})
    (listed,) = (each["sql"] for each in asked if "LIMIT 51" in each["sql"])
    assert "%w9%" in listed
    assert "%w10%" not in listed


def test_an_unknown_value_of_a_filter_is_an_error_that_keeps_what_was_typed(mixed: Client) -> None:
    page = mixed.get(INBOX, {"kind": "nothing", "nid": "ferns"})
    assert page.status_code == 400
    assert "Select a valid choice" in page.text
    assert 'value="ferns"' in page.text


def test_filters_that_match_nothing_say_so(mixed: Client) -> None:
    assert "Nothing matches" in mixed.get(INBOX, {"nid": "unknown"}).text


def test_the_number_of_queries_does_not_grow_with_300_cases(case: Case, expert: User) -> None:
    client = signed_in(expert)
    many_cases(case, 60)
    few = queries_of(client, INBOX)
    many_cases(case, 240)
    assert queries_of(client, INBOX) == few
    page = client.get(INBOX)
    assert len(page.context["page"].rows) == 50
    assert "1–50 of 301" in page.text
    assert "301 tasks" in page.text
    last = client.get(INBOX, {"after": "300"})
    assert "301–301 of 301" in last.text
    assert "Next page" not in last.text


@pytest.mark.parametrize("after", ["10000", "x", "-1", "9" * 30])
def test_a_place_outside_the_list_is_its_end_or_its_beginning(case: Case, expert: User, after: str) -> None:
    page = signed_in(expert).get(INBOX, {"after": after})
    assert page.status_code == 200
    assert len(page.context["page"].rows) == (0 if after == "10000" else 1)


def test_the_header_of_a_page_takes_one_query(case: Case, expert: User, client: Client) -> None:
    reader = signed_in(expert)
    with CaptureQueriesContext(connection) as asked:
        assert counted(reader, "/about/urn-scheme/") == 1
    assert len([each for each in asked if "UNION ALL" in each["sql"]]) == 1
    assert 'class="count"' not in client.get("/about/urn-scheme/").text


def test_a_count_is_kept_until_a_page_says_what_was_done(
    case: Case, registrant: User, expert: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: dict[int, int] = {}

    class Kept:
        get, set = kept.get, kept.__setitem__

    monkeypatch.setattr("registry.accounts.waiting.caches", {"waiting_counts": Kept})
    client = signed_in(expert)
    assert counted(client, "/guide/") == 1
    waits(registrant, 1)
    assert counted(client, "/guide/") == 1
    # The page to which the claim leads says that the case was assigned.
    assert header_count(client.post(f"/desk/cases/{case.pk}/claim/", follow=True).text) == 2
    waits(registrant, 2)
    assert counted(client, INBOX) == 3


def test_a_person_stays_where_they_were_after_they_claimed_a_case(case: Case, expert: User) -> None:
    client = signed_in(expert)
    here = f"{INBOX}?kind=review"
    page = client.get(INBOX, {"kind": "review"}).text
    assert f'name="next" value="{here}"' in page
    assert f'id="review-{case.pk}"' in page
    at = f"review-{case.pk}"
    answer = client.post(f"/desk/cases/{case.pk}/claim/", {"next": here, "at": at})
    assert answer["Location"] == f"{here}#{at}"
    page = client.get(INBOX, {"kind": "review"}).text
    assert "Assigned to you" in page
    assert f'action="/desk/cases/{case.pk}/claim/"' not in page


def test_a_claim_leads_to_no_other_site(case: Case, expert: User) -> None:
    answer = signed_in(expert).post(f"/desk/cases/{case.pk}/claim/", {"next": "https://attacker.example/"})
    assert answer["Location"] == f"/desk/cases/{case.pk}/"


def test_a_case_of_an_expert_who_is_away_can_be_taken_over(case: Case, expert: User) -> None:
    other = a_person(email="away@example.org", name="Eve Away", roles=(RoleName.EXPERT,))
    CaseAssignment.objects.create(case=case, person=other)
    client = signed_in(expert)
    assert kinds_in(client) == []
    today = timezone.now().date()
    Absence.objects.create(person=other, first_day=today, last_day=today + timedelta(days=3))
    assert f'action="/desk/cases/{case.pk}/claim/"' in client.get(INBOX, {"whose": "unclaimed"}).text
    # Their own case stays with an expert who is away.
    assert [item.is_claimed for item in signed_in(other).get(INBOX).context["page"].rows] == [True]


def test_cases_without_a_reviewer_wait_for_the_leader_of_the_experts(case: Case, expert: User) -> None:
    leader = signed_in(a_person(email="leader@example.org", roles=(RoleName.LEADER,)))
    page = leader.get(INBOX)
    assert kinds_in(leader) == ["hand_over"]
    assert counted(leader) == 1
    assert leader.get(page.context["page"].rows[0].line.path).status_code == 200
    assert "Assign to me" not in page.text
    CaseAssignment.objects.create(case=case, person=expert)
    assert kinds_in(leader) == []


def test_each_kind_has_a_label_of_its_own() -> None:
    labels = [each.label for each in KINDS.values()]
    assert len(labels) == len(set(labels))


def test_the_count_is_the_number_of_rows(mixed: Client, expert: User) -> None:
    assert count_waiting(expert) == len(kinds_in(mixed))


def test_counts_are_kept_for_seconds_apart_from_pages() -> None:
    caches: Any = settings.CACHES
    assert caches["waiting_counts"]["TIMEOUT"] <= 30
    assert caches["waiting_counts"]["LOCATION"] != caches["pages"].get("LOCATION", "")
