"""Completed templates from a directory: each becomes a version of its namespace's text, marked as IANA's."""

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from django.db import transaction

from registry.appendix_a.errors import InvalidSubmission, UnreadableTemplate
from registry.appendix_a.parsing import Parsed, parse
from registry.namespaces import registering
from registry.namespaces.models import Namespace, Origin
from registry.publication.errors import NothingToRead
from registry.publication.importing import is_ours
from registry.publication.models import OriginalText
from registry.record import journal
from urnsyntax.nid import is_well_formed

MAX_BYTES = 4 * 1024 * 1024
SUFFIX = re.compile(r"(\.(8141|3406))?(\.txt)?")


class TextOutcome(StrEnum):
    """What became of one file."""

    IMPORTED = "imported"
    UNCHANGED = "unchanged"
    UNREGISTERED = "not registered"
    OURS = "conflict"
    DIFFERENT = "differs"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class TextFile:
    """One file: whose text it is by its name, and what was read in it, or why nothing was."""

    name: str
    nid: str
    digest: str
    text: str
    parsed: Parsed | None
    fault: str = ""


@dataclass(frozen=True, slots=True)
class TextFinding:
    """What became of one file, for a person to read."""

    name: str
    nid: str
    outcome: TextOutcome
    version: int | None = None
    words: str = ""

    @property
    def is_written(self) -> bool:
        return self.outcome == TextOutcome.IMPORTED

    @property
    def is_refused(self) -> bool:
        return self.outcome not in {TextOutcome.IMPORTED, TextOutcome.UNCHANGED}

    def to_json(self) -> dict[str, Any]:
        return {
            "file": self.name,
            "nid": self.nid,
            "outcome": str(self.outcome),
            "version": self.version,
            "words": self.words,
        }

    def __str__(self) -> str:
        return f"{self.name}, {self.outcome}: {self.words}"


def read_texts(directory: Path) -> list[TextFile]:
    """Read every file that is named for a NID: `<nid>.8141.txt`, `<nid>.3406.txt`, `<nid>.txt` or `<nid>`."""
    if not directory.is_dir():
        raise NothingToRead(directory, "there is no such directory.")
    found = (path for path in directory.rglob("*") if path.is_file() and _nid_of(path))
    paths = sorted(
        path for path in found if not any(part.startswith(".") for part in path.relative_to(directory).parts)
    )
    if not paths:
        raise NothingToRead(directory, "no file in this directory is named for a NID, such as isbn.8141.txt.")
    return [_read(path) for path in paths]


def _nid_of(path: Path) -> str:
    """The NID that a file is named for; "" when it is named for none."""
    nid, dot, rest = path.name.partition(".")
    return nid.lower() if is_well_formed(nid) and SUFFIX.fullmatch(dot + rest) else ""


def _read(path: Path) -> TextFile:
    nid = _nid_of(path)
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except OSError as fault:
        return TextFile(path.name, nid, "", "", None, f"it can't be read: {fault.strerror}.")
    digest = hashlib.sha256(content).hexdigest()
    try:
        text = content.decode("utf-8-sig")
        return TextFile(path.name, nid, digest, text, parse(text))
    except UnicodeDecodeError as fault:
        line = content[: fault.start].count(b"\n") + 1
        return TextFile(path.name, nid, digest, "", None, f"line {line} is not UTF-8 text.")
    except (UnreadableTemplate, InvalidSubmission) as fault:
        return TextFile(path.name, nid, digest, "", None, str(fault))


@transaction.atomic
def import_texts(
    files: Sequence[TextFile], *, on_import: Callable[[int, int], None] | None = None
) -> list[TextFinding]:
    """Make each file a version of its namespace, in the order of their versions. A version never changes."""
    registering.hold_assignments()
    findings = []
    for count, file in enumerate(sorted(files, key=_order), start=1):
        findings.append(_import(file))
        if on_import:
            on_import(count, len(files))
    return findings


def _version(parsed: Parsed) -> int:
    return parsed.submission.version or 1


def _order(file: TextFile) -> tuple[str, int]:
    return file.nid, _version(file.parsed) if file.parsed else 0


def _import(file: TextFile) -> TextFinding:
    if file.parsed is None:
        return TextFinding(file.name, file.nid, TextOutcome.UNREADABLE, words=file.fault)
    version = _version(file.parsed)
    namespace = Namespace.objects.select_related("latest").filter(nid=file.nid).first()
    if namespace is None:
        words = f"“{file.nid}” is not registered here, so its text has no place."
        return TextFinding(file.name, file.nid, TextOutcome.UNREGISTERED, version, words)
    final = replace(file.parsed.submission, namespace_identifier=namespace.nid, version=version)
    if known := namespace.revisions.filter(version=version).first():
        if known.digest == final.digest():
            return TextFinding(file.name, file.nid, TextOutcome.UNCHANGED, version)
        words = (
            f"version {version} of “{file.nid}” is registered with another text, and a version never changes."
        )
        return TextFinding(file.name, file.nid, TextOutcome.DIFFERENT, version, words)
    if is_ours(namespace):
        words = f"“{file.nid}” was registered or revised here; IANA's text is left aside."
        return TextFinding(file.name, file.nid, TextOutcome.OURS, version, words)
    _write(namespace, file, file.parsed, version)
    return TextFinding(file.name, file.nid, TextOutcome.IMPORTED, version)


def _write(namespace: Namespace, file: TextFile, parsed: Parsed, version: int) -> None:
    revision = registering.add_revision(namespace, parsed.submission, version=version, origin=Origin.IANA)
    OriginalText.objects.create(
        revision=revision, file=file.name, form=parsed.form, digest=file.digest, text=file.text
    )
    journal.append(
        "import_text",
        by=None,
        nid=namespace.nid,
        text_digest=revision.digest,
        file=file.name,
        form=parsed.form,
        version=version,
        sha256=file.digest,
    )
