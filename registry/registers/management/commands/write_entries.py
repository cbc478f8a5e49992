"""`manage.py write_entries`: write a list of entries into a register, or show what it would change."""

import json
from argparse import ArgumentParser
from itertools import islice
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from registry.core.management.base import RegistryCommand, terminal_progress
from registry.namespaces.models import Namespace
from registry.registers.actions.lists import WRITE_ENTRIES, checked_basis, write_entries
from registry.registers.lists import EntryFormat, plan_list
from registry.registers.models import Entry, Register
from registry.registers.subjects import get_register
from registry.subnamespaces.differences import MAX_SHOWN, differences
from registry.subnamespaces.importing import ListChange, ListRefused, ListUnchanged, latest_version
from registry.subnamespaces.queries import NoSuchSubNamespace, get_subnamespace

EPILOG = """\
examples:
  manage.py write_entries example-trees gardens.jsonl --basis "Ticket 17 of the holder" --dry-run
  manage.py write_entries example-trees gardens.jsonl --basis "Ticket 17 of the holder"
  manage.py write_entries example-trees gardens.csv --format csv --basis "Ticket 17 of the holder" --json
  manage.py write_entries example-trees trees.jsonl --below 12 --basis "Ticket 18 of the holder"

A line has the members label, title, reference, fields, and for what was before, status, successor and history. All but
the first two may be left out. In CSV, each field of the register has a column, and registered and updated are dates. A
label that is listed has its title, its reference and its fields changed; others are added. All lines are written in one
transaction, or none, also if the command is interrupted. A second run with the same list changes nothing. The registry
itself writes the list: no person is named in the public log, and the holder gets a mail.

exit status: 0 written, or nothing to do; 1 the list was refused, and nothing was written; 2 usage error, such as a
missing file.
"""


class Command(RegistryCommand):
    help = "Write a list of entries into a register, or show what it would change."
    epilog = EPILOG

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("nid", metavar="NID")
        parser.add_argument("path", type=Path, metavar="FILE")
        parser.add_argument(
            "--below", default="", metavar="PREFIX", help="the entry below which the register stands"
        )
        parser.add_argument(
            "--basis",
            required=True,
            metavar="TEXT",
            help="who asked for it, such as a ticket; this is public",
        )
        parser.add_argument(
            "--format", choices=EntryFormat.values, default=EntryFormat.JSON_LINES.value, help="of the file"
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="show what would change, and change nothing"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        document = _read(options["path"])
        namespace = Namespace.objects.select_related("profile").filter(nid=options["nid"].lower()).first()
        if namespace is None:
            raise CommandError(f"“{options['nid']}” is not registered.", returncode=2)
        register = get_register(namespace, _entry(namespace, options["below"]))
        try:
            found = self._run(register, document, options)
        except ListUnchanged:
            found = {"version": None, "added": 0, "changed": 0}
        except ListRefused as refusal:
            for each in refusal.failures:
                self.stderr.write(each)
            raise CommandError(f"{refusal.title}. {refusal.advice}", returncode=1) from refusal
        if options["json"]:
            self.stdout.write(json.dumps({"nid": namespace.nid, **found}, ensure_ascii=False))
        else:
            self._print(namespace.nid, found, is_dry=options["dry_run"])

    def _run(self, register: Register, document: str, options: dict[str, Any]) -> dict[str, Any]:
        given: dict[str, Any] = {
            "list_format": options["format"],
            "on_lines": terminal_progress("Checked", "lines"),
        }
        if options["dry_run"]:
            WRITE_ENTRIES.check_open(register)
            checked_basis(options["basis"])
            return _difference(plan_list(register, document, **given))
        replaces = latest_version(register.namespace)
        given |= {"document": document, "basis": options["basis"], "replaces": replaces}
        made = write_entries(register, by=None, **given)
        return {"version": made.version, "added": made.added, "changed": made.changed}

    def _print(self, nid: str, found: dict[str, Any], *, is_dry: bool) -> None:
        if not (found["added"] or found["changed"]):
            self.stdout.write(f"{nid}: unchanged. The register already has all that the list says.")
            return
        for each in found.get("first_added", ()):
            self.stdout.write(f"+ {each['prefix']}: {each['title']}")
        for each in found.get("first_changed", ()):
            for member in each["members"]:
                self.stdout.write(
                    f"~ {each['prefix']}: {member['name']}: “{member['old']}” → “{member['new']}”"
                )
        would = "would be " if is_dry else ""
        version = "" if is_dry else f"; version {found['version']} of the list of sub-namespaces"
        self.stdout.write(f"{nid}: {would}{found['added']:,} added, {found['changed']:,} changed{version}")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as fault:
        raise CommandError(f"{path} can't be read: {fault.strerror}.", returncode=2) from fault
    except UnicodeDecodeError as fault:
        raise CommandError(
            f"Octet {fault.start + 1} of {path} is not UTF-8. Save the file as UTF-8.", returncode=1
        ) from fault


def _entry(namespace: Namespace, prefix: str) -> int | None:
    """The key of the entry with a prefix; None for the register directly below the namespace. Raises CommandError."""
    if not prefix:
        return None
    try:
        found = Entry.objects.filter(subnamespace=get_subnamespace(namespace, prefix)).first()
    except NoSuchSubNamespace:
        found = None
    if found is None:
        raise CommandError(
            f"--below: “{prefix}” is no entry of a register of “{namespace.nid}”. Name one as it is listed.",
            returncode=2,
        )
    return found.pk


def _difference(change: ListChange) -> dict[str, Any]:
    """What a list would change: numbers, and the first entries."""
    return {
        "version": None,
        "added": len(change.added),
        "changed": len(change.changed),
        "first_added": [
            {"prefix": each.prefix, "title": each.title} for each in islice(change.added.values(), MAX_SHOWN)
        ],
        "first_changed": [
            {
                "prefix": entry.prefix,
                "members": [
                    {"name": name, "old": old, "new": new}
                    for name, old, new in differences(row.content, entry.to_dict())
                ],
            }
            for _, row, entry in change.changed[:MAX_SHOWN]
        ],
    }
