"""`manage.py import_iana`: import IANA's registry of URN namespaces."""

import json
import re
import sys
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from registry.core.management.base import RegistryCommand, terminal_progress
from registry.publication.iana.file_reader import MAX_BYTES, MEGABYTE, NAME_PATTERN, read_versions
from registry.publication.iana.importing.importer import import_transaction, import_versions
from registry.publication.iana.importing.report import ImportOutcome, ImportReport
from registry.publication.iana.importing.template_import import (
    TemplateImportResult,
    import_templates,
    read_templates,
)
from registry.publication.iana.records import DownloadFailed, MalformedFile, NothingToRead, URLNotAllowed

EPILOG = f"""\
examples:
  manage.py import_iana urn-namespaces.xml             the registry as IANA publishes it
  manage.py import_iana urn-namespaces.xml --dry-run   what would change
  manage.py import_iana history/                       every version in a directory, oldest first: the files
                                                       {NAME_PATTERN}.xml and {NAME_PATTERN}.csv
  manage.py import_iana https://www.iana.org/assignments/urn-namespaces/urn-namespaces.xml
                                                       a URL: https, or http on this machine
  manage.py import_iana 2021-07-01.urn-namespaces-1.csv
                                                       IANA's CSV, dated by the start of its name
  manage.py import_iana urn-namespaces.xml --templates templates/
                                                       <nid>.8141.txt, <nid>.3406.txt or <nid> are imported as
                                                       versions of the namespaces

An import is one transaction. The file with the newest <updated> date wins. Entries that IANA has removed are
reported and kept. Namespaces that were assigned or revised in this registry are never changed. Templates with names
that the profile of their namespace forbids are reported and imported.

exit status: 0 imported, or nothing to do; 1 nothing was changed, because a file is malformed or a download failed,
or entries conflict with local ones and all others were imported; 2 usage error, such as a missing file.
"""


class Command(RegistryCommand):
    help = "Import IANA's registry of URN namespaces, from its XML of any year or from its CSV files."
    epilog = EPILOG

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("source", metavar="FILE|DIRECTORY|URL")
        parser.add_argument(
            "--templates", type=Path, metavar="DIRECTORY", help="completed templates as text files"
        )
        parser.add_argument(
            "--max-size",
            type=_megabytes,
            default=MAX_BYTES,
            metavar="MB",
            help=f"the maximum size of a file; default: {MAX_BYTES // MEGABYTE}",
        )
        parser.add_argument("--dry-run", action="store_true", help="report the changes without making them")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            versions = read_versions(
                options["source"],
                max_bytes=options["max_size"],
                on_read=terminal_progress("Read", "files"),
                on_bytes=terminal_progress("Read", "bytes"),
            )
            files = read_templates(options["templates"]) if options["templates"] else []
        except (NothingToRead, URLNotAllowed) as fault:
            raise CommandError(str(fault), returncode=2) from fault
        except (MalformedFile, DownloadFailed) as fault:
            raise CommandError(f"{fault} Nothing was changed.") from fault
        with import_transaction(is_dry=options["dry_run"]):
            reports = import_versions(
                versions,
                on_import=terminal_progress("Imported", "files"),
                on_entries=terminal_progress("Compared", "namespaces"),
            )
            texts = import_templates(files, on_import=terminal_progress("Read", "templates"))
        if options["json"]:
            self._print_json(reports, texts, is_dry=options["dry_run"])
        else:
            self._print(reports, texts, is_dry=options["dry_run"])
        if any(report.count(ImportOutcome.CONFLICT) for report in reports) or any(
            text.is_refused for text in texts
        ):
            sys.exit(1)

    def _print_json(
        self, reports: list[ImportReport], texts: list[TemplateImportResult], *, is_dry: bool
    ) -> None:
        """Print the reports in pieces, in order."""
        summary = {
            "dry_run": is_dry,
            "changed": any(report.has_changes for report in reports)
            or any(text.is_written for text in texts),
            "templates": [text.to_json() for text in texts],
        }
        self.stdout.write(json.dumps(summary, ensure_ascii=False)[:-1] + ', "files": [', ending="")
        for count, report in enumerate(reports):
            self.stdout.write(",\n" if count else "\n", ending="")
            for piece in report.to_json():
                self.stdout.write(piece, ending="")
        self.stdout.write("]}")

    def _print(self, reports: list[ImportReport], texts: list[TemplateImportResult], *, is_dry: bool) -> None:
        for report in reports:
            self.stdout.write(str(report))
            for finding in report.findings:
                if finding.outcome == ImportOutcome.CONFLICT:
                    self.stderr.write(f"  {finding}")
                elif finding.outcome != ImportOutcome.ADDED:
                    self.stdout.write(f"  {finding}")
        for text in texts:
            if text.is_refused:
                self.stderr.write(f"  {text}")
            for contradiction in text.contradictions:
                self.stderr.write(f"  {text.name} contradicts the profile of “{text.nid}”: {contradiction}")
        if texts:
            written = sum(text.is_written for text in texts)
            contradicting = sum(bool(text.contradictions) for text in texts)
            more = f", {contradicting} contradicting a profile" if contradicting else ""
            self.stdout.write(f"{len(texts)} templates: {written} imported{more}.")
        if is_dry:
            self.stdout.write("Nothing was changed: this was a dry run.")


def _megabytes(text: str) -> int:
    """Convert a whole number of megabytes to bytes."""
    if not re.fullmatch("[1-9][0-9]{0,6}", text):
        raise ArgumentTypeError(f"{text!r} is not a number of megabytes, such as 512.")
    return int(text) * MEGABYTE
