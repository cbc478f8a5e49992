"""The outbox: mail is written atomically with the change that it reports."""

from collections.abc import Callable
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from django.db import IntegrityError, transaction
from django.template import TemplateDoesNotExist
from django.utils import timezone
from procrastinate.contrib.django import app
from procrastinate.contrib.django.models import ProcrastinateJob
from procrastinate.testing import InMemoryConnector

from registry.accounts.models import User
from registry.mail import outbox
from registry.mail.models import SUBJECT_LENGTH, HeldMail, Message

pytestmark = pytest.mark.django_db
Words = Callable[[str, str], str]


def jobs() -> list[tuple[str, dict[str, int], str]]:
    return list(ProcrastinateJob.objects.order_by("pk").values_list("task_name", "args", "status"))


def test_times_are_in_utc_whatever_the_zone_of_the_person_who_acts(words: Words) -> None:
    note = words("Hello", '{{ at|date:"Y-m-d H:i" }} UTC')
    with timezone.override("Asia/Tokyo"):
        (written,) = outbox.post(
            note, to=["a@example.org"], context={"at": datetime(2026, 3, 2, 23, tzinfo=UTC)}
        )
    assert written.body == "2026-03-02 23:00 UTC\n"


class Rollback(Exception):
    """An error after the mail was written."""


def test_post_rendered_writes_a_message_and_a_job() -> None:
    subject = "Confirm\nyour\x00 address" + "s" * SUBJECT_LENGTH
    written = outbox.post_rendered("note", to="a@example.org", subject=subject, body="\nFollow the link.\n\n")
    assert list(Message.objects.all()) == [written]
    assert written.subject.startswith("Confirm your address")
    assert len(written.subject) == SUBJECT_LENGTH
    assert (written.name, written.to, written.body) == ("note", "a@example.org", "Follow the link.\n")
    assert jobs() == [("registry.mail.deliver", {"message_id": written.pk}, "todo")]


def test_each_recipient_gets_a_message_and_a_job(words: Words) -> None:
    note = words("Hello {{ who }}\n", "Dear {{ who }},\nall is well.\n")
    written = outbox.post(note, to=["a@example.org", "b@example.org"], context={"who": "you"}, event_number=7)
    stored = list(Message.objects.all())
    assert stored == written
    assert [message.to for message in stored] == ["a@example.org", "b@example.org"]
    for message in stored:
        assert (message.name, message.subject, message.body) == (
            "note",
            "Hello you",
            "Dear you,\nall is well.\n",
        )
        assert (message.event_number, message.attempts, message.last_error) == (7, 0, "")
        assert message.sent_at is None
        assert message.last_attempt_at is None
    assert jobs() == [("registry.mail.deliver", {"message_id": message.pk}, "todo") for message in stored]


def test_a_mail_about_their_own_case_has_a_text_of_its_own(words: Words) -> None:
    note = words("s", "{% if is_yours %}Yours{% else %}Theirs{% endif %}\n")
    outbox.post(
        note, to=["a@example.org", "b@example.org"], context={}, own={"a@example.org", "c@example.org"}
    )
    assert set(Message.objects.values_list("to", "body")) == {
        ("a@example.org", "Yours\n"),
        ("b@example.org", "Theirs\n"),
    }


def test_a_recipient_who_is_named_twice_gets_one_message(words: Words) -> None:
    outbox.post(words("s", "b"), to=["a@example.org", "a@example.org"], context={})
    assert Message.objects.count() == 1
    assert len(jobs()) == 1


def test_no_recipients_means_no_mail(words: Words) -> None:
    assert outbox.post(words("s", "b"), to=[], context={}) == []
    assert not Message.objects.exists()
    assert jobs() == []


def test_silence_writes_no_mail_for_now_or_for_a_digest(words: Words, registrant: User) -> None:
    note = words("s", "b")
    with outbox.silence():
        assert outbox.post(note, to=["a@example.org"], context={}) == []
        outbox.hold(note, [registrant.pk], {})
    assert not HeldMail.objects.exists()
    assert jobs() == []
    outbox.hold(note, [registrant.pk], {})
    (written,) = outbox.post(note, to=["a@example.org"], context={})
    assert (Message.objects.get(), HeldMail.objects.get().person) == (written, registrant)


