"""`manage.py verify_audit_log`: verify that the audit log was not tampered with."""

import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from typing import Any

from django.core.management.base import BaseCommand

from registry.audit_log.log import verified
from registry.audit_log.models import GENESIS, BrokenAuditLog

EPILOG = """\
examples:
  manage.py verify_audit_log            print the number of verified events
  manage.py verify_audit_log --json     print JSON: {"holds": true, "events": 812, "head": "5f2…"}

exit status: 0 the audit log is valid; 1 it is not, and the first invalid event is reported.
"""


class Command(BaseCommand):
    help = "Verify the digest of every event and the chain; report the first invalid event."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.epilog = EPILOG
        parser.add_argument("--json", action="store_true", help="print one JSON object")

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
            self.stderr.write(f"The audit log is invalid. {fault} The {events} events before it are valid.")
        else:
            self.stdout.write(f"The audit log is valid: {events} events, head {head}.")
        if fault:
            raise SystemExit(1)
