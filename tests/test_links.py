"""URLs in what people wrote are links on every page that shows it."""

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.audit_log.models import Event
from registry.cases.corrections import correct
from registry.cases.models import Case
from registry.cases.workflow import functions
from registry.custody.actions.claims import claim_namespace
from registry.namespaces.actions import deprecation
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.actions.registration import register_formal
from registry.review_desk.models import StaffNote
from tests.cases.transitions.rounds import next_round
from tests.support.browser import page, signed_in
from tests.support.factories import (
    a_case_in_review,
    a_profile,
    a_template,
    an_imported_namespace,
)

URL = "https://example.org/trees"
LINK = f'<a href="{URL}" rel="nofollow ugc">{URL}</a>'
TEXT = f"Compare {URL}."


def shown(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.text


def sent_back(registrant: User, expert: User) -> Case:
    points = [("syntax", TEXT)]
    return functions.request_changes(
        a_case_in_review(by=registrant), by=expert, round_number=1, rationale="Nearly.", action_points=points
    )


def test_in_the_draft(registrant: User, expert: User) -> None:
    case = sent_back(registrant, expert)
    assert f'<strong>To change:</strong> <span class="prose">Compare {LINK}' in shown(
        signed_in(registrant), page("edit", case.pk)
    )


def test_on_the_review_page(registrant: User, expert: User) -> None:
    case = next_round(sent_back(registrant, expert))
    StaffNote.objects.create(case=case, author=expert, text=f"Internal: {URL}")
    text = shown(signed_in(expert), f"/desk/cases/{case.pk}/")
    assert f'Round 1: <span class="prose">Compare {LINK}' in text
    assert f"Internal: {LINK}" in text


def test_in_the_history_of_a_case(registrant: User, expert: User, liaison: User, client: Client) -> None:
    case = a_case_in_review(by=registrant)
    functions.decline(case, by=expert, round_number=1, reason="No.")
    functions.appeal(case, by=registrant, reason=TEXT)
    assert f"Compare {LINK}" in shown(signed_in(liaison), "/desk/liaison/")
    functions.direct(case, by=liaison, is_approved=False, reference=URL, reason="No.", round_number=1)
    text = shown(client, case.get_absolute_url())
    assert f'<div class="small prose">Compare {LINK}' in text
    assert f"Reference: {LINK}" in text


def test_at_the_assignment_desk(registrant: User, expert: User, administrator: User) -> None:
    functions.approve(a_case_in_review(by=registrant), by=expert, round_number=1, rationale=TEXT)
    assert f"Compare {LINK}" in shown(signed_in(administrator), "/desk/assignments/")


def test_on_the_pages_of_a_namespace(registrant: User, administrator: User, client: Client) -> None:
    trees = register_formal(a_template(), registrant=registrant).namespace
    set_profile(trees, by=administrator, profile=a_profile(), basis=TEXT, replaces=0)
    deprecation.deprecate(trees, by=administrator, statement=TEXT)
    correct(Event.objects.get(verb="deprecate"), by=administrator, wrong="The page.", right=f"It is {URL}")
    text = shown(client, trees.get_absolute_url())
    assert f'<p class="prose">Compare {LINK}' in text  # the notice
    assert f'<div class="small prose">Compare {LINK}' in text  # the history
    assert f'<span class="prose">It is {LINK}' in text  # the correction
    assert f"Compare {LINK}" in shown(client, f"{trees.get_absolute_url()}profile/")


@pytest.mark.django_db
def test_on_the_page_of_a_claim(participant: User) -> None:
    isbn = an_imported_namespace("isbn")
    claim = claim_namespace(isbn, by=participant, ground="domain", statement=TEXT)
    assert f"Compare {LINK}" in shown(signed_in(participant), claim.get_absolute_url())
