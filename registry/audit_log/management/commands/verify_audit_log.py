"""`manage.py verify_audit_log`: prove that the record was not tampered with."""

import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from typing import Any

from django.core.management.base import BaseCommand

from registry.audit_log.log import verified
from registry.audit_log.models import GENESIS, BrokenAuditLog

EPILOG = """\
examples:
  manage.py verify_audit_log            say how many events hold
  manage.py verify_audit_log --json     the same for a program: {"holds": true, "events": 812, "head": "5f2…"}

exit status: 0 the record holds; 1 it does not, and the first event that does not fit is named.
"""


class Command(BaseCommand):
    help = "Recompute every event's digest and follow the chain; name the first event that does not fit."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.epilog = EPILOG
        parser.add_argument("--json", action="store_true", help="one JSON object instead of a sentence")

    def handle(self, *args: Any, **options: Any) -> None:
        events, head, fault = 0, GENESIS, ""
        try:
            for event in verified():
                events, head = event.number, event.digest
        except BrokenAuditLog as broken:
            fault = str(broken)
        if options["json"]:
            answer = {"holds": not fault, "events": events, "head": head, "fault": fault}
            self.stdout.write(json.dumps({key: value for key, value in answer.items() if value != ""}))
        elif fault:
            self.stderr.write(f"The record does not hold. {fault} The {events} events before it hold.")
        else:
            self.stdout.write(f"The record holds: {events} events, head {head}.")
        if fault:
            raise SystemExit(1)
