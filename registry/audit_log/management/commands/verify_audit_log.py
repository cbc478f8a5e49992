"""`manage.py verify_audit_log`: verify that the audit log and the texts that it records were not tampered with."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import CommandError

from registry.audit_log.leaves import FORMAT_2
from registry.audit_log.models import LogPosition, MalformedPosition
from registry.audit_log.signed_notes import (
    Checkpoint,
    MalformedKey,
    MalformedNote,
    UntrustedNote,
    VerifierKey,
)
from registry.audit_log.signing_keys import trusted_keys
from registry.audit_log.verification import Known, KnownEvent, KnownHead, VerificationResult, verify
from registry.core.foreign_files import NotASmallFile, read_small
from registry.core.management.base import RegistryCommand

EPILOG = """\
examples:
  manage.py verify_audit_log                   print the number of verified events, and the head
  manage.py verify_audit_log --head head.txt   also require that the log contains what this signed head commits to
  manage.py verify_audit_log --vkey registry.example.org/audit-log+1c0a… --head head.txt
                                               the same, with a verifier key that you received from the registry earlier
  manage.py verify_audit_log --since 812:5f2…  also require that event 812 still has this digest
  manage.py verify_audit_log --json            print JSON: {"valid": true, "events": 812, "head": "5f2…", "root": "Zq1…",
                                               "published_heads": 31, "signatures_checked": true, "faults": [],
                                               "erased": [], "notes": [],
                                               "formats": [{"format": 2, "first": 1, "last": 812}]}

Events of format 2 have leaves that everyone can compute from public data; those of format 1, of earlier releases, do not.

The digest of every event, the chain, every published head that is stored, and every text that an event records
(rounds, reviews, comments, revisions, profiles, imported texts) are compared. Personal data that manage.py
erase_person erased is listed with the event that says so; if it is missing without such an event, the log is invalid.
Events whose times go back by more than a minute, or lie in the future, are noted: the log is valid, but the clock was
wrong. A person who can rewrite the whole database can also compute a new chain and remove published heads: only a signed head or
a position that was kept outside of it proves that the log is still the same. Keep the heads that the registry publishes
at /audit-log/ and mails.

The keys that sign heads are the verifier key of LOG_SIGNING_KEY, and LOG_VERIFIER_KEYS. If --vkey is used, no other key is
trusted.

exit status: 0 the audit log is valid; 1 it is not, and the faults are reported; 2 usage error, such as a head with
a wrong signature, which proves nothing.
"""


class Command(RegistryCommand):
    help = "Verify every event, the chain, published heads, the texts that events record, and heads that you kept."
    epilog = EPILOG

    def add_arguments(self, parser: ArgumentParser) -> None:
        repeatable: dict[str, Any] = {"action": "append", "default": []}
        parser.add_argument(
            "--since",
            metavar="NUMBER:DIGEST",
            help="an event that was noted earlier; may be repeated",
            **repeatable,
        )
        parser.add_argument(
            "--head",
            metavar="FILE",
            type=Path,
            help="a signed head that was kept; may be repeated",
            **repeatable,
        )
        parser.add_argument(
            "--vkey",
            metavar="KEY",
            help="a verifier key to trust, instead of the settings; may be repeated",
            **repeatable,
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            keys = [VerifierKey.parse(text) for text in options["vkey"]] or trusted_keys()
            known: list[Known] = [KnownEvent(LogPosition.parse(text), "--since") for text in options["since"]]
            known += [read_head(path, keys) for path in options["head"]]
        except (MalformedPosition, MalformedKey, ImproperlyConfigured) as misuse:
            raise CommandError(str(misuse), returncode=2) from misuse
        result = verify(known, keys)
        self._report(result, as_json=options["json"])
        if not result.is_valid:
            raise SystemExit(1)

    def _report(self, result: VerificationResult, *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps(_in_json(result), ensure_ascii=False))
        elif result.is_valid:
            for line in _lines(result):
                self.stdout.write(line)
        else:
            faults = " ".join(result.faults)
            self.stderr.write(
                f"The audit log is invalid. {faults} The {result.last.position.number} events before it are valid."
                if not result.is_chain_valid
                else f"The audit log is invalid. {faults}"
            )


def read_head(path: Path, keys: Sequence[VerifierKey]) -> KnownHead:
    """Read a signed head. Line breaks that a mail program has changed are restored."""
    if not keys:
        raise CommandError(
            f"{path} can't be checked without a verifier key. Use --vkey, or set LOG_VERIFIER_KEYS.",
            returncode=2,
        )
    try:
        note = read_small(path).decode().replace("\r\n", "\n").replace("\r", "\n").strip("\n") + "\n"
        return KnownHead(Checkpoint.verified(note, keys), str(path))
    except OSError as fault:
        raise CommandError(f"The head {path} can't be read: {fault.strerror}.", returncode=2) from fault
    except UnicodeDecodeError as fault:
        raise CommandError(f"The head {path} is not a text in UTF-8.", returncode=2) from fault
    except NotASmallFile as fault:
        raise CommandError(f"The head can't be read: {fault}", returncode=2) from fault
    except (MalformedNote, UntrustedNote) as fault:
        raise CommandError(
            f"{path} proves nothing. {fault} The log was not compared with it.", returncode=2
        ) from fault


def _in_json(result: VerificationResult) -> dict[str, Any]:
    return {
        "valid": result.is_valid,
        "events": result.last.position.number,
        "head": result.last.position.digest,
        "root": result.last.root,
        "published_heads": result.published_heads,
        "signatures_checked": result.are_signatures_checked,
        "faults": result.faults,
        "erased": result.erased,
        "notes": result.notes,
        "formats": [asdict(each) for each in result.formats],
    }


def _lines(result: VerificationResult) -> Iterator[str]:
    """Yield what was verified, and what was not."""
    last, published = result.last.position, result.published_heads
    yield f"The audit log is valid: {last.number} events, head {last.digest}."
    if published:
        yield f"It contains what {published} published heads commit to."
    if published and not result.are_signatures_checked:
        yield "The signatures of these heads were not checked: there is no verifier key. Use --vkey."
    if {each.format for each in result.formats} - {FORMAT_2}:
        ranges = "; ".join(
            f"events {each.first} to {each.last}: format {each.format}" for each in result.formats
        )
        yield f"Formats of leaves: {ranges}. Others can compute the leaves of format {FORMAT_2}."
    yield from result.erased
    yield from result.notes
