"""Threads on the page of a case, and the pages where watching begins and ends."""

import html
import re
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from registry.accounts.models import User
from registry.cases import case_detail, comments
from registry.cases.audiences import subscribe, subscribers_of
from registry.cases.models import Case, Comment, Subscription
from registry.cases.workflow import functions
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


def test_a_reply_form_is_shown_at_its_comment(asked: Comment, case: Case) -> None:
    who = signed_in(case.registrant)
    address = page("comment", case.pk)
    form = fields_of(who.get(page("detail", case.pk), {"reply_to": asked.pk}), address)
    assert form["reply_to"] == str(asked.pk)
    assert "section" not in form
    answer = who.post(address, form | {"text": "Elms too."})
    kept = Comment.objects.latest("pk")
    assert answer.status_code == 302
    assert answer["Location"] == f"{page('detail', case.pk)}#comment-{kept.pk}"
    assert (kept.reply_to, kept.section, kept.round.number) == (asked, "purpose", 1)
    text = shown(Client(), case)
    assert "Participant on round 1, section Purpose" in text
    assert "Registrant replied to Participant on round 1, section Purpose" in text
    assert text.index("And elms?") < text.index("Elms too.")


def test_a_thread_continues_in_its_first_round(asked: Comment, case: Case) -> None:
    next_round(case)
    kept = comments.comment(case, by=case.registrant, round_number=2, text="Elms too.", reply_to=asked.pk)
    latest, first = case_detail.rounds_of(case)
    assert [said.comment for said in first.comments] == [asked, kept]
    assert latest.comments == ()
    assert latest.comments_in_earlier_threads == (kept,)
    assert "Comments on this round in earlier threads: Registrant, Purpose ." in shown(Client(), case)


@pytest.mark.exhaustive
def test_a_reply_unfolds_its_round(asked: Comment, case: Case) -> None:
    next_round(case)
    who = signed_in(case.registrant)
    assert "<details>" in who.get(page("detail", case.pk)).text
    answering = who.get(page("detail", case.pk), {"reply_to": asked.pk}).text
    assert "<details open>" in answering
    assert "<details>" not in answering
    assert "<details open>" in Client().get(page("detail", case.pk), {"rounds": "open"}).text


