"""Delivery attempts to a real mail server, and the recorded results."""

import threading
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import Any

import pytest
from pytest_django import Settings

from registry.mail import delivery, outbox
from registry.mail.delivery import NotDelivered
from registry.mail.models import Message
from tests.mail.conftest import MailServer
from tests.support.databases import at_once, refusals

Words = Callable[[str, str], str]


def a_message(**fields: Any) -> Message:
    usual = {"name": "note", "to": "reader@example.org", "subject": "Hello", "body": "All is well.\n"}
    return Message.objects.create(**usual | fields)


@pytest.mark.django_db
def test_a_mail_arrives_whole(mail_server: MailServer, settings: Settings) -> None:
    settings.DEFAULT_FROM_EMAIL = "Registry of URN namespaces <registry@example.net>"
    message = a_message(
        subject="Zoë asks: 語?", body="Grüße\n.\n\nFrom here on: <a&b> 語\n", thread="case-12"
    )
    delivery.attempt(message.pk)
    (mail,) = mail_server.mails
    assert mail["Subject"] == "Zoë asks: 語?"
    assert mail["From"] == "Registry of URN namespaces <registry@example.net>"
    assert mail["To"] == "reader@example.org"
    assert mail["Auto-Submitted"] == "auto-generated"
    assert parsedate_to_datetime(mail["Date"]) == message.created_at.replace(microsecond=0)
    assert mail["Message-ID"].endswith(f".{message.pk}@example.net>")
    assert mail["References"] == mail["In-Reply-To"] == "<case-12@example.net>"
    assert mail.get_content().replace("\r\n", "\n") == "Grüße\n.\n\nFrom here on: <a&b> 語\n"
    assert mail_server.envelopes[0].mail_from == "registry@example.net"
    assert mail_server.envelopes[0].rcpt_tos == ["reader@example.org"]
    message.refresh_from_db()
    assert message.attempts == 1
    assert message.sent_at is not None
    assert message.last_error == ""


@pytest.mark.django_db
def test_a_mail_without_a_thread_is_not_a_reply(mail_server: MailServer) -> None:
    delivery.attempt(a_message().pk)
    assert mail_server.mails[0]["References"] is None
    assert mail_server.mails[0]["In-Reply-To"] is None


@pytest.mark.django_db
@pytest.mark.parametrize(
    "subject",
    [
        pytest.param("x" * 250, id="one word"),
        pytest.param("é" * 250, id="one word, encoded"),
        pytest.param("word " * 49 + "words", id="many words"),
    ],
)
def test_a_long_subject_and_long_lines_arrive_whole(mail_server: MailServer, subject: str) -> None:
    body = "y" * 5000 + " é\n"
    delivery.attempt(a_message(subject=subject, body=body).pk)
    (mail,) = mail_server.mails
    assert mail["Subject"].strip() == subject  # a header that starts with a fold starts with its space
    assert mail.get_content().replace("\r\n", "\n") == body
    content = mail_server.envelopes[0].content
    assert isinstance(content, bytes)
    assert max(len(line) for line in content.splitlines()) <= 998  # RFC 5322, Section 2.1.1


@pytest.mark.django_db
def test_what_was_sent_is_not_sent_again(mail_server: MailServer) -> None:
    message = a_message()
    delivery.attempt(message.pk)
    delivery.attempt(message.pk)
    assert len(mail_server.mails) == 1
    message.refresh_from_db()
    assert message.attempts == 1


@pytest.mark.django_db
def test_a_refusal_is_recorded_and_the_next_attempt_sends_the_same_mail(mail_server: MailServer) -> None:
    message = a_message()
    mail_server.answers = ["451 4.7.1 Greylisted, try again later"]
    with pytest.raises(NotDelivered, match=f"Mail {message.pk}, attempt 1: SMTPRecipientsRefused 451$"):
        delivery.attempt(message.pk)
    message.refresh_from_db()
    assert message.attempts == 1
    assert message.sent_at is None
    assert message.last_attempt_at is not None
    assert message.last_error == "The mail server answered 451 4.7.1 Greylisted, try again later"
    composed = delivery.compose(message).message()
    delivery.attempt(message.pk)
    message.refresh_from_db()
    assert message.attempts == 2
    assert message.sent_at is not None
    assert "Greylisted" in message.last_error
    (mail,) = mail_server.mails
    assert (mail["Message-ID"], mail["Date"]) == (composed["Message-ID"], composed["Date"])


@pytest.mark.django_db
def test_the_log_does_not_name_a_refused_recipient(
    mail_server: MailServer, caplog: pytest.LogCaptureFixture
) -> None:
    message = a_message()
    mail_server.answers = ["550 5.1.1 <reader@example.org>: no such user"]
    with pytest.raises(NotDelivered) as failed:
        delivery.attempt(message.pk)
    assert caplog.messages == [f"Mail {message.pk}, attempt 1: SMTPRecipientsRefused 550"]
    assert "reader" not in str(failed.value)  # the worker logs it with its traceback
    assert failed.value.__context__ is None
    message.refresh_from_db()
    assert "reader@example.org" in message.last_error


@pytest.mark.django_db
def test_a_mail_server_that_is_down_is_recorded(mail_server: MailServer) -> None:
    message = a_message()
    mail_server.stop()
    with pytest.raises(NotDelivered):
        delivery.attempt(message.pk)
    message.refresh_from_db()
    assert message.attempts == 1
    assert message.sent_at is None
    assert message.last_error.startswith("ConnectionRefusedError")


@pytest.mark.django_db
def test_a_server_that_does_not_let_us_in_is_recorded(mail_server: MailServer, settings: Settings) -> None:
    settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = "someone", "wrong"
    message = a_message()
    with pytest.raises(NotDelivered):
        delivery.attempt(message.pk)
    message.refresh_from_db()
    assert "AUTH" in message.last_error


@pytest.mark.django_db
def test_a_header_that_can_not_be_written_is_recorded(mail_server: MailServer, settings: Settings) -> None:
    settings.DEFAULT_FROM_EMAIL = "registry@example.org\nBcc: victim@example.org"
    message = a_message()
    with pytest.raises(NotDelivered):
        delivery.attempt(message.pk)
    message.refresh_from_db()
    assert message.last_error.startswith("ValueError: ")
    assert "\n" not in message.last_error
    assert mail_server.mails == []


@pytest.mark.django_db
def test_a_missing_mail_is_not_an_error() -> None:
    delivery.attempt(4711)


def test_two_workers_with_the_same_mail_send_it_once(
    real_database: None, mail_server: MailServer, words: Words
) -> None:
    (message,) = outbox.post(words("s", "b"), to=["reader@example.org"], context={})
    mail_server.goes_on.clear()  # so that the second comes while the first is being served
    threading.Timer(0.5, mail_server.goes_on.set).start()
    answers = at_once([lambda: delivery.attempt(message.pk)] * 2)
    assert refusals(answers) == []
    assert len(mail_server.mails) == 1
    assert Message.objects.get().attempts == 1
