"""`manage.py verify_audit_log`: verify that the audit log and the texts that it records were not tampered with."""

import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from registry.audit_log.models import LogPosition, MalformedPosition
from registry.audit_log.verification import KnownHead, VerificationResult, verify

EPILOG = """\
examples:
  manage.py verify_audit_log                   print the number of verified events, and the head
  manage.py verify_audit_log --since 812:5f2…  also require that event 812 still has this digest
  manage.py verify_audit_log --head heads.txt  the same for every NUMBER:DIGEST in a file, one on each line
  manage.py verify_audit_log --json            print JSON: {"valid": true, "events": 812, "head": "5f2…", "faults": []}

The digest of every event, the chain, and every text that an event records (rounds, reviews, revisions, naming rules,
imported texts) are compared. A person who can rewrite the whole database can also compute a new chain: only a head that
was noted outside of it proves that the log is still the same. Note the printed head, and pass it with --since.

exit status: 0 the audit log is valid; 1 it is not, and the faults are reported; 2 usage error.
"""


class Command(BaseCommand):
    help = "Verify every event, the chain, the texts that events record, and heads that were noted earlier."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.epilog = EPILOG
        parser.add_argument(
            "--since",
            metavar="NUMBER:DIGEST",
            action="append",
            default=[],
            help="an event that was noted earlier",
        )
        parser.add_argument(
            "--head", metavar="FILE", type=Path, action="append", default=[], help="a file with such events"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            known = [KnownHead(LogPosition.parse(text), "--since") for text in options["since"]]
            known += [head for path in options["head"] for head in _read_heads(path)]
        except MalformedPosition as misuse:
            raise CommandError(str(misuse), returncode=2) from misuse
        except (OSError, UnicodeDecodeError) as fault:
            raise CommandError(f"A file of heads can't be read: {fault}.", returncode=2) from fault
        result = verify(known)
        self._report(result, as_json=options["json"])
        if not result.is_valid:
            raise SystemExit(1)

    def _report(self, result: VerificationResult, *, as_json: bool) -> None:
        if as_json:
            stated = {"valid": result.is_valid, "events": result.last.number, "head": result.last.digest}
            self.stdout.write(json.dumps(stated | {"faults": result.faults}, ensure_ascii=False))
        elif result.is_valid:
            self.stdout.write(
                f"The audit log is valid: {result.last.number} events, head {result.last.digest}."
            )
        else:
            faults = " ".join(result.faults)
            self.stderr.write(
                f"The audit log is invalid. {faults} The {result.last.number} events before it are valid."
                if not result.is_chain_valid
                else f"The audit log is invalid. {faults}"
            )


def _read_heads(path: Path) -> list[KnownHead]:
    lines = path.read_text(encoding="utf-8").split()
    if not lines:
        raise MalformedPosition(f"{path} contains no head.")
    return [KnownHead(LogPosition.parse(line), str(path)) for line in lines]
