"""`manage.py load_sightings`: load sightings of unregistered NIDs from a file."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from registry.core.exceptions import RegistryError
from registry.core.management.base import RegistryCommand
from registry.sightings.loading import FILE, load_sightings

EPILOG = """\
examples:
  manage.py load_sightings                  the sightings that come with the registry
  manage.py load_sightings sightings.jsonl  a file: one JSON object on each line, with nid, used_by, example and source
  manage.py load_sightings --json           one JSON object for programs

A sighting is added if none with its NID and source is known, also none that was declined or removed. Nothing else is
changed, so that loading a second time changes nothing.

exit status: 0 loaded, or nothing to do; 2 the file can't be read, and nothing was changed.
"""


class Command(RegistryCommand):
    help = "Load sightings of unregistered NIDs from a file."
    epilog = EPILOG

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", nargs="?", type=Path, default=FILE, metavar="FILE")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            added = load_sightings(options["file"])
        except (OSError, RegistryError) as fault:
            raise CommandError(str(fault), returncode=2) from fault
        self.stdout.write(json.dumps({"added": added}) if options["json"] else f"{added:,} sightings added")
