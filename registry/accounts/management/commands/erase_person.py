"""`manage.py erase_person`: erase the personal data of a person who left."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from registry.accounts.erasure import (
    ErasedAddress,
    Erasure,
    MalformedErasureList,
    Person,
    add_to_list,
    erase_person,
    known_addresses,
    preview,
    read_list,
)
from registry.accounts.personal_data import find_person
from registry.core.management.base import RegistryCommand

AGAIN = "Erased again after a restore."
DRY_RUN = "Not recorded."
EPILOG = """\
examples:
  manage.py erase_person expert@example.org --dry-run                                       show what would be erased
  manage.py erase_person expert@example.org --reason "Request of 2026-11-01." --list FILE   show, ask, erase
  manage.py erase_person contact@example.org --name "Name in the template" --with-texts --reason "…"
  manage.py erase_person --again FILE                                                       after restoring a backup

Name, addresses, password, roles, tokens, sessions, drafts, invitations, subscriptions, offers, and mails are erased.
Open cases of the person are withdrawn, and their namespaces have no registrant until an administrator offers them to
another one. Public texts that the person wrote stay, by “erased account” and its number. Submitted and registered
templates are public records (RFC 8141, Section 6): --with-texts also erases the contact details in them.

The audit log stays valid: manage.py verify_audit_log names what was erased, and the event that says so. Texts that
still name the person are listed. --list appends a salted digest of the address to FILE: keep it with the backups, and
pass it to --again after restoring one. Connect as the owner of the tables, as for manage.py migrate.

exit status: 0 erased, or nothing is left; 1 refused, without changes; 2 usage error.
"""


class Command(RegistryCommand):
    help = "Erase the personal data of a person. The audit log stays valid, and records the erasure."
    epilog = EPILOG

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("address", metavar="ADDRESS", nargs="?", help="an e-mail address of the person")
        parser.add_argument(
            "--reason",
            default="",
            help="the reason, for the audit log, without personal data; optional with --dry-run",
        )
        parser.add_argument(
            "--name",
            action="append",
            default=[],
            help="a name to look for in texts, in addition to the account's",
        )
        parser.add_argument(
            "--with-texts",
            action="store_true",
            help="also erase contact details in submitted and registered templates",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="show what would be erased, without changes"
        )
        parser.add_argument("--no-input", action="store_true", help="do not ask for confirmation")
        parser.add_argument(
            "--list", metavar="FILE", type=Path, help="append a salted digest of the address to FILE"
        )
        parser.add_argument("--again", metavar="FILE", type=Path, help="erase everyone in a list")
        parser.add_argument("--json", action="store_true", help="print one JSON object, without asking")

    def handle(self, *args: Any, **options: Any) -> None:
        if (options["address"] is None) == (options["again"] is None):
            raise CommandError("Enter either an address or --again FILE.", returncode=2)
        try:
            results = self._again(options) if options["again"] else [self._erase(options)]
        except (OSError, UnicodeDecodeError, MalformedErasureList) as fault:
            raise CommandError(f"The list can't be used: {fault}", returncode=2) from fault
        if options["json"]:
            self.stdout.write(json.dumps({"people": results}, ensure_ascii=False))

    def _again(self, options: dict[str, Any]) -> list[dict[str, Any]]:
        entries = read_list(options["again"])
        found = [
            (address, entry)
            for address in sorted(known_addresses())
            for entry in entries
            if entry.is_of(address)
        ]
        again: dict[str, Any] = {
            "reason": options["reason"] or AGAIN,
            "no_input": True,
            "list": None,
            "name": [],
        }
        results = [
            self._erase(options | again | {"address": address, "with_texts": entry.with_texts})
            for address, entry in found
        ]
        if not options["json"]:
            self.stdout.write(f"{len(results)} of the people in the list were found.")
        return results

    def _erase(self, options: dict[str, Any]) -> dict[str, Any]:
        """Erase one person; return the report."""
        address = options["address"].strip()
        person = find_person(address, options["name"])
        reason = options["reason"] or (DRY_RUN if options["dry_run"] else "")
        how = {"by": None, "reason": reason, "with_texts": options["with_texts"]}
        erasure = preview(person, **how)
        is_done = not options["dry_run"] and bool(erasure.erased)
        if not options["json"]:
            self._show(address, erasure, will_be_done=is_done)
        if is_done:
            self._confirm(address, options)
            # The list first: a line too many does no harm.
            self._add_to_list(address, options)
            erasure = erase_person(person, **how)
            if not options["json"]:
                self.stdout.write("Erased.")
        return {"address": address, "account": _key(person), "done": is_done} | {
            "erased": erasure.erased,
            "remains": erasure.remains,
        }

    def _show(self, address: str, erasure: Erasure, *, will_be_done: bool) -> None:
        if not erasure.erased:
            self.stdout.write(f"Nothing is left of {address} to erase.")
        else:
            self.stdout.write(f"{address}: to be erased:" if will_be_done else f"{address}: would be erased:")
            self.stdout.write("\n".join(f"  {each}" for each in erasure.erased))
        if erasure.remains:
            self.stdout.write("These texts still name the person:")
            self.stdout.write("\n".join(f"  {each}" for each in erasure.remains))

    def _confirm(self, address: str, options: dict[str, Any]) -> None:
        if options["no_input"] or options["json"]:
            return
        self.stdout.write("This can't be undone. Type the address again to erase: ", ending="")
        self.stdout.flush()
        if input().strip().lower() != address.lower():
            raise CommandError("Nothing was erased: the addresses differ.")

    def _add_to_list(self, address: str, options: dict[str, Any]) -> None:
        if options["list"]:
            add_to_list(options["list"], ErasedAddress.of(address, with_texts=options["with_texts"]))


def _key(person: Person) -> int | None:
    return person.account.pk if person.account else None