def test_a_transaction_that_is_rolled_back_leaves_neither_message_nor_job(words: Words) -> None:
    def write_then_fail() -> None:
        with transaction.atomic():
            outbox.post(words("s", "b"), to=["a@example.org"], context={})
            assert Message.objects.exists()
            assert jobs()
            raise Rollback

    with pytest.raises(Rollback):
        write_then_fail()
    assert not Message.objects.exists()
    assert jobs() == []


def test_a_job_that_writes_mail_does_so_in_its_own_transaction(words: Words) -> None:
    # In the worker the queue is reached by connections of its own, which know nothing of ours.
    with app.replace_connector(InMemoryConnector()):
        outbox.post(words("s", "b"), to=["a@example.org"], context={})
    assert len(jobs()) == 1


def test_a_mail_without_a_template_is_refused_before_anything_is_written(words: Words) -> None:
    words("s", "b")
    with pytest.raises(TemplateDoesNotExist):
        outbox.post("no_such_mail", to=["a@example.org"], context={})
    assert not Message.objects.exists()


@pytest.mark.parametrize(
    "name",
    [
        "Eve\nBcc: victim@example.org",
        "Eve\r\nBcc: victim@example.org",
        "Eve\rBcc: victim@example.org",
        "Eve\u2028Bcc: victim@example.org",
        "Eve\x85Bcc: victim@example.org",
        "Eve\x0bBcc: victim@example.org",
        "Eve\x1b\tBcc: victim@example.org\n",
    ],
)
def test_a_newline_in_a_name_starts_no_header(words: Words, name: str) -> None:
    note = words("{{ name }} wrote\n", "b")
    (message,) = outbox.post(note, to=["a@example.org"], context={"name": name})
    assert message.subject == "Eve Bcc: victim@example.org wrote"


def test_a_subject_of_several_lines_becomes_one(words: Words) -> None:
    (message,) = outbox.post(words("\n one\n  two \n\n", "b"), to=["a@example.org"], context={})
    assert message.subject == "one two"


@pytest.mark.parametrize("letter", ["x", "é", "語"])
def test_a_subject_without_end_is_cut(words: Words, letter: str) -> None:
    note = words("{{ name }}", "b")
    (fits,) = outbox.post(note, to=["a@example.org"], context={"name": letter * SUBJECT_LENGTH})
    assert fits.subject == letter * SUBJECT_LENGTH
    (cut,) = outbox.post(note, to=["a@example.org"], context={"name": letter * (SUBJECT_LENGTH + 1)})
    assert cut.subject == letter * (SUBJECT_LENGTH - 1) + "…"


def test_plain_text_is_not_escaped(words: Words) -> None:
    note = words("{{ text }}", "{{ text }}")
    (message,) = outbox.post(note, to=["a@example.org"], context={"text": "Q&A <it's> “fine”"})
    assert message.subject == "Q&A <it's> “fine”"
    assert message.body == "Q&A <it's> “fine”\n"


def test_mails_of_one_case_are_one_thread(words: Words) -> None:
    note = words("s", "b")
    (of_case,) = outbox.post(note, to=["a@example.org"], context={"case": SimpleNamespace(pk=12)})
    (of_nothing,) = outbox.post(note, to=["a@example.org"], context={})
    assert (of_case.thread, of_nothing.thread) == ("case-12", "")


@pytest.mark.parametrize(
    ("fault", "constraint"),
    [
        ({"to": ""}, "recipient_is_one_line"),
        ({"to": "a@example.org\n"}, "recipient_is_one_line"),
        ({"to": "a@example.org\r\nBcc: b@example.org"}, "recipient_is_one_line"),
        ({"subject": ""}, "subject_is_one_line"),
        ({"subject": "Hello\n"}, "subject_is_one_line"),
        ({"subject": "Hello\rBcc: b@example.org"}, "subject_is_one_line"),
        ({"sent_at": "2026-11-21T00:00:00Z"}, "sent_mail_was_attempted"),
    ],
)
def test_the_database_refuses_what_can_not_be(fault: dict[str, str], constraint: str) -> None:
    sound = {"name": "note", "to": "a@example.org", "subject": "Hello", "body": "b"}
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        Message.objects.create(**sound | fault)
    Message.objects.create(**sound)
