"""`manage.py remind`: reminders of what is due or overdue, and the summaries of the day."""

import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from typing import Any

from django.core.management.base import BaseCommand

from registry.desk.reminders import Due, due_now, remind
from registry.desk.summaries import Morning, send_summaries, summaries

EPILOG = """\
examples:
  manage.py remind              send what is due, once; a second time nothing is
  manage.py remind --dry-run    only say what would be sent, and to whom
  manage.py remind --json       one JSON object, for a program

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
        reminders = list(due_now()) if is_dry else remind()
        mornings = list(summaries()) if is_dry else send_summaries()
        if options["json"]:
            told = {
                "sent": not is_dry,
                "reminders": [_reminder(each) for each in reminders],
                "summaries": [_summary(each) for each in mornings],
            }
            self.stdout.write(json.dumps(told))
            return
        for each in reminders:
            self.stdout.write(f"{each.case}: {each.kind.label}, to {', '.join(each.to) or 'nobody'}")
        for morning in mornings:
            self.stdout.write(f"Summary of {morning.day} to {morning.person.email}")
        done = "would be put" if is_dry else "put"
        self.stdout.write(f"{len(reminders)} reminders and {len(mornings)} summaries {done} into the outbox.")


def _reminder(due: Due) -> dict[str, Any]:
    return {"case": due.case.pk, "kind": due.kind.value, "to": due.to}


def _summary(morning: Morning) -> dict[str, Any]:
    cases = sum(len(each.lines) for each in morning.waiting)
    return {"to": morning.person.email, "day": morning.day.isoformat(), "lines": cases}
