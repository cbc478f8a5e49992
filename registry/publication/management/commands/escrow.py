"""`manage.py escrow`: write, verify or restore an escrow of the registry."""

import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from registry.core.exceptions import RegistryError
from registry.core.progress import terminal_progress
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
by mail (“Forgot your password?”). A restore is one transaction, in which the audit log is verified.

exit status: 0 done; 1 rejected, without changes; 2 usage error, such as a directory that does not exist.
"""


class Command(BaseCommand):
    help = "Write the whole registry as JSON Lines with a manifest, or restore it from such files."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.epilog = EPILOG
        parser.add_argument("directory", type=Path, metavar="DIRECTORY")
        what = parser.add_mutually_exclusive_group()
        what.add_argument(
            "--restore", action="store_true", help="restore into this database, which must be empty"
        )
        what.add_argument("--verify", action="store_true", help="verify the files, without changes")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            result = self._run(options["directory"], options)
        except (EscrowNotFound, NotOurDirectory) as misuse:
            raise CommandError(str(misuse), returncode=2) from misuse
        except OSError as fault:
            raise CommandError(f"{fault.filename}: {fault.strerror}.", returncode=2) from fault
        except RegistryError as refusal:
            raise CommandError(f"{refusal.title}. {refusal}") from refusal
        if options["json"]:
            self.stdout.write(json.dumps(result, ensure_ascii=False))
        else:
            rows, head = sum(result["tables"].values()), result["head"]
            self.stdout.write(
                f"{result['done']}: {rows} rows of {len(result['tables'])} tables, "
                f"head of the audit log {head['number']} {head['digest']}."
            )

    def _run(self, directory: Path, options: dict[str, Any]) -> dict[str, Any]:
        if options["restore"]:
            manifest = restore(directory, on_table=terminal_progress("Restored", "tables"))
            done = "Restored"
        elif options["verify"]:
            folder, manifest = find_escrow(directory)
            check_files(folder, manifest, on_table=terminal_progress("Verified", "tables"))
            done = "Verified"
        else:
            written = write_escrow(directory, on_table=terminal_progress("Written", "tables"))
            result = {"done": "Written", "folder": str(written.folder), "manifest": written.digest}
            return result | {"head": written.head.to_json(), "tables": written.rows}
        rows = {label: entry["rows"] for label, entry in manifest["tables"].items()}
        return {"done": done, "head": manifest["head"], "tables": rows}