@pytest.mark.exhaustive
def test_deep_threads_are_indented_up_to_a_limit(
    case: Case, participant: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(case_detail, "MAX_COMMENTS", 1200)
    by = {"round": case.rounds.get(), "author": participant}
    first = Comment.objects.create(text="Turn 0.", **by)
    Comment.objects.bulk_create(
        Comment(pk=first.pk + turn, text=f"Turn {turn}.", reply_to_id=first.pk + turn - 1, **by)
        for turn in range(1, 1200)  # deeper than Python calls
    )
    (latest,) = case_detail.rounds_of(case)
    assert [said.depth for said in latest.comments] == list(range(1200))
    assert {said.indent for said in latest.comments} == {0, 1, 2, 3}
    assert "Turn 1199." in shown(Client(), case)


def test_replies_follow_their_comment_in_order(case: Case, participant: User, registrant: User) -> None:
    def say(text: str, reply_to: Comment | None = None) -> Comment:
        key = reply_to.pk if reply_to else None
        return comments.comment(case, by=participant, round_number=1, text=text, reply_to=key)

    one, two = say("1"), say("2")
    first = say("1.1", one)
    say("2.1", two)
    say("1.2", one)
    say("1.1.1", first)
    (latest,) = case_detail.rounds_of(case)
    assert [said.comment.text for said in latest.comments] == ["1", "1.1", "1.1.1", "1.2", "2", "2.1"]


def test_a_reply_to_an_unknown_comment_is_refused(case: Case) -> None:
    who = signed_in(case.registrant)
    for key in ("0", "-1", "x", "1\n", "١", "9" * 18, "9" * 40, ""):
        form = fields_of(who.get(page("detail", case.pk), {"reply_to": key}), page("comment", case.pk))
        assert form["reply_to"] == "", key
        typed = form | {"reply_to": key.strip() or "0", "text": "Elms too, I think."}
        answer = who.post(page("comment", case.pk), typed)
        assert answer.status_code == 422, key
        assert "Elms too, I think." in answer.text, key
    assert not Comment.objects.exists()


def test_the_form_refuses_a_reply_to_a_comment_of_another_case(asked: Comment, registrant: User) -> None:
    other = a_case_in_review(by=registrant, namespace_identifier="example-hedges")
    who = signed_in(registrant)
    form = fields_of(who.get(page("detail", other.pk), {"reply_to": asked.pk}), page("comment", other.pk))
    assert form["reply_to"] == ""
    answer = who.post(page("comment", other.pk), form | {"reply_to": asked.pk, "text": "Elms too."})
    assert answer.status_code == 422
    assert "no such comment" in answer.text
    assert fields_of(answer, page("comment", other.pk))["reply_to"] == ""
    assert Comment.objects.count() == 1


def test_a_rejected_reply_stays_at_its_comment(asked: Comment, case: Case) -> None:
    typed = {"round_number": "1", "reply_to": str(asked.pk), "text": " "}
    answer = signed_in(case.registrant).post(page("comment", case.pk), typed)
    assert answer.status_code == 422
    assert fields_of(answer, page("comment", case.pk))["reply_to"] == str(asked.pk)
    assert answer.text.index("And elms?") < answer.text.rindex("This field is required")


@pytest.mark.exhaustive
def test_a_comment_link_selects_the_section(case: Case) -> None:
    who = signed_in(case.registrant)
    assert 'href="?section=syntax#id_text"' in who.get(page("detail", case.pk)).text
    for section, chosen in (("syntax", "syntax"), ("sýntax", ""), ("syntax\n", "")):
        form = fields_of(who.get(page("detail", case.pk), {"section": section}), page("comment", case.pk))
        assert form["section"] == chosen


def test_the_form_of_a_comment_on_a_section_stands_below_its_text(case: Case) -> None:
    who, form = signed_in(case.registrant), f'action="{page("comment", case.pk)}"'
    text = who.get(page("detail", case.pk), {"section": "purpose"}).text
    assert text.count(form) == text.count('id="comment"') == 1
    assert text.index('id="round-1-purpose"') < text.index(form) < text.index('id="round-1-syntax"')
    assert "You are commenting on Purpose above." in text


@pytest.mark.parametrize("section", ["", "additional_information"])
def test_the_form_of_another_comment_stands_at_the_end(case: Case, section: str) -> None:
    who, form = signed_in(case.registrant), f'action="{page("comment", case.pk)}"'
    text = who.get(page("detail", case.pk), {"section": section}).text
    assert text.count(form) == text.count('id="comment"') == 1
    assert text.index("Documentation") < text.index(form)
    assert (
        fields_of(who.get(page("detail", case.pk), {"section": section}), page("comment", case.pk))["section"]
        == section
    )


def test_a_rejected_comment_stays_at_its_section(case: Case) -> None:
    typed = {"round_number": "1", "section": "purpose", "text": " "}
    answer = signed_in(case.registrant).post(page("comment", case.pk), typed)
    assert answer.status_code == 422
    assert answer.text.index("This field is required") < answer.text.index('id="round-1-syntax"')


def test_visitors_get_no_form_below_a_text(case: Case) -> None:
    text = Client().get(page("detail", case.pk), {"section": "purpose"}).text
    assert page("comment", case.pk) not in text
    assert "to comment or to reply" in text


@pytest.mark.exhaustive
def test_others_are_invited_by_mail(case: Case, expert: User) -> None:
    for text in (
        Client().get(case.get_absolute_url()).text,
        signed_in(expert).get(f"/desk/cases/{case.pk}/").text,
    ):
        (address,) = re.findall(r'href="(mailto:[^"]*)">Invite by e-mail', text)
        link = urlsplit(html.unescape(address))
        fields = dict(parse_qsl(link.query, strict_parsing=True))
        assert (link.scheme, link.path) == ("mailto", "")
        assert fields["subject"] == f"Case {case.pk} (example-trees): invitation to comment"
        assert f"{settings.PUBLIC_ORIGIN}{case.get_absolute_url()}\r\n" in fields["body"]
        assert " " not in link.query
        assert "+" not in link.query
    functions.withdraw(case, by=case.registrant)
    assert "Invite by e-mail" not in Client().get(case.get_absolute_url()).text


# Where comments are taken


def test_a_closed_case_accepts_no_comments(asked: Comment, case: Case, participant: User) -> None:
    functions.withdraw(case, by=case.registrant)
    who = signed_in(participant)
    assert "is withdrawn and closed for comments" in shown(who, case)
    assert page("comment", case.pk) not in who.get(page("detail", case.pk), {"reply_to": asked.pk}).text
    answer = who.post(page("comment", case.pk), {"round_number": "1", "text": "But the elms, I say!"})
    assert answer.status_code == 409
    assert "But the elms, I say!" in answer.text
    assert Comment.objects.count() == 1
    assert "And elms?" in shown(Client(), case)


# Watching


@pytest.mark.exhaustive
def test_a_signed_in_person_can_subscribe_and_unsubscribe(case: Case, participant: User) -> None:
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


def test_the_page_shows_when_there_are_no_subscribers(case: Case) -> None:
    signed_in(case.registrant).post(page("unsubscribe", case.pk))
    assert "No subscribers." in shown(Client(), case)


def test_the_unsubscribe_link_requires_a_post(case: Case, participant: User) -> None:
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
def test_a_stranger_must_sign_in_to_subscribe(name: str, client: Client, case: Case) -> None:
    for answer in (client.get(page(name, case.pk)), client.post(page(name, case.pk))):
        assert answer["Location"].startswith(reverse("account_login"))
    assert not Subscription.objects.exists()
    assert "Sign in to subscribe" in shown(client, case)


@pytest.mark.parametrize("name", ["subscribe", "unsubscribe"])
def test_a_draft_has_no_subscribers(name: str, registrant: User, participant: User) -> None:
    draft = a_draft(by=registrant)
    for person in (registrant, participant):
        assert signed_in(person).post(page(name, draft.pk)).status_code == 404
    assert "Subscribers" not in shown(signed_in(registrant), draft)
    assert not Subscription.objects.exists()


def test_subscribers_are_shown_without_addresses(case: Case, participant: User) -> None:
    User.objects.filter(pk=participant.pk).update(name="")
    subscribe(case, by=User.objects.get(pk=participant.pk))
    text = Client().get(page("detail", case.pk)).text
    assert participant.email not in text
    assert "participant" in text
