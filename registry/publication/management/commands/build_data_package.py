"""`manage.py build_data_package`: build `urn-registry-data`, for PyPI and npm."""

import json
from argparse import ArgumentParser, ArgumentTypeError
from datetime import date
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from registry.core.management.base import RegistryCommand, check_public_origin
from registry.publication.atomic_files import DirectoryBusy, atomic_write
from registry.publication.offline.archives import packages, version_of
from registry.publication.offline.contents import LONGEST_LIST, PROOFS, read_contents

EPILOG = f"""\
examples:
  manage.py build_data_package dist/                        a wheel and an archive for npm
  manage.py build_data_package --leave-out nbn dist/        without the sub-namespaces of urn:nbn
  manage.py build_data_package --date 2026-11-30 dist/      with the version 2026.11.30

The version is the day of the last event of the audit log, unless --date states another one: a version that was published can't
be replaced. Run the command with the environment of the web processes: the packages name the registry by PUBLIC_ORIGIN.
Lists with more than {LONGEST_LIST:,} sub-namespaces are left out, and the package says so. A proof needs a published head: the
hourly job publishes one.

exit status: 0 written; 1 nothing to package, or too much; 2 usage error, PUBLIC_ORIGIN is not set, or the directory is not
writable.
"""
LABELS = {"subnamespaces": "lists of sub-namespaces", "unregistered": "reports of unregistered NIDs"}


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as fault:
        raise ArgumentTypeError(f"“{text}” is not a day. Write it as 2026-11-30.") from fault


class Command(RegistryCommand):
    help = "Build the public registry as packages for programs without a network: urn-registry-data, for PyPI and npm."
    epilog = EPILOG

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("directory", type=Path, metavar="DIRECTORY", help="created if it does not exist")
        parser.add_argument(
            "--date", type=_day, metavar="DAY", help="the day of the version; default: that of the last event"
        )
        parser.add_argument(
            "--leave-out",
            action="append",
            default=[],
            metavar="NAME",
            help="leave out the sub-namespaces of this NID, or “proofs”; may be repeated",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        directory: Path = options["directory"]
        check_public_origin(f"{settings.PUBLIC_ORIGIN} would be the address of the registry in the packages")
        contents = read_contents(options["leave_out"])
        about = contents["about"]
        version = version_of(options["date"] or date.fromisoformat(about["as_of"]))
        built = packages(contents, version)
        try:
            directory.mkdir(parents=True, exist_ok=True)
            for name, octets in built.items():
                with atomic_write(directory / name) as file:
                    file.write(octets)
        except FileExistsError as fault:
            raise CommandError(f"{directory} is a file. Name a folder.", returncode=2) from fault
        except OSError as fault:
            raise CommandError(f"{fault.filename or directory}: {fault.strerror}.", returncode=2) from fault
        except DirectoryBusy as refusal:
            raise CommandError(f"{refusal.title}. {refusal}") from refusal
        sizes = {name: len(octets) for name, octets in built.items()}
        counts = {name: len(part) for name, part in contents.items() if name != "about"}
        if options["json"]:
            summary = {"version": version, "as_of": about["as_of"], "event": about["event"], "files": sizes}
            self.stdout.write(json.dumps({**summary, "parts": counts, "left_out": about["left_out"]}))
            return
        for name, size in sizes.items():
            self.stdout.write(f"Wrote {directory / name}: {size:,} octets")
        self.stdout.write(
            f"As of {about['as_of']}, event {about['event']}: "
            + ", ".join(f"{LABELS.get(name, name)}: {count:,}" for name, count in counts.items())
        )
        for name, count in about["left_out"].items():
            what = "proofs" if name == PROOFS else f"sub-namespaces of {name}"
            self.stdout.write(f"Left out: {what} ({count:,})")
