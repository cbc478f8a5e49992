"""Corrections: a new event next to the corrected one, which does not change."""

from urllib.parse import urlencode

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.audit_log import log
from registry.audit_log.models import Event
from registry.cases.corrections import NotCorrectable, correct
from registry.core.validators import MAX_TEXT_LENGTH
from registry.mail.models import Message
from registry.namespaces.actions import deprecation
from registry.namespaces.models import Kind, Namespace
from tests.support.browser import fill_in, signed_in
from tests.support.databases import in_sql
from tests.support.factories import a_case_in_review, a_draft, a_namespace

pytestmark = pytest.mark.django_db


def event_of(verb: str) -> Event:
    return Event.objects.get(verb=verb)


def test_a_correction_is_shown_at_the_corrected_event(
    registrant: User, expert: User, administrator: User
) -> None:
    trees = a_namespace(by=registrant, expert=expert, administrator=administrator)
    deprecation.deprecate(trees, by=administrator, statement="Use the oaks since 2025.")
    was = event_of("deprecate")
    client = signed_in(administrator)
    assert f"/desk/corrections/{was.number}/" in client.get("/desk/corrections/?of=Example-Trees").text
    fill_in(
        client,
        f"/desk/corrections/{was.number}/",
        wrong="The year 2025.",
        right="It is 2026.",
        reference="M 4",
    )
    assert event_of("deprecate").digest == was.digest
    correction = event_of("correct")
    assert correction.details == {"corrects": was.number, "wrong": "The year 2025.", "reference": "M 4"}
    text = Client().get(trees.get_absolute_url()).text
    assert "Use the oaks since 2025." in text
    assert text.count("It is 2026.") == 2
    assert "Error: The year 2025." in text
    assert len(list(log.verified())) == correction.number


def test_a_correction_in_a_case_is_public_and_notifies_participants(
    registrant: User, expert: User, administrator: User
) -> None:
    case = a_case_in_review(by=registrant)
    number = event_of("submit").number
    correct(event_of("submit"), by=administrator, wrong="The name.", right="Another name.")
    text = Client().get(case.get_absolute_url()).text
    assert f"Corrected event {number}" in text
    assert text.count("Another name.") == 2
    (mail,) = Message.objects.filter(name="correct", to=registrant.email)
    assert "Error:\n\n" in mail.body
    assert "Another name." in mail.body
    assert case.get_absolute_url() in mail.body


def test_a_correction_of_a_case_is_no_news_of_a_namespace(
    registrant: User, expert: User, administrator: User
) -> None:
    trees = a_namespace(by=registrant, expert=expert, administrator=administrator)
    correct(event_of("approve"), by=administrator, wrong="The rationale.", right="Another rationale.")
    assert "Another rationale." not in Client().get(trees.get_absolute_url()).text
    correct(event_of("assign"), by=administrator, wrong="The day.", right="Another day.")
    assert "Another day." in Client().get(trees.get_absolute_url()).text


def test_a_correction_can_be_corrected(registrant: User, administrator: User) -> None:
    a_case_in_review(by=registrant)
    correct(event_of("submit"), by=administrator, wrong="One.", right="Two.")
    first = event_of("correct")
    correct(first, by=administrator, wrong="Two.", right="Three.")
    second = Event.objects.get(number__gt=first.number, verb="correct")
    assert second.details["corrects"] == first.number


@pytest.mark.parametrize(
    "sent",
    [
        {"wrong": "", "right": "This."},
        {"wrong": "That.", "right": " \n"},
        {"wrong": "\x00", "right": "This."},
    ],
)
def test_a_correction_requires_both_texts_and_keeps_input(
    sent: dict[str, str], registrant: User, administrator: User
) -> None:
    a_case_in_review(by=registrant)
    answer = signed_in(administrator).post(f"/desk/corrections/{event_of('submit').number}/", sent)
    assert answer.status_code == 422
    assert (sent["wrong"] or sent["right"]).strip("\x00") in answer.text
    assert not Event.objects.filter(verb="correct").exists()


def test_a_correction_can_have_two_long_texts(registrant: User, administrator: User) -> None:
    a_case_in_review(by=registrant)
    text = "ä" * MAX_TEXT_LENGTH
    answer = signed_in(administrator).post(
        f"/desk/corrections/{event_of('submit').number}/",
        urlencode({"wrong": text, "right": text}),
        content_type="application/x-www-form-urlencoded",
    )
    assert answer.status_code == 302
    assert event_of("correct").reason == text


def test_events_without_public_history_cannot_be_corrected(administrator: User) -> None:
    with pytest.raises(NotCorrectable):
        correct(event_of("grant_role"), by=administrator, wrong="One.", right="Two.")
    assert (
        signed_in(administrator).get(f"/desk/corrections/{event_of('grant_role').number}/").status_code == 404
    )


def test_a_namespace_whose_identifier_is_the_number_of_a_case_is_found_with_urn_before_it(
    registrant: User, administrator: User
) -> None:
    Namespace.objects.create(nid="777", kind=Kind.FORMAL)
    deprecation.deprecate(Namespace.objects.get(nid="777"), by=administrator, statement="It is not used.")
    client = signed_in(administrator)
    for of in ("777", "urn:777", "URN:777:"):
        assert "It is not used." in client.get("/desk/corrections/", {"of": of}).text
    in_sql("SELECT setval('cases_case_id_seq', 776)")
    assert a_case_in_review(by=registrant).pk == 777
    assert "Submitted round 1" in client.get("/desk/corrections/", {"of": "777"}).text
    assert "It is not used." in client.get("/desk/corrections/", {"of": "urn:777"}).text


@pytest.mark.parametrize("of", ["", "nothing-here", "999999", "1\n", "é", "٣", "x" * 41])
def test_an_unknown_history_is_reported(of: str, registrant: User, administrator: User) -> None:
    a_draft(by=registrant)
    answer = signed_in(administrator).get("/desk/corrections/", {"of": of})
    assert answer.status_code == 200
    assert "Entries, newest first" not in answer.text


def test_the_api_shows_the_correction(registrant: User, administrator: User) -> None:
    a_case_in_review(by=registrant)
    correct(event_of("submit"), by=administrator, wrong="One.", right="Two.")
    correction = event_of("correct")
    events = Client().get("/api/v1/events/", {"since": correction.number - 1}).json()
    assert "Two." in str(events)
    assert f"'corrects': {correction.details['corrects']}" in str(events)
