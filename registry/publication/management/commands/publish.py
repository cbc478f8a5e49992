"""`manage.py publish`: publish the public registry as static files for any web server."""

import json
import sys
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from registry.core.management.base import RegistryCommand, terminal_progress
from registry.core.staticfiles import collect_static_files
from registry.publication.atomic_files import NotOurDirectory
from registry.publication.snapshot.manifest import MalformedManifest, SnapshotNotFound, verify
from registry.publication.snapshot.process_pool import available_cores
from registry.publication.snapshot.publisher import PublishOptions, publish

EPILOG = """\
examples:
  manage.py publish /srv/registry              update the snapshot: render the pages that changed
  manage.py publish --exports /srv/registry    also write the exports of the whole registry, at any size
  manage.py publish --whole /srv/registry      render every page again and repair damaged files
  manage.py publish --verify /srv/registry     check every file, and the head against the audit log

The root of the web server is DIRECTORY/current, with `index index.html index.json` and `error_page 404
/404.html`. `current` is a symbolic link that is replaced when all files are written; a killed run leaves it
unchanged. Changes are found in the audit log. A change of the software or of PUBLIC_ORIGIN renders all pages;
run `collectstatic` first if assets have changed. Changes without an event, such as a new name of a person,
appear after the next run with --whole.

Above 2,000 namespaces, the exports of the whole registry (registry/urn-namespaces.xml …) are written at most every
30 minutes. In manifest.json, `exports` is the last event in the exports and `head` the last event in the pages.

exit status: 0 published, nothing to do, or verified; 1 rejected or damaged; 2 usage error.
"""


def _jobs(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() else 0
    if number < 1:
        raise ArgumentTypeError(f"“{text}” is not a number of processes. Use 1 or more.")
    return number


class Command(RegistryCommand):
    requires_system_checks = ()  # the checks would take longer than publishing a change
    help = "Publish the public registry as static files: pages, JSON and exports."
    epilog = EPILOG

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("directory", type=Path, metavar="DIRECTORY")
        parser.add_argument(
            "--whole",
            action="store_true",
            help="render every page again, and repair damaged files",
        )
        parser.add_argument(
            "--exports", action="store_true", help="also write the exports of the whole registry"
        )
        parser.add_argument(
            "--jobs",
            type=_jobs,
            default=available_cores(),
            metavar="N",
            help="the maximum number of rendering processes; default: one for each core",
        )
        parser.add_argument("--verify", action="store_true", help="verify a snapshot, without changes")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["verify"] and (options["whole"] or options["exports"]):
            raise CommandError("--verify can't be combined with --whole or --exports.", returncode=2)
        run = self._verify if options["verify"] else self._publish
        try:
            run(options)
        except MalformedManifest as damage:
            raise CommandError(
                f"{damage.title}. {damage} To write everything again, run `manage.py publish --whole "
                f"{options['directory']}`. Until then, the published files do not change."
            ) from damage
        except (SnapshotNotFound, NotOurDirectory) as misuse:
            raise CommandError(str(misuse), returncode=2) from misuse
        except OSError as fault:
            raise CommandError(f"{fault.filename}: {fault.strerror}.", returncode=2) from fault

    def _publish(self, options: dict[str, Any]) -> None:
        collect_static_files()
        on_page = terminal_progress("Rendered", "namespaces")
        publish_options = PublishOptions(options["whole"], options["exports"], options["jobs"], on_page)
        done = publish(options["directory"], publish_options)
        manifest, counts = done.manifest, done.counts
        if options["json"]:
            summary = {
                "changed": done.has_changes,
                "whole": done.is_whole,
                "namespaces": done.namespaces,
                "pages": done.pages,
                "written": counts.written,
                "same": counts.same,
                "removed": counts.removed,
                "files": manifest.files,
                "head": manifest.head.to_json(),
                "exports": manifest.exports.to_json(),
                "signed_head": manifest.signed_head,
            }
            self.stdout.write(json.dumps(summary))
        elif not done.has_changes:
            self.stdout.write(f"Nothing has changed since event {manifest.head.number}.")
        else:
            self.stdout.write(
                f"Published as of event {manifest.head.number}: {done.pages} pages rendered, {counts.written} files "
                f"written, {counts.same} unchanged, {counts.removed} removed; {manifest.files} in total."
            )

    def _verify(self, options: dict[str, Any]) -> None:
        found = verify(options["directory"], on_file=terminal_progress("Checked", "files"))
        head = found.manifest.head if found.manifest else None
        if options["json"]:
            summary = {
                "whole": not found.count,
                "files": found.files,
                "head": head and head.to_json(),
                "audit_log_checked": found.audit_log_checked,
                "faults": found.count,
                "first_faults": [
                    {"kind": fault.kind, "path": fault.path, "detail": fault.message}
                    for fault in found.faults
                ],
            }
            self.stdout.write(json.dumps(summary))
        else:
            for fault in found.faults:
                self.stderr.write(str(fault))
            outcome = f"{found.count} faults." if found.count else "The snapshot is valid."
            note = "" if found.audit_log_checked else " The audit log was not checked: there is no database."
            self.stdout.write(f"{found.files} files checked. {outcome}{note}")
        if found.count:
            sys.exit(1)
