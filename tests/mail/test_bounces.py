"""Addresses at which mail came back: replies of a mail server, notifications, and what only looks like one."""

import io
import mailbox
import sys
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from registry.mail import delivery
from registry.mail.bounces import bounces_at, clear_bounce, read_notification, record_bounce
from registry.mail.delivery import NotDelivered
from registry.mail.models import BouncedAddress, Message
from tests.mail.conftest import MailServer
from tests.mail.test_delivery import a_message

pytestmark = pytest.mark.django_db
DIAGNOSIS = "smtp; 550 5.1.1 No such user"


def a_notification(
    returned: str, *, action: str = "failed", status: str = "5.1.1", whole: bool = True
) -> bytes:
    """As a mail server writes it (RFC 3464), with the returned mail, or its headers alone."""
    return f"""\
From: MAILER-DAEMON@example.net
To: registry@example.org
Content-Type: multipart/report; report-type=delivery-status; boundary="boundary"

--boundary

Your message could not be delivered.
--boundary
Content-Type: message/delivery-status

Reporting-MTA: dns; mail.example.net

Final-Recipient: rfc822; reader@example.org
Action: {action}
Status: {status}
Diagnostic-Code: {DIAGNOSIS}

--boundary
Content-Type: {"message/rfc822" if whole else "text/rfc822-headers"}

{returned}
--boundary--
""".encode()


def sent(**fields: Any) -> tuple[Message, str]:
    """A mail of the outbox, and as what it was sent."""
    message = a_message(**fields)
    return message, delivery.compose(message).message().as_string()


@pytest.mark.parametrize("whole", [True, False])
def test_a_notification_names_the_mail_that_came_back(whole: bool) -> None:
    message, text = sent(to="Reader@Example.org")
    assert read_notification(a_notification(text, whole=whole)) == message
    bounce = bounces_at(["reader@example.org"])["reader@example.org"]
    assert bounce.reason == DIAGNOSIS
    clear_bounce("READER@example.org")
    assert bounces_at(["reader@example.org"]) == {}


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"action": "delayed", "status": "4.4.1"}, id="it is tried again"),
        pytest.param({"action": "delivered", "status": "2.0.0"}, id="it arrived"),
        pytest.param({"status": "4.2.2"}, id="a failure that may pass"),
        pytest.param({"status": "5.7.1"}, id="a refusal of the sender"),
    ],
)
def test_other_notifications_say_nothing_about_the_address(changes: dict[str, str]) -> None:
    _, text = sent()
    assert read_notification(a_notification(text, **changes)) is None
    assert not BouncedAddress.objects.exists()


def test_a_forged_notification_counts_for_nothing(settings: Any) -> None:
    message, text = sent()
    other = a_message(to="victim@example.org")
    signed = delivery.compose(message).message()["Message-ID"]
    for forged in (
        signed.replace(f".{message.pk}@", f".{other.pk}@"),
        f"<{message.pk}@example.org>",
        f"<{'A' * 22}.{signed.partition('.')[2]}",
        "",
        "\u00e9",
    ):
        assert read_notification(a_notification(f"Message-ID: {forged}\n\nHello\n")) is None
    plain = EmailMessage()
    plain["Message-ID"] = signed
    plain.set_content(f"550 5.1.1 {signed}")
    assert read_notification(plain.as_bytes()) is None
    settings.SECRET_KEY = "another-key" * 5
    assert read_notification(a_notification(text)) is None
    assert not BouncedAddress.objects.exists()


def test_a_mail_to_a_list_whose_readers_see_its_number_does_not_count() -> None:
    _, text = sent(name="post_to_list")
    assert read_notification(a_notification(text)) is None


@pytest.mark.parametrize(
    "raw", [b"", b"\xff\x00", b"Content-Type: multipart/report\n\nx", b"Content-Type: " + b"a;" * 9]
)
def test_what_is_no_mail_is_skipped(raw: bytes) -> None:
    assert read_notification(raw) is None


def test_a_notification_of_thousands_of_parts_in_parts_is_skipped() -> None:
    parts = b"Content-Type: message/rfc822\n\n" * 5000
    assert read_notification(b"Content-Type: multipart/report; boundary=x\n\n--x\n" + parts) is None


def test_a_notification_of_an_erased_mail_is_skipped() -> None:
    message, text = sent()
    message.delete()
    assert read_notification(a_notification(text)) is None


@pytest.mark.parametrize(
    ("reply", "is_bounce"),
    [
        ("550 5.1.1 No such user", True),
        ("551 User not local", True),
        ("550 5.7.1 Relaying denied", False),
        ("451 4.7.1 Greylisted", False),
    ],
)
def test_a_refusal_of_the_address_at_sending_counts(
    mail_server: MailServer, reply: str, is_bounce: bool
) -> None:
    message = a_message(to="Reader@example.org")
    mail_server.answers = [reply] * 2
    for _ in range(2):
        with pytest.raises(NotDelivered):
            delivery.attempt(message.pk)
    assert BouncedAddress.objects.filter(address="reader@example.org").count() == is_bounce
    if is_bounce:
        assert reply in BouncedAddress.objects.get().reason


def test_the_command_reads_a_mail(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    message, text = sent()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(a_notification(text))))
    call_command("read_bounces")
    printed = capsys.readouterr().out
    assert f"Mail {message.pk} to reader@example.org came back." in printed
    assert "1 read, of which 1 reported a bounce." in printed


def test_the_command_reads_a_maildir_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    box = mailbox.Maildir(tmp_path / "bounces")
    box.add(a_notification(sent()[1]))
    box.add(b"Subject: Hello\n\nNo notification.\n")
    call_command("read_bounces", "--maildir", str(tmp_path / "bounces"))
    assert "2 read, of which 1 reported a bounce." in capsys.readouterr().out
    call_command("read_bounces", "--maildir", str(tmp_path / "bounces"))
    assert "0 read" in capsys.readouterr().out
    assert len(box) == 2
    with pytest.raises(CommandError, match="is not a Maildir"):
        call_command("read_bounces", "--maildir", str(tmp_path))


def test_the_last_reason_is_kept_in_one_line() -> None:
    record_bounce("Reader@example.org", "first")
    record_bounce("reader@example.org", "second\n" + "x" * 1000)
    (bounce,) = BouncedAddress.objects.all()
    assert bounce.reason.startswith("second x")
    assert len(bounce.reason) == 500
