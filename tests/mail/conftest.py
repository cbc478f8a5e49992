"""Fixtures: a mail server on loopback, a sample mail, and the people of a case."""

import threading
from collections.abc import Callable, Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session
from django.template import engines
from pytest_django import Settings

from registry.accounts.models import User
from tests.mail.cases import Cast

ACCEPTED = "250 Accepted"


class MailServer(Controller):
    """Stores accepted mails; the first recipients get the replies in `answers` instead."""

    def __init__(self) -> None:
        super().__init__(self, hostname="127.0.0.1", port=0)
        self.mails: list[EmailMessage] = []
        self.envelopes: list[Envelope] = []
        self.answers: list[str] = []
        self.is_busy = threading.Event()
        self.goes_on = threading.Event()
        self.goes_on.set()

    def _trigger_server(self) -> None:
        assert self.server is not None
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()

    async def handle_RCPT(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[Any]
    ) -> str:
        if self.answers:
            return self.answers.pop(0)
        envelope.rcpt_tos.append(address)
        return ACCEPTED

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        self.is_busy.set()
        await server.loop.run_in_executor(None, self.goes_on.wait, 20)
        assert isinstance(envelope.content, bytes)
        self.envelopes.append(envelope)
        self.mails.append(message_from_bytes(envelope.content, policy=policy.default))  # type: ignore[arg-type]
        return ACCEPTED


@pytest.fixture
def mail_server(settings: Settings) -> Iterator[MailServer]:
    """A mail server, configured in the settings."""
    server = MailServer()
    server.start()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
    settings.EMAIL_USE_TLS, settings.EMAIL_TIMEOUT = False, 20
    settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""
    yield server
    server.goes_on.set()
    if server.server is not None:
        server.stop()


@pytest.fixture
def words(tmp_path: Path, settings: Settings) -> Callable[[str, str], str]:
    """Enter the templates of a mail called "note", and return its name."""
    described = [dict(engine) for engine in settings.TEMPLATES]
    next(engine for engine in described if engine.get("NAME") == "emails")["DIRS"] = [tmp_path]
    settings.TEMPLATES = described

    def write(subject: str, body: str) -> str:
        engines["emails"].engine.template_loaders[0].reset()
        head = "{% load plain_text %}Subject: {% filter one_line %}" + subject + "{% endfilter %}"
        (tmp_path / "note.txt").write_text(f"{head}\n\n{body}", encoding="utf-8")
        return "note"

    return write


@pytest.fixture
def cast_of_a_case(registrant: User, expert: User, administrator: User, liaison: User) -> Cast:
    return Cast(registrant, expert, administrator, liaison)
