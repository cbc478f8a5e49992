"""“@” and the name of someone who takes part in a case: they get a mail about the comment, also if they unsubscribed."""

import pytest

from registry.accounts.models import User
from registry.cases import comments
from registry.cases.audiences import unsubscribe
from registry.cases.models import Case
from registry.cases.workflow.functions import people
from registry.mail.kinds import MENTIONS, Delivery
from registry.mail.models import HeldMail, MailPreference, Message
from tests.support.factories import a_case_in_review, a_person
from tests.support.mails import recipients_of

REGISTRANT, EXPERT = "registrant@example.org", "expert@example.org"


@pytest.fixture
def case(registrant: User, expert: User) -> Case:
    """A case in which the registrant and an expert take part; the expert no longer follows it."""
    case = a_case_in_review(by=registrant)
    comments.comment(case, by=expert, round_number=1, text="Which trees?")
    unsubscribe(case, by=expert)
    Message.objects.all().delete()
    return case


def say(case: Case, text: str, by: User) -> None:
    comments.comment(case, by=by, round_number=1, text=text)


@pytest.mark.parametrize(
    ("text", "mentioned"),
    [
        ("@Expert: elms?", {EXPERT}),
        ("What does @expert, or @REGISTRANT, say?", {EXPERT, REGISTRANT}),
        ("@Experts, someone@expert, @ Expert, Expert", set()),
        ("@Participant asks @Administrator", set()),
        ("@\uff25xpert asks", {EXPERT}),
    ],
)
def test_those_who_take_part_are_mentioned_by_their_whole_names(
    text: str, mentioned: set[str], case: Case, participant: User, administrator: User
) -> None:
    say(case, text, by=participant)
    assert recipients_of("mention") == mentioned
    assert recipients_of("comment") == {REGISTRANT} - mentioned


def test_of_two_names_the_longer_one_is_meant(case: Case, participant: User) -> None:
    longer = a_person(email="longer@example.org", name="Expert Elm")
    say(case, "I am here.", by=longer)
    Message.objects.all().delete()
    say(case, "@Expert Elm, which one?", by=participant)
    assert recipients_of("mention") == {longer.email}


def test_the_mail_says_who_mentions_one_and_where(case: Case, participant: User) -> None:
    say(case, "@Expert, see RFC 8141.", by=participant)
    mail = Message.objects.get(name="mention")
    assert "mentions you on round 1, as a whole" in mail.subject
    assert "@Expert, see RFC 8141." in mail.body


def test_a_recused_person_is_not_mentioned(case: Case, expert: User, participant: User) -> None:
    people.recuse(case, by=expert)
    say(case, "@Expert, please.", by=participant)
    assert recipients_of("mention") == set()


def test_who_turned_mentions_off_gets_the_comment_as_the_others_do(
    case: Case, registrant: User, participant: User
) -> None:
    MailPreference.objects.create(person=registrant, kind=MENTIONS.name, delivery=Delivery.OFF)
    say(case, "@Registrant, please.", by=participant)
    assert recipients_of("mention") == set()
    assert recipients_of("comment") == {REGISTRANT}


def test_mentions_are_a_kind_of_mail_that_one_can_get_once_a_day(
    case: Case, expert: User, participant: User
) -> None:
    MailPreference.objects.create(person=expert, kind=MENTIONS.name, delivery=Delivery.DAILY)
    say(case, "@Expert, please.", by=participant)
    assert recipients_of("mention") == set()
    assert HeldMail.objects.get(person=expert).name == "mention"
