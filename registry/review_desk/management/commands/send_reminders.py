"""`manage.py send_reminders`: reminders of what is due or overdue, and the summaries of the day."""

import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from typing import Any

from django.core.management.base import BaseCommand

from registry.review_desk.reminders import DueReminder, due_reminders, send_reminders
from registry.review_desk.summaries import DailySummary, due_summaries, send_summaries

EPILOG = """\
examples:
  manage.py send_reminders              send what is due, once; a second time nothing is
  manage.py send_reminders --dry-run    only say what would be sent, and to whom
  manage.py send_reminders --json       one JSON object, for a program

The worker (`manage.py procrastinate worker`) does the same every hour.

exit status: 0, whether something was sent or not.
"""


class Command(BaseCommand):
    help = "Put reminders of cases and the summaries of the day into the outbox."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.epilog = EPILOG
        parser.add_argument("--dry-run", action="store_true", help="send nothing, say what would be sent")
        parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")

    def handle(self, *args: Any, **options: Any) -> None:
        is_dry = options["dry_run"]
        reminders = list(due_reminders()) if is_dry else send_reminders()
        due_or_sent = list(due_summaries()) if is_dry else send_summaries()
        if options["json"]:
            told = {
                "sent": not is_dry,
                "reminders": [_reminder(each) for each in reminders],
                "summaries": [_summary(each) for each in due_or_sent],
            }
            self.stdout.write(json.dumps(told))
            return
        for each in reminders:
            self.stdout.write(f"{each.case}: {each.kind.label}, to {', '.join(each.to) or 'nobody'}")
        for summary in due_or_sent:
            self.stdout.write(f"Summary of {summary.day} to {summary.person.email}")
        done = "would be put" if is_dry else "put"
        self.stdout.write(
            f"{len(reminders)} reminders and {len(due_or_sent)} summaries {done} into the outbox."
        )


def _reminder(due: DueReminder) -> dict[str, Any]:
    return {"case": due.case.pk, "kind": due.kind.value, "to": due.to}


def _summary(summary: DailySummary) -> dict[str, Any]:
    cases = sum(len(each.lines) for each in summary.sections)
    return {"to": summary.person.email, "day": summary.day.isoformat(), "lines": cases}
