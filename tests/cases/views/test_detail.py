"""The public pages of cases, by stranger, participant, editor and expert."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format

from registry.accounts.models import User
from registry.cases import comments
from registry.cases.deadlines import due_at
from registry.cases.drafts import drafts
from registry.cases.models import Case, CoEditor, Comment
from registry.cases.workflow import functions
from tests.cases.transitions.rounds import next_round
from tests.cases.views.test_rounds import second_round
from tests.support.browser import fields_of, page, signed_in
from tests.support.factories import (
    a_case_in_review,
    a_draft,
    a_namespace,
    a_template,
    an_approved_case,
)


@pytest.fixture
def case(registrant: User) -> Case:
    return a_case_in_review(by=registrant)


# Who sees what


def test_the_list_is_public_and_has_a_text_when_empty(client: Client, db: None) -> None:
    answer = client.get(page("list"))
    assert answer.status_code == 200
    assert "No cases yet" in answer.text


def test_the_list_shows_cases_but_no_drafts(client: Client, draft: Case, case: Case) -> None:
    answer = client.get(page("list"))
    assert page("detail", case.pk) in answer.text
    assert page("detail", draft.pk) not in answer.text


def test_the_list_filters_by_state_with_open_cases_first(
    client: Client, registrant: User, expert: User
) -> None:
    declined = a_case_in_review(by=registrant)
    approved = an_approved_case(by=registrant, expert=expert, namespace_identifier="example-shrubs")
    functions.decline(declined, by=expert, round_number=1, reason="Out of scope.")
    everything = [each.pk for each in client.get(page("list")).context["page"].rows]
    assert everything == [approved.pk, declined.pk]
    only = client.get(page("list"), {"state": "declined"}).context["page"].rows
    assert [each.pk for each in only] == [declined.pk]


@pytest.mark.parametrize("state", ["draft", "in_review\n", "ín_review", "x" * 300, "١"])
def test_an_unknown_state_filter_shows_an_error_and_all_cases(client: Client, case: Case, state: str) -> None:
    answer = client.get(page("list"), {"state": state})
    assert answer.status_code == 400
    assert page("detail", case.pk) in answer.text


def test_the_list_pages_by_key(client: Client, registrant: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("registry.cases.views.lists.PAGE_SIZE", 2)
    cases = [a_case_in_review(by=registrant, namespace_identifier=f"example-{n}") for n in range(5)]
    functions.withdraw(cases[4], by=registrant)
    seen, query = [], "?"
    while query:
        answer = client.get(page("list") + query)
        shown = answer.context["page"]
        seen += [each.pk for each in shown.rows]
        query = f"?after={shown.after}" if shown.after else ""
        assert not query or query.removeprefix("?") in answer.text
    assert seen == [cases[3].pk, cases[2].pk, cases[1].pk, cases[0].pk, cases[4].pk]


@pytest.mark.parametrize("after", ["", "0-", "0-1\n", "2-1", "0-١", "0-" + "9" * 18, "0-" + "9" * 40])
def test_an_invalid_page_key_is_not_an_error(client: Client, case: Case, after: str) -> None:
    assert client.get(page("list"), {"after": after}).status_code == 200


def test_a_draft_is_for_its_editors(draft: Case, co_editor: User, participant: User) -> None:
    CoEditor.objects.create(case=draft, user=co_editor)
    addresses = [page("detail", draft.pk), page("edit", draft.pk), page("draft", draft.pk)]
    for address in addresses:
        assert signed_in(draft.registrant).get(address).status_code == 200
        assert signed_in(co_editor).get(address).status_code == 200
        assert signed_in(participant).get(address).status_code == 404
    assert Client().get(addresses[0]).status_code == 404


def test_a_submitted_case_is_for_everyone(client: Client, case: Case) -> None:
    answer = client.get(page("detail", case.pk))
    assert answer.status_code == 200
    assert "example-trees" in answer.text
    assert "With the designated experts" in answer.text
    assert "Submitted round 1" in answer.text  # the history


@pytest.mark.parametrize("archive", ["", "https://lists.example.org/urn/"])
def test_a_submitted_case_names_the_discussion_list_and_its_archive(
    client: Client, case: Case, draft: Case, settings: Any, archive: str
) -> None:
    settings.DISCUSSION_LIST, settings.DISCUSSION_ARCHIVE = "urn@lists.example.org", archive
    for address in (page("detail", case.pk), "/guide/"):
        text = client.get(address).text
        assert "urn@lists.example.org" in text
        assert (f'<a href="{archive}">archive</a>' in text) is bool(archive)
    client.force_login(draft.registrant)
    assert "urn@lists.example.org" not in client.get(page("detail", draft.pk)).text
    assert "urn@lists.example.org" in client.get(page("transition", draft.pk, "submit")).text


def test_an_unknown_case_is_not_found(client: Client, db: None) -> None:
    for number in (0, 4711, 10**30):
        assert client.get(f"/cases/{number}/").status_code == 404


@pytest.mark.parametrize("name", ["begin", "mine"])
def test_an_anonymous_visitor_is_redirected_to_sign_in(client: Client, db: None, name: str) -> None:
    answer = client.get(page(name))
    assert answer.status_code == 302
    assert answer["Location"].startswith(reverse("account_login"))


def test_the_page_offers_only_permitted_transitions(
    client: Client, case: Case, participant: User, expert: User
) -> None:
    address = page("detail", case.pk)

    def offered(who: Client) -> set[str]:
        return {transition.name for transition in who.get(address).context["transitions"]}

    assert offered(client) == set()
    assert offered(signed_in(participant)) == set()
    assert offered(signed_in(case.registrant)) == {"withdraw"}  # the draft is in review as it is
    assert offered(signed_in(expert)) == {"request_changes", "approve", "decline"}
    shown = signed_in(expert).get(address).text
    for name in ("request-changes", "approve", "decline"):
        assert f'href="/desk/cases/{case.pk}/verdict/{name}/"' in shown
    assert f'href="/desk/cases/{case.pk}/"' in shown


def test_competing_cases_name_each_other(client: Client, case: Case, participant: User) -> None:
    competing_case = a_case_in_review(by=participant)
    assert page("detail", competing_case.pk) in client.get(page("detail", case.pk)).text
    assert page("detail", case.pk) in client.get(page("detail", competing_case.pk)).text


def test_a_draft_is_not_shown_as_a_competing_case(client: Client, case: Case, participant: User) -> None:
    secret = a_draft(by=participant)
    assert page("detail", secret.pk) not in client.get(page("detail", case.pk)).text


def test_the_requested_nid_of_a_public_case_is_not_that_of_its_draft(client: Client, case: Case) -> None:
    drafts.save_draft(
        case,
        a_template(namespace_identifier="secret-plan"),
        by=case.registrant,
        stamp=case.draft_stamp,
    )
    assert "secret-plan" not in client.get(page("detail", case.pk)).text
    assert "secret-plan" not in client.get(page("list")).text


def test_a_registered_case_leads_to_its_namespace(
    client: Client, registrant: User, expert: User, administrator: User
) -> None:
    namespace = a_namespace(by=registrant, expert=expert, administrator=administrator)
    case = namespace.cases.get()
    answer = client.get(page("detail", case.pk))
    assert "This case is closed" in answer.text
    assert 'href="/namespaces/example-trees/"' in answer.text
    assert "already registered" not in answer.text


# Comments


def test_a_participant_comments_on_a_section(case: Case, participant: User) -> None:
    answer = signed_in(participant).post(
        page("comment", case.pk),
        {"round_number": "1", "section": "syntax", "text": "What of upper case?"},
        follow=True,
    )
    assert answer.status_code == 200
    comment = Comment.objects.get()
    assert (comment.section, comment.author) == ("syntax", participant)
    assert "What of upper case?" in Client().get(page("detail", case.pk)).text


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ({"text": ""}, "This field is required"),
        ({"text": " \n"}, "This field is required"),
        ({"text": "\u200b"}, "Enter the comment"),
        ({"text": "Fine.", "section": "no-such"}, "no-such"),
        ({"text": "Fine.", "section": "sýntax"}, "sýntax"),
        ({"text": "Fine.", "section": "syntax\n"}, "is not one of the available choices"),
        ({"text": "Fine.", "round_number": "7"}, "no round 7"),
        ({"text": "Fine.", "round_number": "x"}, "whole number"),
        ({"text": "Fine.", "round_number": "9" * 40}, "no round 9"),
        ({"text": "nothing\x00 hidden"}, "Null characters"),
        ({"text": "x" * 20_001}, "at most 20000 characters"),
    ],
)
def test_a_comment_that_is_refused_stays_on_the_page(
    case: Case, participant: User, typed: dict[str, str], sentence: str
) -> None:
    answer = signed_in(participant).post(page("comment", case.pk), {"round_number": "1"} | typed)
    assert answer.status_code == 422
    assert sentence in answer.text
    assert typed["text"].strip() in answer.text
    assert not Comment.objects.exists()


@pytest.mark.parametrize("typed", [{"reply_to": "999999"}, {"section": "no-such"}])
def test_a_comment_that_is_refused_stays_at_its_round(
    case: Case, participant: User, typed: dict[str, str]
) -> None:
    next_round(case)
    who, address = signed_in(participant), page("comment", case.pk)
    answer = who.post(address, {"round_number": "1", "text": "Fine."} | typed)
    assert answer.status_code == 422
    form = fields_of(answer, address)
    assert form["round_number"] == "1"
    assert who.post(address, form | {"section": "syntax"}).status_code == 302
    assert Comment.objects.get().round.number == 1


def test_a_draft_can_not_be_commented_on(draft: Case, participant: User) -> None:
    typed = {"round_number": "1", "text": "Hello"}
    assert signed_in(participant).post(page("comment", draft.pk), typed).status_code == 404
    answer = signed_in(draft.registrant).post(page("comment", draft.pk), typed)
    assert answer.status_code == 409


# Cost


@pytest.mark.exhaustive
def test_the_number_of_queries_does_not_grow_with_the_case(
    case: Case, participant: User, expert: User
) -> None:
    clients = [Client(), signed_in(participant), signed_in(expert), signed_in(case.registrant)]
    addresses = [page("detail", case.pk), page("list"), page("mine")]

    def cost() -> list[int]:
        counts = []
        for client in clients:
            for address in addresses:
                with CaptureQueriesContext(connection) as queries:
                    client.get(address)
                counts.append(len(queries))
        return counts

    cost()
    before = cost()
    for number in range(2):
        case = second_round(case, f"Names trees, and {number} hedges.")
        comments.comment(case, by=participant, round_number=number + 2, text="Good.", section="syntax")
        functions.request_changes(
            case, by=expert, round_number=number + 2, rationale="", action_points=[("syntax", "More.")]
        )
        a_case_in_review(by=case.registrant, namespace_identifier=f"example-{number}")
        a_draft(by=case.registrant, namespace_identifier=f"example-draft-{number}")
    after = cost()
    # A signed-in person is offered moves, and an answer to changes has action points: a query or two.
    assert all(now <= then + 3 for then, now in zip(before, after, strict=True)), (before, after)


@pytest.mark.exhaustive
def test_the_status_addresses_its_reader(registrant: User, expert: User, client: Client) -> None:
    case = a_case_in_review(by=registrant)

    def heading(reader: Client) -> str:
        return reader.get(page("detail", case.pk)).context["next_step"].heading

    due = date_format(due_at(case) or case.state_since, "j F Y")
    assert heading(signed_in(registrant)) == f"Nothing to do: expect an answer by {due}"
    assert heading(signed_in(expert)) == "Your turn"
    shown = client.get(page("detail", case.pk))
    assert shown.context["next_step"].heading == "With the designated experts"
    assert "The designated experts review the latest round." in shown.text
    Case.objects.filter(pk=case.pk).update(state_since=timezone.now() - timedelta(days=400))
    assert heading(signed_in(registrant)).startswith("Nothing to do: an answer was due by")
    Case.objects.filter(pk=case.pk).update(state_since=timezone.now())
    functions.request_changes(
        case, by=expert, round_number=1, rationale="", action_points=[("syntax", "Say more.")]
    )
    assert heading(signed_in(registrant)) == "Your turn"
    assert heading(signed_in(expert)) == "With the registrant"


def test_urls_in_texts_are_links_and_sections_have_anchors(
    registrant: User, participant: User, client: Client
) -> None:
    case = a_case_in_review(by=registrant, documentation="See https://example.org/trees/specification.")
    comments.comment(case, by=participant, round_number=1, text="Compare https://example.com/oaks")
    shown = client.get(page("detail", case.pk)).text
    for url in ("https://example.org/trees/specification", "https://example.com/oaks"):
        assert f'<a href="{url}" rel="nofollow ugc">{url}</a>' in shown
    assert 'href="#round-1-purpose" aria-label="Link to Purpose in round 1"' in shown
