"""`manage.py make_signing_key`: make the key that signs heads of the audit log and escrows."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from registry.audit_log.signed_notes import MalformedKey, SigningKey
from registry.audit_log.signing_keys import default_name, write_key
from registry.core.management.base import RegistryCommand, check_public_origin

EPILOG = """\
examples:
  manage.py make_signing_key /etc/urn-registry/log-key   write the private key to a file, print the verifier key
  manage.py make_signing_key                             print both, for a store of secrets
  manage.py make_signing_key --name registry.example.org/audit-log-2 FILE   a key for a log that begins anew

Set LOG_SIGNING_KEY to the path of the file, which the web and worker processes must be able to read. Give the
verifier key to everyone who is to check heads and escrows; /audit-log/ shows it. The keys have the textual form
of https://c2sp.org/signed-note, and their name is the origin of the log in its heads, which it keeps. Run the command
with the environment of the web processes: the name comes from PUBLIC_ORIGIN. docs/operations.md describes how to
replace a key.

exit status: 0 made; 1 the file exists or can't be written; 2 usage error.
"""


class Command(RegistryCommand):
    requires_system_checks = ()
    help = "Make an Ed25519 key that signs heads of the audit log and escrows."
    epilog = EPILOG

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "file",
            nargs="?",
            type=Path,
            metavar="FILE",
            help="a new file for the private key; default: print it",
        )
        parser.add_argument(
            "--name",
            help="the name of the key; default: the host of PUBLIC_ORIGIN, and “/audit-log”",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path | None = options["file"]
        try:
            key = SigningKey.generate(options["name"] or _default_name())
        except MalformedKey as misuse:
            raise CommandError(str(misuse), returncode=2) from misuse
        made = {"verifier_key": str(key.verifier)}
        if path is None:
            made = {"private_key": key.to_text()} | made
        else:
            _write(key, path)
        if options["json"]:
            self.stdout.write(json.dumps(made, ensure_ascii=False))
        else:
            for name, text in made.items():
                self.stdout.write(f"{name.replace('_', ' ').capitalize()}: {text}")


def _default_name() -> str:
    check_public_origin(
        f"the audit log would be named “{default_name()}” in public, and keep that name",
        ", or give the name with --name",
    )
    return default_name()


def _write(key: SigningKey, path: Path) -> None:
    try:
        write_key(key, path)
    except FileExistsError as fault:
        raise CommandError(f"{path} exists. A key is never overwritten: choose another file.") from fault
    except OSError as fault:
        raise CommandError(f"{path}: {fault.strerror}.") from fault
