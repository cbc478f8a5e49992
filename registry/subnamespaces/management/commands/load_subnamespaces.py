"""`manage.py load_subnamespaces`: load lists of sub-namespaces from files, or show what they would change."""

import json
import sys
from argparse import ArgumentParser
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from registry.core.management.base import RegistryCommand
from registry.subnamespaces.importing import ListFormat
from registry.subnamespaces.loading import BASIS, DIRECTORY, LoadOutcome, LoadResult, load_subnamespaces
from urnsyntax.profiles.subnamespaces.verifying import list_files

EPILOG = """\
examples:
  manage.py load_subnamespaces                         the lists that come with the registry
  manage.py load_subnamespaces lists/                  the files <nid>.jsonl of a directory
  manage.py load_subnamespaces --dry-run --json        what would change, for programs
  manage.py load_subnamespaces oauth-parameters.xml --nid ietf --format iana --basis "IANA, 2026-08-22"
  manage.py load_subnamespaces networks.csv --nid nbn --format csv --keep-others --basis "List of networks"

A list is compared with the stored one; only the difference is written, so that loading a second time changes nothing. A
sub-namespace that the file lacks is retired, not deleted. Without --basis, a list that was imported from
elsewhere is kept.

exit status: 0 loaded, or nothing to do; 1 a list was refused, and all others were loaded; 2 usage error, such as a missing
file.
"""


class Command(RegistryCommand):
    help = "Load lists of sub-namespaces from files, or show what they would change."
    epilog = EPILOG

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", nargs="?", type=Path, default=DIRECTORY, metavar="PATH")
        parser.add_argument("--nid", help="the namespace of a file whose name is not its NID")
        parser.add_argument(
            "--format", choices=ListFormat.values, default=ListFormat.JSON_LINES.value, help="of the file"
        )
        parser.add_argument("--keep-others", action="store_true", help="keep what the file lacks")
        parser.add_argument("--basis", default=BASIS, help="where the list comes from; this is public")
        parser.add_argument(
            "--dry-run", action="store_true", help="show what would change, and change nothing"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["path"]
        if options["nid"] and path.is_dir():
            raise CommandError("--nid needs one file.", returncode=2)
        try:
            files = [(options["nid"] or each.stem, each) for each in list_files(path)]
            results = load_subnamespaces(
                files,
                list_format=options["format"],
                retires_others=not options["keep_others"] and options["format"] != ListFormat.IANA,
                basis=options["basis"],
                dry_run=options["dry_run"],
            )
        except OSError as fault:
            raise CommandError(f"{path} can't be read: {fault.strerror}.", returncode=2) from fault
        if not results:
            raise CommandError(f"{path} contains no .jsonl file.", returncode=2)
        self._print(results, **options)
        if any(each.outcome == LoadOutcome.REFUSED for each in results):
            sys.exit(1)

    def _print(self, results: list[LoadResult], **options: Any) -> None:
        if options["json"]:
            rows = {"lists": [asdict(each) for each in results]}
            self.stdout.write(json.dumps(rows, ensure_ascii=False))
            return
        would = "would be " if options["dry_run"] else ""
        for each in results:
            if each.message:
                stream = self.stderr if each.outcome == LoadOutcome.REFUSED else self.stdout
                stream.write(f"{each.nid}: {each.outcome}. {each.message}")
            elif any(each.counts.values()):
                counts = ", ".join(f"{number:,} {what}" for what, number in each.counts.items() if number)
                self.stdout.write(f"{each.nid}: {would}{counts}")
        counted = Counter(each.outcome for each in results)
        listed = ", ".join(f"{counted[outcome]:,} {outcome}" for outcome in LoadOutcome)
        self.stdout.write(f"{len(results):,} lists: {listed}")
