"""`manage.py load_profiles`: load the profiles of namespaces from files, or check them."""

import json
import sys
from argparse import ArgumentParser
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from registry.core.management.base import RegistryCommand
from registry.namespaces.profile_documents import LoadOutcome, LoadResult, load_profiles
from urnsyntax.cli.profiles import table_lines
from urnsyntax.profiles.examples import Verification, verify_directory

DIRECTORY = settings.BASE_DIR / "fixtures" / "profiles"
EPILOG = """\
examples:
  manage.py load_profiles                    the profiles that come with the registry
  manage.py load_profiles profiles/          the files <nid>.toml of a directory
  manage.py load_profiles --check            run all examples and counterexamples, and change nothing
  manage.py load_profiles --json             one JSON object for programs

A profile is set if the namespace is registered and has no profile, or one that was loaded before and differs. A profile
that a person set or removed is kept. Loading a second time changes nothing.

exit status: 0 loaded, or nothing to do; 1 an example failed or a profile was refused, and all others were loaded;
2 usage error, such as a missing directory.
"""


class Command(RegistryCommand):
    help = "Load the profiles of namespaces from TOML files, or check them."
    epilog = EPILOG

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("directory", nargs="?", type=Path, default=DIRECTORY, metavar="DIRECTORY")
        parser.add_argument("--check", action="store_true", help="only run the examples and counterexamples")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        directory: Path = options["directory"]
        if not directory.is_dir():
            raise CommandError(f"{directory} is not a directory.", returncode=2)
        files = list(verify_directory(directory))
        if not files:
            raise CommandError(f"{directory} contains no .toml file.", returncode=2)
        is_good = self._check(files, **options) if options["check"] else self._load(files, **options)
        if not is_good:
            sys.exit(1)

    def _check(self, files: list[Verification], **options: Any) -> bool:
        """Print a table of the profiles, and each failure."""
        rows = [{"nid": each.nid, **each.columns, "result": _result(each)} for each in files]
        failed = [each for each in files if each.failures]
        if options["json"]:
            failures = [{"failures": each.failures} for each in files]
            self._print_json(rows=[row | more for row, more in zip(rows, failures, strict=True)])
        else:
            self.stdout.write("\n".join(table_lines(rows)))
            for each in failed:
                for failure in each.failures:
                    self.stderr.write(f"{each.nid}: {failure}")
            self.stdout.write(f"{len(files):,} profiles, {len(failed):,} with failures")
        return not failed

    def _load(self, files: list[Verification], **options: Any) -> bool:
        """Load the profiles, and print what was not loaded."""
        results = load_profiles(files)
        if options["json"]:
            self._print_json(rows=[asdict(each) for each in results])
        else:
            for each in results:
                if each.message:
                    stream = self.stderr if each.outcome == LoadOutcome.REFUSED else self.stdout
                    stream.write(f"{each.nid}: {each.outcome}. {each.message}")
            self.stdout.write(_summary(results))
        return all(each.outcome != LoadOutcome.REFUSED for each in results)

    def _print_json(self, *, rows: list[dict[str, Any]]) -> None:
        self.stdout.write(json.dumps({"profiles": rows}, ensure_ascii=False))


def _result(file: Verification) -> str:
    return f"{len(file.failures)} failed" if file.failures else "ok"


def _summary(results: list[LoadResult]) -> str:
    counts = Counter(each.outcome for each in results)
    listed = ", ".join(f"{counts[outcome]:,} {outcome}" for outcome in LoadOutcome)
    return f"{len(results):,} profiles: {listed}"
