"""`manage.py write_fixtures`: update the data in `fixtures/` from public data."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from registry.core.management.base import RegistryCommand
from registry.publication.iana.fixtures import write_fixtures
from registry.publication.iana.records import MalformedFile, NothingToRead

EPILOG = """\
examples:
  manage.py write_fixtures path/to/data
                        read iana/urn-namespaces.xml, iso-3166-1.csv and uri-schemes.csv

exit status: 0 written; 1 a file is malformed; 2 a file is missing.
"""


class Command(RegistryCommand):
    help = "Update fixtures/ from public data: namespaces without personal data, country codes, URI schemes."
    epilog = EPILOG
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("source", type=Path, help="a folder with the layout of path/to/data")
        parser.add_argument(
            "--to", type=Path, default=settings.BASE_DIR / "fixtures", help="default: fixtures/"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            written = write_fixtures(options["source"], options["to"])
        except MalformedFile as fault:
            raise CommandError(str(fault)) from fault
        except (NothingToRead, FileNotFoundError) as fault:
            raise CommandError(str(fault), returncode=2) from fault
        for path in written:
            self.stdout.write(f"Wrote {path}")
