"""The assignment desk: what assigning does is said before it is done, and a refusal is said at its case."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from registry.accounts.models import User
from registry.cases.drafts import drafts
from registry.cases.models import Case, State
from registry.cases.workflow import functions
from registry.cases.workflow.functions import people
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Kind, Namespace
from tests.cases.transitions.rounds import a_revision_in_review
from tests.support.browser import fields_of, signed_in
from tests.support.factories import a_case_in_review, a_namespace, a_profile, a_template, an_approved_case

pytestmark = pytest.mark.django_db
DESK = "/desk/assignments/"


def approved(registrant: User, expert: User, nid: str = "example-trees", **how: Any) -> Case:
    syntax = f"The NSS is a number: urn:{nid}:4711."
    return an_approved_case(by=registrant, expert=expert, namespace_identifier=nid, syntax=syntax, **how)


def transition(case: Case, name: str) -> str:
    return f"/desk/cases/{case.pk}/{name}/"


def assignment(case: Case) -> str:
    """The page that asks once more."""
    return f"/cases/{case.pk}/assign/"


def test_the_page_shows_the_effect_and_checks_of_an_assignment(
    registrant: User, expert: User, administrator: User
) -> None:
    approved(registrant, expert)
    text = signed_in(administrator).get(DESK).text
    assert "Registers example-trees, version 1, permanently." in text
    assert "example-trees is valid and free (RFC 8141, Section 5.1)." in text
    assert "Round 1 has no blocking finding." in text
    assert "No other open case requests the same identifier or a similar one." in text
    assert "with the administrators for less than an hour, due in" in text


def test_the_desk_leads_to_a_page_that_says_what_will_happen_and_asks_once_more(
    registrant: User, expert: User, administrator: User
) -> None:
    case, client = approved(registrant, expert), signed_in(administrator)
    desk = client.get(DESK).text
    assert f'href="{assignment(case)}"' in desk
    assert "asks you to confirm" in desk
    assert client.post(transition(case, "assign"), {"round_number": "1"}).status_code == 404
    page = client.get(assignment(case))
    assert "Registers example-trees, version 1, permanently." in page.text
    assert "it can&#x27;t be undone" in page.text
    assert not Namespace.objects.exists()
    answer = client.post(assignment(case), fields_of(page, assignment(case)), follow=True)
    assert "Registered." in answer.text
    assert "No cases to assign" in client.get(DESK).text
    assert Namespace.objects.get(nid="example-trees").version == 1


def test_the_preview_of_an_informal_number_warns_that_it_may_change(
    registrant: User, expert: User, administrator: User
) -> None:
    first, second = (an_approved_case(by=registrant, expert=expert, kind=Kind.INFORMAL) for _ in range(2))
    client = signed_in(administrator)
    text = client.get(DESK).text
    assert text.count("Registers urn-1, version 1, permanently.") == 2
    assert "The next one is urn-1, unless another assignment takes it first." in text
    for case in (second, first):
        client.post(assignment(case), {"round_number": "1"})
    second.refresh_from_db()
    assert second.namespace is not None
    assert second.namespace.nid == "urn-1"


def test_the_preview_of_a_revision_shows_the_version(
    registrant: User, expert: User, administrator: User
) -> None:
    trees = a_namespace(by=registrant, expert=expert, administrator=administrator)
    case = drafts.start_revision(trees, by=registrant)
    template = a_template(version=2, purpose="Names trees and shrubs.", revision_information="Shrubs too.")
    case = drafts.save_draft(case, template, by=registrant, stamp=case.draft_stamp)
    case = functions.submit(case, by=registrant, draft_stamp=case.draft_stamp)
    functions.approve(case, by=expert, round_number=1, rationale="Sound.")
    text = signed_in(administrator).get(DESK).text
    assert "Registers version 2 of example-trees." in text
    assert "The template has version 2, which is the next version." in text
    assert "still the registrant of the namespace" in text


def test_a_nid_registered_since_has_no_button(registrant: User, expert: User, administrator: User) -> None:
    case = approved(registrant, expert)
    other = approved(registrant, expert)
    functions.assign(other, by=administrator)
    text = signed_in(administrator).get(DESK).text
    assert assignment(case) not in text
    assert ">blocked<" in text
    assert "Return it to the registrant, and explain why." in text


def test_a_competing_case_is_named(registrant: User, expert: User, administrator: User) -> None:
    case, other = approved(registrant, expert), approved(registrant, expert)
    text = signed_in(administrator).get(DESK).text
    assert text.count("Other open cases request the same identifier") == 2
    assert f'<a href="/cases/{other.pk}/">case {other.pk}</a> (approved)' in text
    assert f'<a href="/cases/{case.pk}/">case {case.pk}</a> (approved)' in text


def test_the_grounds_of_the_approval_are_shown(
    registrant: User, expert: User, administrator: User, liaison: User
) -> None:
    case = a_case_in_review(by=registrant)
    case = people.anticipate_standards_action(case, by=expert, anticipated=True, reason="A standard.")
    case = functions.forward_report(case, by=expert, round_number=1, report="We recommend it, with care.")
    functions.direct(case, by=liaison, is_approved=True, reference="Minutes, 2026-11-21", reason="Agreed.")
    text = signed_in(administrator).get(DESK).text
    for grounds in (
        f"by {expert} on round 1",
        "We recommend it, with care.",
        "Minutes, 2026-11-21",
        "Agreed.",
    ):
        assert grounds in text, grounds


def test_a_case_with_a_similar_identifier_is_named(
    registrant: User, expert: User, administrator: User
) -> None:
    approved(registrant, expert)
    other = a_case_in_review(by=registrant, namespace_identifier="example-tree5")
    text = signed_in(administrator).get(DESK).text
    assert "Other open cases request a similar identifier:" in text
    assert f'example-tree5</span> in <a href="/cases/{other.pk}/">' in text


def test_a_refusal_is_shown(registrant: User, expert: User, administrator: User) -> None:
    case, other = approved(registrant, expert), approved(registrant, expert)
    functions.assign(other, by=administrator)
    answer = signed_in(administrator).post(assignment(case), {"round_number": "1"})
    assert answer.status_code == 409
    assert "This NID is already registered" in answer.text


def test_a_stale_round_is_not_assigned(registrant: User, expert: User, administrator: User) -> None:
    case = approved(registrant, expert)
    answer = signed_in(administrator).post(assignment(case), {"round_number": "2"})
    assert answer.status_code == 409
    assert "You have read round 2, but round 1 is the latest." in answer.text
    assert not Namespace.objects.filter(nid="example-trees").exists()


def test_a_stale_decision_is_refused_and_keeps_its_text(
    registrant: User, expert: User, administrator: User
) -> None:
    case = approved(registrant, expert)
    functions.assign(case, by=administrator)
    answer = signed_in(administrator).post(
        transition(case, "return-to-registrant"), {"reason": "Name the gardens."}
    )
    assert answer.status_code == 409
    assert "is no longer on this list" in answer.text
    assert "Name the gardens." in answer.text


def test_a_case_is_returned_with_a_reason_from_the_desk(
    registrant: User, expert: User, administrator: User
) -> None:
    case, client = approved(registrant, expert), signed_in(administrator)
    refused = client.post(transition(case, "return-to-registrant"), {"reason": " \n"})
    assert refused.status_code == 422
    form = refused.text.partition(f'action="{transition(case, "return-to-registrant")}"')[2]
    assert "Enter the reason." in form.partition("</form>")[0]
    assert refused.text.count("Enter the reason.") == 2  # with the summary, which links to the field
    client.post(transition(case, "return-to-registrant"), {"reason": "Name the gardens."})
    case.refresh_from_db()
    assert case.state == State.CHANGES_REQUESTED


def test_own_and_recused_cases_are_not_listed(registrant: User, expert: User, administrator: User) -> None:
    own = approved(administrator, expert, "example-birds")
    recused = approved(registrant, expert, "example-cats")
    people.recuse(recused, by=administrator)
    client = signed_in(administrator)
    assert "No cases to assign" in client.get(DESK).text
    for case in (own, recused):
        assert client.post(assignment(case), {"round_number": "1"}).status_code == 404
    assert not Namespace.objects.exists()


def test_the_oldest_case_comes_first_and_the_list_is_paginated_by_key(
    registrant: User, expert: User, administrator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("registry.review_desk.decision_lists.PAGE_SIZE", 2)
    cases = [approved(registrant, expert, f"example-{name}") for name in ("ants", "bees", "cats")]
    for case, days in zip(cases, (1, 9, 3), strict=True):
        Case.objects.filter(pk=case.pk).update(state_since=timezone.now() - timedelta(days=days))
    client = signed_in(administrator)
    first = client.get(DESK).text
    assert first.index("example-bees") < first.index("example-cats")
    assert "overdue by 2 days" in first
    assert "example-ants" not in first
    key = first.partition("?after=")[2].partition('"')[0]
    later = client.get(f"{DESK}?after={key}").text
    assert "example-ants" in later
    assert "example-bees" not in later


@pytest.mark.parametrize("key", ["x", "1-", "-1", "1-1\n", "٣-1", "9" * 30 + "-1", "99999999999999999-1"])
def test_an_invalid_page_key_shows_the_first_page(key: str, administrator: User) -> None:
    assert signed_in(administrator).get(DESK, {"after": key}).status_code == 200


@pytest.mark.exhaustive
def test_the_number_of_queries_does_not_grow_with_cases(
    registrant: User, expert: User, administrator: User
) -> None:
    client = signed_in(administrator)
    counts = []
    for names in (("ants",), ("bees", "cats", "dogs", "eels")):
        for name in names:
            approved(registrant, expert, f"example-{name}")
        with CaptureQueriesContext(connection) as queries:
            assert client.get(DESK).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]
    assert counts[0] <= 17


def test_an_example_that_breaks_the_rules_of_the_namespace_blocks_the_revision(
    registrant: User, expert: User, administrator: User
) -> None:
    namespace = a_namespace(by=registrant, expert=expert, administrator=administrator)
    case = a_revision_in_review(
        namespace, by=registrant, syntax="The NSS is a number: urn:example-trees:4711."
    )
    functions.approve(case, by=expert, round_number=1, rationale="Sound.")
    client = signed_in(administrator)
    assert "Round 1 has no blocking finding." in client.get(DESK).text
    set_profile(namespace, by=administrator, profile=a_profile(), basis="Syntax.", replaces=0)
    for address in (DESK, case.get_absolute_url()):
        assert "urn:example-trees:4711" in client.get(address).text
    assert "Round 1 has no blocking finding." not in client.get(DESK).text
