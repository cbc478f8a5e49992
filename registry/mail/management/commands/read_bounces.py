"""`manage.py read_bounces`: read delivery status notifications, and record the addresses at which mail came back."""

import mailbox
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from registry.mail.bounces import read_notification

MAX_LENGTH = 1_000_000
SEEN = "S"
EPILOG = """\
examples:
  manage.py read_bounces < notification          read one mail, as a mail server pipes it
  manage.py read_bounces --maildir /var/mail/registry   read the unseen mails of a Maildir, and mark them as seen

Notifications go to the address in DEFAULT_FROM_EMAIL, the sender of all mail. They count only if they return the signed
Message-ID of a mail in the outbox; all other mail is skipped. docs/operations.md describes how to connect a mail server.

exit status: 0 read; 2 no such Maildir.
"""


class Command(BaseCommand):
    help = "Read delivery status notifications (RFC 3464), and record the addresses at which mail came back."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.epilog = EPILOG
        parser.add_argument(
            "--maildir", type=Path, metavar="FOLDER", help="read this Maildir, not standard input"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path | None = options["maildir"]
        counts = [self._read(sys.stdin.buffer.read(MAX_LENGTH))] if folder is None else self._read_all(folder)
        self.stdout.write(f"{len(counts)} read, of which {sum(counts)} reported a bounce.")

    def _read_all(self, folder: Path) -> list[bool]:
        if not Path(folder, "cur").is_dir():
            raise CommandError(f"{folder} is not a Maildir: it has no folder “cur”.", returncode=2)
        results = []
        box = mailbox.Maildir(folder, create=False)
        for key, mail in box.items():
            if SEEN not in mail.get_flags():
                with box.get_file(key) as file:
                    results.append(self._read(file.read(MAX_LENGTH)))
                mail.set_subdir("cur")
                mail.add_flag(SEEN)
                box[key] = mail
        return results

    def _read(self, raw: bytes) -> bool:
        message = read_notification(raw)
        if message is not None:
            self.stdout.write(f"Mail {message.pk} to {message.to} came back.")
        return message is not None
