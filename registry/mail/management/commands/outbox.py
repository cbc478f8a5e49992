"""`manage.py outbox`: list unsent mail, or try it again."""

import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from typing import Any

from django.core.management.base import BaseCommand

from registry.mail import outbox
from registry.mail.outbox import DeliveryStatus, UnsentMessage

EPILOG = """\
examples:
  manage.py outbox            list unsent mail with the reason and the time of the next attempt
  manage.py outbox --json     print JSON
  manage.py outbox --retry    retry all unsent mail now, for example after repairing the mail server

Mail is sent by `manage.py worker`. Failed deliveries are retried for two days and then given up;
no mail is deleted.

exit status: 0 no mail was given up; 1 some mail was given up and needs --retry.
"""


class Command(BaseCommand):
    help = "List unsent mail, or try to send it again now."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.epilog = EPILOG
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.add_argument("--retry", action="store_true", help="retry all unsent mail now")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["retry"]:
            again = len(outbox.retry())
            if not options["json"]:
                self.stdout.write(f"{_count(again)} will be tried again now.")
        waiting = outbox.unsent_messages()
        given_up = [mail for mail in waiting if mail.status == DeliveryStatus.GIVEN_UP]
        if options["json"]:
            listing = [_fields(mail) for mail in waiting]
            self.stdout.write(
                json.dumps({"unsent": len(waiting), "given_up": len(given_up), "mails": listing})
            )
        else:
            for mail in waiting:
                self.stdout.write(_lines(mail))
            self.stdout.write(f"{_count(len(waiting))} not sent, of which {len(given_up)} given up.")
        if given_up:
            raise SystemExit(1)


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
