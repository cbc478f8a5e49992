"""`manage.py escrow`: write, verify or restore an escrow of the registry."""

import json
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from registry.core.exceptions import RegistryError
from registry.publication.atomic_files import NotOurDirectory
from registry.publication.escrow.restorer import EscrowNotFound, check_files, find_escrow, restore
from registry.publication.escrow.writer import write_escrow

EPILOG = """\
examples:
  manage.py escrow /srv/escrow             write the registry as JSON Lines; `current` links to the newest
  manage.py escrow --verify /srv/escrow    check every file against the manifest
  manage.py escrow --restore /srv/escrow   restore into a database in which only `manage.py migrate` was run

An escrow is a consistent copy; the registry keeps running while it is written. It contains e-mail addresses
and drafts, but no secrets: no passwords, sessions, tokens or mails. After a restore, people set new passwords
by mail ("Forgotten your password?"). A restore is one transaction, in which the audit log is verified.

exit status: 0 done; 1 rejected, nothing was changed; 2 usage error, such as a directory that does not exist.
"""


class Command(BaseCommand):
    help = "Write the whole registry as JSON Lines with a manifest, or restore it from such files."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.epilog = EPILOG
        parser.add_argument("directory", type=Path, metavar="DIRECTORY")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--restore", action="store_true", help="into this database, which must be empty")
        what.add_argument("--verify", action="store_true", help="check the files; change nothing")
        parser.add_argument("--json", action="store_true", help="one JSON object instead of sentences")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            answer = self._done(options["directory"], options)
        except (EscrowNotFound, NotOurDirectory) as misuse:
            raise CommandError(str(misuse), returncode=2) from misuse
        except OSError as fault:
            raise CommandError(f"{fault.filename}: {fault.strerror}.", returncode=2) from fault
        except RegistryError as refusal:
            raise CommandError(f"{refusal.title}. {refusal}") from refusal
        if options["json"]:
            self.stdout.write(json.dumps(answer, ensure_ascii=False))
        else:
            rows, head = sum(answer["tables"].values()), answer["head"]
            self.stdout.write(
                f"{answer['done']}: {rows} rows of {len(answer['tables'])} tables, "
                f"head of the record {head['number']} {head['digest']}."
            )

    def _done(self, directory: Path, options: dict[str, Any]) -> dict[str, Any]:
        if not options["restore"] and not options["verify"]:
            written = write_escrow(directory, on_table=self._tell)
            answer = {"done": "Written", "folder": str(written.folder), "manifest": written.digest}
            return answer | {"head": written.head, "tables": written.rows}
        if options["restore"]:
            manifest, done = restore(directory, on_table=self._tell), "Restored"
        else:
            folder, manifest = find_escrow(directory)
            check_files(folder, manifest, on_table=self._tell)
            done = "Whole"
        rows = {label: entry["rows"] for label, entry in manifest["tables"].items()}
        return {"done": done, "head": manifest["head"], "tables": rows}

    def _tell(self, label: str, rows: int) -> None:
        """Report progress if standard error is a terminal."""
        if sys.stderr.isatty():
            sys.stderr.write(f"{label}: {rows} rows\n")
            sys.stderr.flush()
