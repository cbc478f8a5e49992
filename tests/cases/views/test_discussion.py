"""Threads on the page of a case, and the pages where watching begins and ends."""

import html
import re

import pytest
from django.test import Client
from django.urls import reverse

from registry.accounts.models import User
from registry.cases import case_detail
from registry.cases.discussion import comments
from registry.cases.models import Case, Comment, Subscription
from registry.cases.notifications.subscriptions import subscribe, subscribers_of
from registry.cases.workflow import transitions
from tests.cases.transitions.rounds import next_round
from tests.support.browser import fields_of, page, signed_in
from tests.support.factories import a_case_in_review, a_draft


@pytest.fixture
def case(registrant: User) -> Case:
    return a_case_in_review(by=registrant)


@pytest.fixture
def asked(case: Case, participant: User) -> Comment:
    return comments.comment(case, by=participant, round_number=1, section="purpose", text="And elms?")


def shown(client: Client, case: Case, **query: str) -> str:
    """The page as one reads it, without markup."""
    answer = client.get(page("detail", case.pk), query)
    assert answer.status_code == 200
    return " ".join(html.unescape(re.sub("<[^>]+>", " ", answer.text)).split())


# Threads


def test_an_answer_is_written_where_the_comment_stands(asked: Comment, case: Case) -> None:
    who = signed_in(case.registrant)
    address = page("comment", case.pk)
    form = fields_of(who.get(page("detail", case.pk), {"answered": asked.pk}), address)
    assert form["answered"] == str(asked.pk)
    assert "section" not in form
    answer = who.post(address, form | {"text": "Elms too."})
    kept = Comment.objects.latest("pk")
    assert answer.status_code == 302
    assert answer["Location"] == f"{page('detail', case.pk)}#comment-{kept.pk}"
    assert (kept.answered, kept.section, kept.round.number) == (asked, "purpose", 1)
    text = shown(Client(), case)
    assert "Participant on round 1, section Purpose" in text
    assert "Registrant replied to Participant on round 1, section Purpose" in text
    assert text.index("And elms?") < text.index("Elms too.")


def test_a_thread_goes_on_where_it_began_and_the_later_round_says_so(asked: Comment, case: Case) -> None:
    next_round(case)
    kept = comments.comment(case, by=case.registrant, round_number=2, text="Elms too.", answered=asked.pk)
    latest, first = case_detail.rounds_of(case)
    assert [said.comment for said in first.comments] == [asked, kept]
    assert latest.comments == ()
    assert latest.said_earlier == (kept,)
    assert "Comments on this round in earlier threads: Registrant, Purpose ." in shown(Client(), case)


def test_whoever_answers_in_a_folded_round_finds_it_unfolded(asked: Comment, case: Case) -> None:
    next_round(case)
    who = signed_in(case.registrant)
    assert "<details>" in who.get(page("detail", case.pk)).text
    answering = who.get(page("detail", case.pk), {"answered": asked.pk}).text
    assert "<details open>" in answering
    assert "<details>" not in answering
    assert "<details open>" in Client().get(page("detail", case.pk), {"rounds": "open"}).text


def test_threads_are_set_in_so_far_and_kept_however_deep(case: Case, participant: User) -> None:
    round_ = case.rounds.get()
    last: Comment | None = None
    for number in range(1200):  # deeper than Python calls
        last = Comment.objects.create(round=round_, author=participant, text=f"Turn {number}.", answered=last)
    (latest,) = case_detail.rounds_of(case)
    assert [said.depth for said in latest.comments] == list(range(1200))
    assert {said.indent for said in latest.comments} == {0, 1, 2, 3}
    assert "Turn 1199." in shown(Client(), case)


def test_answers_stand_under_what_they_answer_the_oldest_first(
    case: Case, participant: User, registrant: User
) -> None:
    def say(text: str, answered: Comment | None = None) -> Comment:
        key = answered.pk if answered else None
        return comments.comment(case, by=participant, round_number=1, text=text, answered=key)

    one, two = say("1"), say("2")
    first = say("1.1", one)
    say("2.1", two)
    say("1.2", one)
    say("1.1.1", first)
    (latest,) = case_detail.rounds_of(case)
    assert [said.comment.text for said in latest.comments] == ["1", "1.1", "1.1.1", "1.2", "2", "2.1"]


@pytest.mark.parametrize("key", ["0", "-1", "x", "1\n", "١", "9" * 18, "9" * 40, ""])
def test_a_comment_that_is_none_is_not_answered(key: str, case: Case) -> None:
    who = signed_in(case.registrant)
    form = fields_of(who.get(page("detail", case.pk), {"answered": key}), page("comment", case.pk))
    assert form["answered"] == ""
    typed = form | {"answered": key.strip() or "0", "text": "Elms too, I think."}
    answer = who.post(page("comment", case.pk), typed)
    assert answer.status_code == 422
    assert "Elms too, I think." in answer.text
    assert not Comment.objects.exists()


