"""Limits of the actions of one account: on pages as with the API, together for all processes."""

from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django.asserts import assertContains, assertNotContains

from registry.accounts.models import User
from registry.cases import case_detail, comments
from registry.cases.drafts import drafts
from registry.cases.models import Case, Comment, State
from registry.cases.workflow import functions
from registry.cases.workflow.exceptions import SubmissionIncomplete
from registry.cases.workflow.functions import people
from registry.core.models import Counter
from registry.core.rate_limits import LimitExceeded, count_action
from registry.mail.models import Message
from registry.namespaces.actions.transfers import offer_transfer, withdraw_transfer
from registry.namespaces.models import Kind, Namespace, Origin
from tests.api.client import TokenClient
from tests.cases.traces import refused
from tests.cases.transitions.rounds import next_round
from tests.support.browser import fields_of, signed_in
from tests.support.databases import at_once, refusals
from tests.support.factories import a_case_in_review, a_draft, a_namespace, a_person

LIMIT = 3


@pytest.fixture(autouse=True)
def _low_limits(settings: Any) -> None:
    settings.ACTIONS_AN_HOUR = dict.fromkeys(settings.ACTIONS_AN_HOUR, LIMIT)


def comment(client: Client, case: Case, text: str) -> Any:
    typed = {"round_number": "1", "section": "", "reply_to": "", "text": text}
    return client.post(f"/cases/{case.pk}/comment/", typed)


@pytest.mark.exhaustive
def test_comments_on_pages_and_with_the_api_count_together(registrant: User, participant: User) -> None:
    case, page, program = a_case_in_review(by=registrant), signed_in(participant), TokenClient(participant)
    for number in range(LIMIT - 1):
        assert comment(page, case, f"Comment {number}").status_code == 302
    body = {"round": 1, "text": "One more."}
    assert program.post(f"cases/{case.pk}/comments/", body).status_code == 201
    refused_page = comment(page, case, "What I typed last.")
    assertContains(refused_page, "The limit is 3 comments an hour for each account.", status_code=429)
    assertContains(refused_page, "What I typed last.", status_code=429)
    assert 0 < int(refused_page["Retry-After"]) <= 3600
    problem = program.post(f"cases/{case.pk}/comments/", body | {"text": "Another."})
    assert (problem.status_code, problem.json()["title"]) == (429, "Limit exceeded")
    assert 0 < int(problem["Retry-After"]) <= 3600
    assert Comment.objects.count() == LIMIT


def test_others_are_not_affected(registrant: User, participant: User) -> None:
    case = a_case_in_review(by=registrant)
    for number in range(LIMIT):
        comments.comment(case, by=participant, round_number=1, text=f"Comment {number}")
    assert comment(signed_in(registrant), case, "Mine.").status_code == 302


def test_drafts_of_new_namespaces_and_of_revisions(
    registrant: User, expert: User, administrator: User
) -> None:
    namespace = a_namespace(by=registrant, expert=expert, administrator=administrator)
    drafts.start_revision(namespace, by=registrant)
    drafts.create_case(by=registrant, kind=Kind.FORMAL)
    with refused(LimitExceeded, "3 drafts an hour"):
        drafts.create_case(by=registrant, kind=Kind.FORMAL)
    with refused(LimitExceeded, "3 drafts an hour"):
        drafts.start_revision(namespace, by=registrant)
    assert Case.objects.count() == LIMIT


@pytest.mark.exhaustive
def test_saves_on_the_page_automatic_ones_and_with_the_api_count_together(registrant: User) -> None:
    case, browser, program = a_draft(by=registrant), signed_in(registrant), TokenClient(registrant)
    typed = fields_of(browser.get(f"/cases/{case.pk}/edit/"), f"/cases/{case.pk}/edit/")
    assert browser.post(f"/cases/{case.pk}/edit/", typed).status_code == 302
    draft = f"cases/{case.pk}/draft/"
    changes = {"sections": {"purpose": "About trees."}}
    assert program.patch(draft, changes, If_Match="*").status_code == 200
    typed["stamp"] = str(Case.objects.get().draft_stamp)
    saved = browser.post(f"/cases/{case.pk}/edit/autosave/", typed)
    assert (saved.status_code, saved["Draft-Status"]) == (200, "saved")
    for address in ("edit/autosave", "edit"):
        refusal = browser.post(f"/cases/{case.pk}/{address}/", typed | {"purpose": "What I typed last."})
        assertContains(refusal, "The limit is 3 saves an hour for each account.", status_code=429)
        assert "Retry-After" in refusal
    assertContains(refusal, "What I typed last.", status_code=429)
    assert program.patch(draft, changes, If_Match="*").status_code == 429
    assert Case.objects.get().draft_template.purpose == typed["purpose"]


def test_rounds(registrant: User) -> None:
    case = a_case_in_review(by=registrant)
    for _ in range(LIMIT - 1):
        case = next_round(case)
    with pytest.raises(LimitExceeded, match="3 rounds an hour"):
        next_round(case)
    assert case.rounds.count() == LIMIT


def test_invitations(registrant: User) -> None:
    case = a_case_in_review(by=registrant)
    for number in range(LIMIT):
        people.invite_co_editor(case, by=registrant, email=f"co-editor-{number}@example.org")
    with refused(LimitExceeded, "3 invitations an hour"):
        people.invite_co_editor(case, by=registrant, email="one-more@example.org")


def test_offers(registrant: User, participant: User) -> None:
    namespace = Namespace.objects.create(
        nid="example-old", kind=Kind.FORMAL, origin=Origin.IANA, registrant=registrant
    )
    for _ in range(LIMIT):
        offer = offer_transfer(namespace, by=registrant, to=participant.email)
        withdraw_transfer(offer, by=registrant)
    with refused(LimitExceeded, "3 offers an hour"):
        offer_transfer(namespace, by=registrant, to=participant.email)


