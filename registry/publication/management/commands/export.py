"""`manage.py export`: write the registry as files."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from registry.audit_log.models import LogPosition
from registry.core.database.connections import database_snapshot
from registry.core.management.base import RegistryCommand
from registry.publication.atomic_files import DirectoryBusy, atomic_write
from registry.publication.formats.export_formats import FORMATS, ExportFile

POSITION_FILE = "log-position.txt"
EPILOG = f"""\
formats:
{chr(10).join(f"  {each.name:11} {', '.join(file.name for file in each.files)}" for each in FORMATS.values())}

examples:
  manage.py export --format iana-xml public/                one file in IANA's format
  manage.py export --format csv --format jsonl public/      two formats from one state of the registry
  manage.py export public/                                  all formats

log-position.txt contains the number of the last event before this state. Existing files are replaced atomically. A killed run leaves them unchanged; the next run removes its remains.

exit status: 0 written; 1 the directory is not writable or is in use by another run; 2 usage error.
"""


class Command(RegistryCommand):
    help = (
        "Write the registry as files: IANA's XML and CSV, a text table, JSON Lines, profiles, NAPTR records, "
        "an HTML page."
    )
    epilog = EPILOG

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--format", action="append", choices=FORMATS, dest="formats", help="may be repeated; default: all"
        )
        parser.add_argument("directory", type=Path, metavar="DIRECTORY", help="created if it does not exist")

    def handle(self, *args: Any, **options: Any) -> None:
        directory: Path = options["directory"]
        chosen = dict.fromkeys(options["formats"] or FORMATS)
        try:
            directory.mkdir(parents=True, exist_ok=True)
            with database_snapshot():
                for name in chosen:
                    for file in FORMATS[name].files:
                        self.stdout.write(f"Wrote {self._write(file, directory)}")
                self.stdout.write(f"Wrote {self._write_position(directory)}")
        except OSError as fault:
            raise CommandError(f"{fault.filename or directory}: {fault.strerror}.") from fault
        except DirectoryBusy as refusal:
            raise CommandError(f"{refusal.title}. {refusal}") from refusal

    def _write(self, file: ExportFile, directory: Path) -> Path:
        """Write the file atomically: concurrent readers get the old or the new file."""
        path = directory / file.name
        with atomic_write(path) as stream:
            for block in file.write():
                stream.write(block)
                self._show(path, stream.tell())
        return path

    def _write_position(self, directory: Path) -> Path:
        """Write the number of the last event before this state. A copy continues with the events after it."""
        path = directory / POSITION_FILE
        with atomic_write(path) as stream:
            stream.write(b"%d\n" % LogPosition.current().number)
        return path

    def _show(self, path: Path, size: int) -> None:
        """Report progress if standard error is a terminal."""
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{path.name}: {size / 1e6:,.1f} MB\r")
            sys.stderr.flush()
