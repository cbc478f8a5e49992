"""`manage.py escrow`: write, verify or restore an escrow of the registry."""

import json
import re
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import CommandError

from registry.audit_log.signed_notes import MalformedKey, VerifierKey
from registry.core.management.base import RegistryCommand, terminal_progress
from registry.publication.atomic_files import NotOurDirectory
from registry.publication.escrow.proofs import UNPROVEN, FoundEscrow, Trust, prove
from registry.publication.escrow.restorer import EscrowNotFound, check_files, find_escrow, restore
from registry.publication.escrow.writer import write_escrow

EPILOG = """\
examples:
  manage.py escrow /srv/escrow             write the registry as JSON Lines; `current` links to the newest
  manage.py escrow --verify /srv/escrow    check every file against the manifest, and the manifest's signature
  manage.py escrow --verify --digest 5f2c… /srv/escrow
                                           also require the manifest whose digest was printed when it was written
  manage.py escrow --restore --key registry.example.org/audit-log+1c0a… /srv/escrow
                                           restore what this key signed into a database in which only `manage.py
                                           migrate` was run

An escrow is a consistent copy; the registry keeps running while it is written. It contains e-mail addresses
and drafts, but no secrets: no passwords, sessions, tokens or mails. After a restore, people set new passwords
by mail (“Forgot your password?”). A restore is one transaction, in which the audit log is verified.

The manifest contains the digest of every file. With LOG_SIGNING_KEY it is signed, in manifest.note. A digest or a key that
was noted elsewhere proves that the registry wrote the escrow; without --key, the keys of LOG_SIGNING_KEY and
LOG_VERIFIER_KEYS are trusted. Without a proof, --verify says so, and --restore refuses unless --unproven is given.

exit status: 0 done; 1 rejected, without changes; 2 usage error, such as a directory that does not exist.
"""
DIGEST_PATTERN = re.compile("[0-9a-f]{64}")


def _digest(text: str) -> str:
    if not DIGEST_PATTERN.fullmatch(text):
        raise ArgumentTypeError(f"“{text[:80]}” is not a SHA-256: 64 hexadecimal digits.")
    return text


def _key(text: str) -> VerifierKey:
    try:
        return VerifierKey.parse(text)
    except MalformedKey as fault:
        raise ArgumentTypeError(str(fault)) from fault


class Command(RegistryCommand):
    help = "Write the whole registry as JSON Lines with a manifest, or restore it from such files."
    epilog = EPILOG

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("directory", type=Path, metavar="DIRECTORY")
        what = parser.add_mutually_exclusive_group()
        what.add_argument(
            "--restore", action="store_true", help="restore into this database, which must be empty"
        )
        what.add_argument("--verify", action="store_true", help="verify the files, without changes")
        parser.add_argument("--digest", type=_digest, metavar="SHA256", help="the digest of the manifest")
        parser.add_argument(
            "--key",
            type=_key,
            action="append",
            default=[],
            help="a verifier key that must have signed the manifest; may be repeated",
        )
        parser.add_argument("--unproven", action="store_true", help="restore without a proof")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        if not (options["verify"] or options["restore"]) and (options["digest"] or options["key"]):
            raise CommandError("--digest and --key need --verify or --restore.", returncode=2)
        if options["unproven"] and not options["restore"]:
            raise CommandError("--unproven needs --restore.", returncode=2)
        try:
            result = self._run(options["directory"], options)
        except (EscrowNotFound, NotOurDirectory, ImproperlyConfigured) as misuse:
            raise CommandError(str(misuse), returncode=2) from misuse
        except OSError as fault:
            raise CommandError(f"{fault.filename}: {fault.strerror}.", returncode=2) from fault
        if options["json"]:
            self.stdout.write(json.dumps(result, ensure_ascii=False))
        else:
            self._print(result)

    def _run(self, directory: Path, options: dict[str, Any]) -> dict[str, Any]:
        trust = Trust(options["digest"] or "", tuple(options["key"]), options["unproven"])
        if options["restore"]:
            return _found(
                "Restored", restore(directory, trust, on_table=terminal_progress("Restored", "tables"))
            )
        if options["verify"]:
            escrow = prove(find_escrow(directory), trust)
            check_files(escrow, on_table=terminal_progress("Verified", "tables"))
            return _found("Verified", escrow)
        written = write_escrow(directory, on_table=terminal_progress("Written", "tables"))
        result = {"done": "Written", "folder": str(written.folder), "manifest": written.digest}
        return result | {"head": written.head.to_json(), "tables": written.rows}

    def _print(self, result: dict[str, Any]) -> None:
        rows, head = sum(result["tables"].values()), result["head"]
        self.stdout.write(
            f"{result['done']}: {rows} rows of {len(result['tables'])} tables, "
            f"head of the audit log {head['number']} {head['digest']}."
        )
        self.stdout.write(f"SHA-256 of the manifest: {result['manifest']}")
        if result.get("proofs"):
            self.stdout.write(f"Proven by {' and '.join(result['proofs'])}.")
        elif "proofs" in result:
            self.stderr.write(f"{UNPROVEN} Use --digest or --key.")


def _found(done: str, escrow: FoundEscrow) -> dict[str, Any]:
    rows = {label: entry["rows"] for label, entry in escrow.manifest["tables"].items()}
    result = {"done": done, "manifest": escrow.digest, "proofs": list(escrow.proofs)}
    return result | {"head": escrow.manifest["head"], "tables": rows}
