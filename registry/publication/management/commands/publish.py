"""`manage.py publish`: publish the public registry as static files for any web server."""

import json
import sys
import time
from argparse import ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from registry.core.exceptions import RegistryError
from registry.core.staticfiles import collect_static_files
from registry.publication.atomic_files import NotOurDirectory
from registry.publication.snapshot.manifest import MalformedManifest
from registry.publication.snapshot.process_pool import available_cores
from registry.publication.snapshot.publisher import PublishOptions, publish
from registry.publication.snapshot.verification import SnapshotNotFound, verify

EPILOG = """\
examples:
  manage.py publish /srv/registry            update the snapshot: render the pages that changed
  manage.py publish --forms /srv/registry    also write the files of the whole registry, whatever its size
  manage.py publish --whole /srv/registry    render every page again and repair damaged files
  manage.py publish --verify /srv/registry   check every file, and the head against the audit log

The root of the web server is DIRECTORY/current, with `index index.html index.json` and `error_page 404
/404.html`. `current` is a symbolic link that is replaced when all files are written; a killed run leaves it
unchanged. Changes are found in the audit log. A change of the software or of PUBLIC_ORIGIN renders all pages;
run `collectstatic` first if assets have changed. Changes without an event, such as a new name of a person,
appear after the next run with --whole.

Above 2,000 namespaces, the files of the whole registry (registry/urn-namespaces.xml …) are not written after
each change, but by the first run after one of their missing changes is 30 minutes old. In manifest.json,
`forms` is the last event in these files and `head` the last event in the pages.

exit status: 0 published, nothing to do, or verified; 1 rejected or damaged; 2 usage error.
"""
PROGRESS_INTERVAL = 0.2  # seconds


def _jobs(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() else 0
    if number < 1:
        raise ArgumentTypeError(f"“{text}” is not a number of processes. Use 1 or more.")
    return number


class Command(BaseCommand):
    requires_system_checks = ()  # the checks would take longer than publishing a change
    help = "Publish the whole public registry as static files: pages, JSON, every form of the registry."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.epilog = EPILOG
        parser.add_argument("directory", type=Path, metavar="DIRECTORY")
        parser.add_argument(
            "--whole",
            action="store_true",
            help="render every page, also what has not changed, and mend what was damaged",
        )
        parser.add_argument(
            "--forms", action="store_true", help="write the files of the whole registry as well"
        )
        parser.add_argument(
            "--jobs",
            type=_jobs,
            default=available_cores(),
            metavar="N",
            help="up to N processes render (default: one a core)",
        )
        parser.add_argument("--verify", action="store_true", help="check a snapshot; change nothing")
        parser.add_argument("--json", action="store_true", help="one JSON object instead of sentences")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["verify"] and (options["whole"] or options["forms"]):
            raise CommandError(
                "--verify changes nothing, so it goes with neither --whole nor --forms.", returncode=2
            )
        self.begun = self.shown = time.monotonic()
        act = self._verify if options["verify"] else self._publish
        try:
            act(options)
        except MalformedManifest as damage:
            raise CommandError(
                f"{damage.title}. {damage} `manage.py publish --whole {options['directory']}` writes everything anew; "
                "until then readers see what is there."
            ) from damage
        except (SnapshotNotFound, NotOurDirectory) as misuse:
            raise CommandError(str(misuse), returncode=2) from misuse
        except OSError as fault:
            raise CommandError(f"{fault.filename}: {fault.strerror}.", returncode=2) from fault
        except RegistryError as refusal:
            raise CommandError(f"{refusal.title}. {refusal}") from refusal

    def _publish(self, options: dict[str, Any]) -> None:
        collect_static_files()
        on_page = self._progress("Rendered", "namespaces")
        publish_options = PublishOptions(options["whole"], options["forms"], options["jobs"], on_page)
        done = publish(options["directory"], publish_options)
        manifest, counts = done.manifest, done.counts
        if options["json"]:
            answer = {
                "changed": done.has_changes,
                "whole": done.is_whole,
                "namespaces": done.namespaces,
                "pages": done.pages,
                "written": counts.written,
                "same": counts.same,
                "removed": counts.removed,
                "files": manifest.files,
                "head": {"number": manifest.head.number, "digest": manifest.head.digest},
                "forms": {"number": manifest.forms.number, "digest": manifest.forms.digest},
            }
            self.stdout.write(json.dumps(answer))
        elif not done.has_changes:
            self.stdout.write(f"Nothing has changed since event {manifest.head.number}.")
        else:
            self.stdout.write(
                f"Published as of event {manifest.head.number}: {done.pages} pages rendered, {counts.written} files "
                f"written, {counts.same} the same, {counts.removed} removed; {manifest.files} in all."
            )

    def _verify(self, options: dict[str, Any]) -> None:
        found = verify(options["directory"], on_file=self._progress("Checked", "files"))
        head = found.manifest.head if found.manifest else None
        if options["json"]:
            answer = {
                "whole": not found.count,
                "files": found.files,
                "head": head and {"number": head.number, "digest": head.digest},
                "audit_log_checked": found.audit_log_checked,
                "faults": found.count,
                "first_faults": [
                    {"kind": fault.kind, "path": fault.path, "detail": fault.message}
                    for fault in found.faults
                ],
            }
            self.stdout.write(json.dumps(answer))
        else:
            for fault in found.faults:
                self.stderr.write(str(fault))
            asked = (
                ""
                if found.audit_log_checked
                else " There is no database here to ask whether the record agrees."
            )
            said = f"{found.count} faults." if found.count else "All is as it was published."
            self.stdout.write(f"{found.files} files checked. {said}{asked}")
        if found.count:
            sys.exit(1)

    def _progress(self, verb: str, what: str) -> Any:
        """Return a function that reports progress and speed if standard error is a terminal."""
        if not sys.stderr.isatty():
            return None

        def show(done: int, total: int) -> None:
            now = time.monotonic()
            if now - self.shown < PROGRESS_INTERVAL and done < total:
                return
            self.shown = now
            speed = done / max(now - self.begun, 0.001)
            ending = "\n" if done == total else ""
            sys.stderr.write(f"\r{verb} {done} of {total} {what}, {speed:.0f} per second{ending}")
            sys.stderr.flush()

        return show
