"""`manage.py send_reminders`: reminders of due and overdue cases, daily summaries and digests."""

import json
from argparse import ArgumentParser
from typing import Any

from registry.accounts.daily_mail import due_digests, send_digests
from registry.core.management.base import RegistryCommand
from registry.review_desk.reminders import (
    DailySummary,
    DueReminder,
    due_reminders,
    due_summaries,
    send_reminders,
    send_summaries,
)

EPILOG = """\
examples:
  manage.py send_reminders              send all due reminders, summaries and digests, each once
  manage.py send_reminders --dry-run    list what would be sent, and the recipients
  manage.py send_reminders --json       print one JSON object

The worker (`manage.py worker`) does the same every hour.

exit status: 0, even if there was nothing to send.
"""


class Command(RegistryCommand):
    help = "Add reminders of cases, daily summaries and digests to the outbox."
    epilog = EPILOG

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only list what would be sent")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        is_dry = options["dry_run"]
        reminders = list(due_reminders()) if is_dry else send_reminders()
        due_or_sent = list(due_summaries()) if is_dry else send_summaries()
        digests = list(due_digests()) if is_dry else send_digests()
        if options["json"]:
            report = {
                "sent": not is_dry,
                "reminders": [_reminder(each) for each in reminders],
                "summaries": [_summary(each) for each in due_or_sent],
                "digests": [each.person.email for each in digests],
            }
            self.stdout.write(json.dumps(report))
            return
        for each in reminders:
            self.stdout.write(f"{each.case}: {each.kind.label}, to {', '.join(each.to) or 'no one'}")
        for summary in due_or_sent:
            self.stdout.write(f"Summary of {summary.day} to {summary.person.email}")
        for digest in digests:
            self.stdout.write(f"Digest of {digest.morning:%Y-%m-%d} to {digest.person.email}")
        done = "would be added" if is_dry else "added"
        self.stdout.write(
            f"{len(reminders)} reminders, {len(due_or_sent)} summaries and {len(digests)} digests {done} to the outbox."
        )


def _reminder(due: DueReminder) -> dict[str, Any]:
    return {"case": due.case.pk, "kind": due.kind.value, "to": due.to}


def _summary(summary: DailySummary) -> dict[str, Any]:
    cases = sum(len(each.lines) for each in summary.sections)
    return {"to": summary.person.email, "day": summary.day.isoformat(), "lines": cases}