def test_a_comment_of_another_case_is_not_answered_here(asked: Comment, registrant: User) -> None:
    other = a_case_in_review(by=registrant, namespace_identifier="example-hedges")
    who = signed_in(registrant)
    form = fields_of(who.get(page("detail", other.pk), {"answered": asked.pk}), page("comment", other.pk))
    assert form["answered"] == ""
    answer = who.post(page("comment", other.pk), form | {"answered": asked.pk, "text": "Elms too."})
    assert answer.status_code == 422
    assert "no comment" in answer.text
    assert fields_of(answer, page("comment", other.pk))["answered"] == ""
    assert Comment.objects.count() == 1


def test_an_answer_that_is_refused_stays_under_its_comment(asked: Comment, case: Case) -> None:
    typed = {"round_number": "1", "answered": str(asked.pk), "text": " "}
    answer = signed_in(case.registrant).post(page("comment", case.pk), typed)
    assert answer.status_code == 422
    assert fields_of(answer, page("comment", case.pk))["answered"] == str(asked.pk)
    assert answer.text.index("And elms?") < answer.text.index("Write the comment")


def test_a_section_is_chosen_where_it_is_read(case: Case) -> None:
    who = signed_in(case.registrant)
    assert 'href="?section=syntax#id_text"' in who.get(page("detail", case.pk)).text
    for section, chosen in (("syntax", "syntax"), ("sýntax", ""), ("syntax\n", "")):
        form = fields_of(who.get(page("detail", case.pk), {"section": section}), page("comment", case.pk))
        assert form["section"] == chosen


# Where comments are taken


def test_a_closed_case_says_that_it_takes_no_comments_and_takes_none(
    asked: Comment, case: Case, participant: User
) -> None:
    transitions.withdraw(case, by=case.registrant)
    who = signed_in(participant)
    assert "is withdrawn, and takes no more comments" in shown(who, case)
    assert page("comment", case.pk) not in who.get(page("detail", case.pk), {"answered": asked.pk}).text
    answer = who.post(page("comment", case.pk), {"round_number": "1", "text": "But the elms, I say!"})
    assert answer.status_code == 409
    assert "But the elms, I say!" in answer.text
    assert Comment.objects.count() == 1
    assert "And elms?" in shown(Client(), case)


def test_a_declined_case_is_discussed_while_it_can_be_appealed(
    case: Case, participant: User, expert: User
) -> None:
    transitions.decline(case, by=expert, round_number=1, reason="Not needed.")
    typed = {"round_number": "1", "text": "It is needed."}
    assert signed_in(participant).post(page("comment", case.pk), typed).status_code == 302


# Watching


def test_anyone_signed_in_watches_and_stops_on_the_page(case: Case, participant: User) -> None:
    who = signed_in(participant)
    assert "1 subscriber: Registrant." in shown(who, case)
    assert " Subscribe " in shown(who, case)
    answer = who.post(page("subscribe", case.pk), follow=True)
    assert answer.redirect_chain == [(case.get_absolute_url(), 302)]
    assert "You are subscribed to this case." in answer.text
    assert "2 subscribers: Participant, Registrant." in shown(who, case)
    answer = who.post(page("unsubscribe", case.pk), follow=True)
    assert "You are no longer subscribed to this case." in answer.text
    assert participant not in subscribers_of(case)


def test_nobody_watches_when_the_last_one_stopped(case: Case) -> None:
    signed_in(case.registrant).post(page("unsubscribe", case.pk))
    assert "No subscribers." in shown(Client(), case)


def test_the_address_in_the_mails_changes_nothing_until_its_button_is_pressed(
    case: Case, participant: User
) -> None:
    subscribe(case, by=participant)
    who = signed_in(participant)
    address = page("unsubscribe", case.pk)
    opened = who.get(address)
    assert "You are subscribed." in opened.text
    assert participant in subscribers_of(case)
    assert who.post(address, fields_of(opened, address)).status_code == 302
    assert participant not in subscribers_of(case)
    assert "You are not subscribed." in html.unescape(who.get(address).text)


@pytest.mark.parametrize("name", ["subscribe", "unsubscribe"])
def test_a_stranger_is_asked_who_they_are_before_they_watch(name: str, client: Client, case: Case) -> None:
    for answer in (client.get(page(name, case.pk)), client.post(page(name, case.pk))):
        assert answer["Location"].startswith(reverse("account_login"))
    assert not Subscription.objects.exists()
    assert "Sign in to subscribe" in shown(client, case)


@pytest.mark.parametrize("name", ["subscribe", "unsubscribe"])
def test_a_draft_is_watched_by_nobody(name: str, registrant: User, participant: User) -> None:
    draft = a_draft(by=registrant)
    for person in (registrant, participant):
        assert signed_in(person).post(page(name, draft.pk)).status_code == 404
    assert "Subscribers" not in shown(signed_in(registrant), draft)
    assert not Subscription.objects.exists()


def test_no_address_is_given_away(case: Case, participant: User) -> None:
    User.objects.filter(pk=participant.pk).update(name="")
    subscribe(case, by=User.objects.get(pk=participant.pk))
    text = Client().get(page("detail", case.pk)).text
    assert participant.email not in text
    assert "participant" in text
