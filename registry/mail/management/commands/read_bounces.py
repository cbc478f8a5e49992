"""`manage.py read_bounces`: read delivery status notifications, and record the addresses at which mail came back."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from registry.core.management.base import RegistryCommand
from registry.mail.bounces import read_notification

MAX_LENGTH = 1_000_000
# Before the flags in the name of a file, and the flag of a mail that was read.
FLAGS, SEEN = ":2,", "S"
EPILOG = """\
examples:
  manage.py read_bounces < notification          read one mail, as a mail server pipes it
  manage.py read_bounces --maildir /var/mail/registry   read the unseen mails of a Maildir, and mark them as seen

Notifications go to the address in DEFAULT_FROM_EMAIL, the sender of all mail. They count only if they return the signed
Message-ID of a mail in the outbox; all other mail is skipped. docs/operations.md describes how to connect a mail server.

exit status: 0 read; 2 no such Maildir.
"""


class Command(RegistryCommand):
    help = "Read delivery status notifications (RFC 3464), and record the addresses at which mail came back."
    epilog = EPILOG

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--maildir", type=Path, metavar="FOLDER", help="read this Maildir, not standard input"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path | None = options["maildir"]
        counts = [self._read(sys.stdin.buffer.read(MAX_LENGTH))] if folder is None else self._read_all(folder)
        self.stdout.write(f"{len(counts)} read, of which {sum(counts)} reported a bounce.")

    def _read_all(self, folder: Path) -> list[bool]:
        if not all(Path(folder, name).is_dir() for name in ("cur", "new")):
            raise CommandError(f"{folder} is not a Maildir: it has no folders “cur” and “new”.", returncode=2)
        results = []
        for path in sorted(each for name in ("new", "cur") for each in Path(folder, name).glob("[!.]*")):
            name, _, flags = path.name.partition(FLAGS)
            if SEEN not in flags:
                with path.open("rb") as file:
                    results.append(self._read(file.read(MAX_LENGTH)))
                path.rename(Path(folder, "cur", name + FLAGS + "".join(sorted(flags + SEEN))))
        return results

    def _read(self, raw: bytes) -> bool:
        message = read_notification(raw)
        if message is not None:
            self.stdout.write(f"Mail {message.pk} to {message.to} came back.")
        return message is not None
