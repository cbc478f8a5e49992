"""`manage.py restore_check`: prove a restored database against a published head, and find the target of a restore."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import CommandError

from registry.audit_log.management.commands.verify_audit_log import read_head
from registry.audit_log.restore import TargetUnknown, faults_of_the_schema, recovery_target, surroundings
from registry.audit_log.signed_notes import MalformedKey, VerifierKey
from registry.audit_log.signing_keys import trusted_keys
from registry.audit_log.verification import verify
from registry.core.management.base import RegistryCommand

EPILOG = """\
examples:
  manage.py restore_check --head head.txt      require that the database contains what this published head commits to
  manage.py restore_check --head head.txt --vkey registry.example.org/audit-log+1c0a…
                                               the same, with a verifier key that you noted earlier
  manage.py restore_check --target 812         print the recovery_target_time that restores the state after event 812
  manage.py restore_check --head head.txt --json
                                               print JSON: {"proven": true, "events": 812, "events_of_head": 800,
                                               "faults": [], "in_recovery": false, "unsent_mails": 2}

A head is the signed text that the registry publishes at /audit-log/checkpoint.txt and mails. The command verifies
everything that manage.py verify_audit_log verifies, the migrations, and that no trigger, constraint, index or function is
missing, disabled or invalid. It writes nothing: run it while the server is still paused in recovery.

--target needs track_commit_timestamp = on in the server that wrote the event.

exit status: 0 the database is proven; 1 it is not, and the faults are reported; 2 usage error, such as a head with a wrong
signature, which proves nothing.
"""


class Command(RegistryCommand):
    help = "Prove a restored database against a published head, or print the recovery target of an event."
    epilog = EPILOG

    def add_arguments(self, parser: ArgumentParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--head", metavar="FILE", type=Path, help="a published head that was kept")
        what.add_argument(
            "--target", metavar="EVENT", type=int, help="print the recovery_target_time of this event"
        )
        parser.add_argument(
            "--vkey", metavar="KEY", help="the verifier key to trust, instead of the settings"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["target"] is not None:
            self._print_target(options["target"])
            return
        try:
            keys = [VerifierKey.parse(options["vkey"])] if options["vkey"] else trusted_keys()
        except (MalformedKey, ImproperlyConfigured) as misuse:
            raise CommandError(str(misuse), returncode=2) from misuse
        head = read_head(options["head"], keys)
        result = verify([head], keys)
        around = surroundings()
        report = {
            "proven": False,
            "events": result.last.position.number,
            "events_of_head": head.number,
            "faults": [*result.faults, *faults_of_the_schema()],
            "in_recovery": around.is_in_recovery,
            "unsent_mails": around.unsent_mails,
        }
        report["proven"] = not report["faults"]
        self._print(report, as_json=options["json"])
        if not report["proven"]:
            raise SystemExit(1)

    def _print_target(self, number: int) -> None:
        try:
            self.stdout.write(f"recovery_target_time = '{recovery_target(number).isoformat(' ')}'")
        except TargetUnknown as unknown:
            raise CommandError(str(unknown)) from unknown

    def _print(self, report: dict[str, Any], *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps(report, ensure_ascii=False))
            return
        for fault in report["faults"]:
            self.stderr.write(fault)
        if not report["proven"]:
            self.stderr.write(
                "The database is not what the head commits to. Do not start the web and worker processes."
            )
            return
        self.stdout.write(
            f"The database is proven: it contains the {report['events_of_head']} events of the head, and ends at event "
            f"{report['events']}."
        )
        if report["in_recovery"]:
            self.stdout.write(
                "The server is in recovery. SELECT pg_wal_replay_resume() ends a pause at the target."
            )
        if report["unsent_mails"]:
            self.stdout.write(
                f"{report['unsent_mails']} mails wait, and may have been sent since. A worker that starts here waits for "
                "manage.py outbox --retry, which sends them all: look at manage.py outbox before."
            )