def test_posts_of_one_case_to_the_discussion_list(registrant: User, settings: Any) -> None:
    settings.POSTS_A_DAY = 2
    case = next_round(a_case_in_review(by=registrant))
    with pytest.raises(LimitExceeded, match="2 posts to the discussion list a day for each case"):
        next_round(case)
    assert Message.objects.filter(to=settings.DISCUSSION_LIST).count() == 2
    functions.withdraw(case, by=registrant)


def test_a_refused_submission_keeps_the_draft(registrant: User, settings: Any) -> None:
    settings.POSTS_A_DAY = 0
    case = a_draft(by=registrant)
    typed = fields_of(signed_in(registrant).get(f"/cases/{case.pk}/edit/"), f"/cases/{case.pk}/edit/")
    typed |= {"purpose": "What I typed last, about trees.", "submit": "1"}
    browser = signed_in(registrant)
    assert browser.post(f"/cases/{case.pk}/edit/", typed).status_code == 302
    confirmed = fields_of(browser.get(f"/cases/{case.pk}/submit/"), f"/cases/{case.pk}/submit/")
    answer = browser.post(f"/cases/{case.pk}/submit/", confirmed)
    assertContains(answer, "posts to the discussion list", status_code=429)
    assert "Retry-After" in answer
    case.refresh_from_db()
    assert case.draft_template.purpose == "What I typed last, about trees."
    assert case.state == State.DRAFT


# Attempts that are refused count: the count is not undone with the action.


def spent(name: str, by: User) -> int:
    return Counter.objects.get(key=f"{name} account {by.pk}").spent


def test_a_refused_action_is_counted(registrant: User, participant: User) -> None:
    case, browser = a_case_in_review(by=registrant), signed_in(participant)
    on_no_round = {"round_number": "9", "text": "Which trees?"}
    for _ in range(LIMIT):
        assert browser.post(f"/cases/{case.pk}/comment/", on_no_round).status_code == 422
    assert spent("comments", participant) == LIMIT
    assert comment(browser, case, "One more.").status_code == 429
    assert not Comment.objects.exists()


@pytest.mark.parametrize("headers", [{}, {"Idempotency_Key": "one"}])
def test_so_it_is_with_the_api(registrant: User, headers: dict[str, str]) -> None:
    case, program = a_case_in_review(by=registrant), TokenClient(registrant)
    for _ in range(LIMIT):
        answer = program.post(f"cases/{case.pk}/invite-co-editor/", {"email": "nobody"}, **headers)
        assert answer.status_code == 422
    assert spent("invitations", registrant) == LIMIT
    answer = program.post(f"cases/{case.pk}/invite-co-editor/", {"email": "a@example.org"}, **headers)
    assert answer.status_code == 429
    assert spent("invitations", registrant) == LIMIT + 1


def test_a_draft_that_is_saved_and_not_submitted_is_counted_as_a_save(registrant: User) -> None:
    """“Review and submit”: the draft is saved, and the submission is refused before it is confirmed."""
    case, browser = a_draft(by=registrant, purpose=""), signed_in(registrant)
    typed = fields_of(browser.get(f"/cases/{case.pk}/edit/"), f"/cases/{case.pk}/edit/") | {"submit": "1"}
    with CaptureQueriesContext(connection) as statements:
        assert browser.post(f"/cases/{case.pk}/edit/", typed).status_code == 422
    assert spent("saves", registrant) == 1
    # No counter is awaited while the case is locked: that could be a deadlock.
    done = [each["sql"] for each in statements]
    counted = [at for at, sql in enumerate(done) if f"account {registrant.pk}'" in sql]
    locked = [at for at, sql in enumerate(done) if "FOR UPDATE" in sql]
    assert len(counted) == 1
    assert max(counted) < min(locked)


def test_a_post_that_was_not_made_is_not_counted(registrant: User) -> None:
    case = a_draft(by=registrant, purpose="")
    with refused(SubmissionIncomplete):
        functions.submit(case, by=registrant, draft_stamp=case.draft_stamp)
    assert not Counter.objects.filter(key__startswith="posts").exists()


def test_processes_count_together(real_database: None) -> None:
    person = a_person(email="registrant@example.org")
    answers = at_once([partial(count_action, "comments", by=person)] * (LIMIT + 2))
    assert [type(each) for each in refusals(answers)] == [LimitExceeded] * 2
    assert spent("comments", person) == LIMIT + 2


@pytest.mark.exhaustive
def test_a_long_discussion_is_paged(
    registrant: User, participant: User, settings: Any, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.ACTIONS_AN_HOUR = dict.fromkeys(settings.ACTIONS_AN_HOUR, 100)
    monkeypatch.setattr(case_detail, "MAX_COMMENTS", 5)
    case = a_case_in_review(by=registrant)
    first, *others = [
        comments.comment(case, by=participant, round_number=1, text=f"Comment number {number}.")
        for number in range(12)
    ]
    page = client.get(case.get_absolute_url())
    assert page.text.count('<article class="comment') == 5
    assertContains(page, "Comment number 11.")
    assertNotContains(page, "Comment number 6.")
    older = client.get(f"{case.get_absolute_url()}?after={others[6].pk}")
    assert older.text.count('<article class="comment') == 5
    assertContains(older, "Comment number 6.")
    assertContains(older, "Newest comments")
    answering = signed_in(registrant).get(f"{case.get_absolute_url()}?reply_to={first.pk}")
    assertContains(answering, "Comment number 0.")
    assertContains(answering, "You are replying to a comment above.")
