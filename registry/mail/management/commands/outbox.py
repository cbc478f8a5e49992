"""`manage.py outbox`: list unsent mail, or try it again; have workers wait, or go on."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.checks import CheckMessage

from registry.core.management.base import RegistryCommand
from registry.core.processes.served_database import hold, reason_to_wait, release
from registry.mail import outbox
from registry.mail.checks import check_outbox, check_worker
from registry.mail.outbox import DeliveryStatus, UnsentMessage

EPILOG = """\
examples:
  manage.py outbox            list unsent mail with the reason and the time of the next attempt, and what is wrong
  manage.py outbox --json     print JSON
  manage.py outbox --retry    retry all unsent mail now, for example after repairing the mail server
  manage.py outbox --hold     in a copy of the database: have workers wait when they start or connect again

Mail is sent by `manage.py worker`. Failed deliveries are retried for two days and then given up;
no mail is deleted.

In a restored database, workers wait: mail, webhooks and digests may have been sent since the backup. --retry lets them go
on, and sends all that waits. They recognise a restored database by themselves, but not a copy of the files of the server.

exit status: 0 nothing is wrong, or --hold was carried out; 1 no worker runs, mail waits for too long, or some mail was given
up and needs --retry.
"""


class Command(RegistryCommand):
    help = "List unsent mail, or try to send it again now."
    epilog = EPILOG

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--retry", action="store_true", help="retry all unsent mail now")
        what.add_argument("--hold", action="store_true", help="have workers wait until --retry")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["hold"]:
            hold()
        if options["retry"]:
            self._retry(is_quiet=options["json"])
        waiting = outbox.unsent_messages()
        given_up = sum(mail.status == DeliveryStatus.GIVEN_UP for mail in waiting)
        findings = [*check_worker(), *check_outbox()]
        if options["json"]:
            self.stdout.write(json.dumps(_report(waiting, given_up, findings)))
        else:
            for mail in waiting:
                self.stdout.write(_lines(mail))
            self.stdout.write(f"{_count(len(waiting))} not sent, of which {given_up} given up.")
            for each in findings:
                self.stdout.write(f"{each.msg}\n    {each.hint}")
        if (given_up or findings) and not options["hold"]:
            raise SystemExit(1)

    def _retry(self, *, is_quiet: bool) -> None:
        again = len(outbox.retry())
        is_held = bool(reason_to_wait())
        if is_held:
            release()
        if not is_quiet:
            self.stdout.write(f"{_count(again)} will be tried again now.")
            if is_held:
                self.stdout.write("Workers go on: webhooks, digests and reminders are sent too.")


def _report(waiting: list[UnsentMessage], given_up: int, findings: list[CheckMessage]) -> dict[str, Any]:
    return {
        "unsent": len(waiting),
        "given_up": given_up,
        "findings": [each.msg for each in findings],
        "mails": [_fields(mail) for mail in waiting],
    }


def _count(number: int) -> str:
    return "1 mail" if number == 1 else f"{number} mails"


def _lines(mail: UnsentMessage) -> str:
    message = mail.message
    when = f", next attempt {mail.next_attempt_at:%Y-%m-%d %H:%M} UTC" if mail.next_attempt_at else ""
    tried = {0: "", 1: ", 1 attempt"}.get(message.attempts, f", {message.attempts} attempts")
    error = f"\n    {message.last_error}" if message.last_error else ""
    return (
        f"{message.pk}  {message.created_at:%Y-%m-%d %H:%M} UTC  {message.to}  {message.subject}\n"
        f"    {mail.status}{tried}{when}{error}"
    )


def _fields(mail: UnsentMessage) -> dict[str, Any]:
    message = mail.message
    last, following = message.last_attempt_at, mail.next_attempt_at
    return {
        "number": message.pk,
        "name": message.name,
        "to": message.to,
        "subject": message.subject,
        "event": message.event_number,
        "created_at": message.created_at.isoformat(),
        "status": mail.status,
        "attempts": message.attempts,
        "last_attempt_at": last.isoformat() if last else None,
        "last_error": message.last_error,
        "next_attempt_at": following.isoformat() if following else None,
    }
