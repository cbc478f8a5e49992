"""Imports completed templates from a directory, each as a version of its namespace, marked as IANA's."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from django.db import transaction

from registry.audit_log import log
from registry.core.management.base import ProgressCallback
from registry.namespaces.actions import registration
from registry.namespaces.current_profiles import contradictions_in_text
from registry.namespaces.models import Namespace, Origin
from registry.publication.iana.importing.importer import is_managed_here
from registry.publication.iana.records import NothingToRead
from registry.publication.models import OriginalText
from registry.registration_template.exceptions import InvalidTemplate, UnreadableTemplate
from registry.registration_template.parsing.parser import ParsedTemplate, parse_exactly
from urnsyntax.nid import is_well_formed

MAX_BYTES = 4 * 1024 * 1024
SUFFIX = re.compile(r"(\.(8141|3406))?(\.txt)?")


class TemplateOutcome(StrEnum):
    """The outcome of an import for one file."""

    IMPORTED = "imported"
    UNCHANGED = "unchanged"
    UNREGISTERED = "not registered"
    OURS = "conflict"
    DIFFERENT = "differs"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class TemplateFile:
    """One file: the NID from its name, and the parsed template or the reason why parsing failed."""

    name: str
    nid: str
    digest: str
    text: str
    parsed: ParsedTemplate | None
    fault: str = ""


@dataclass(frozen=True, slots=True)
class TemplateImportResult:
    """The outcome of one file, with a message.

    `contradictions` are the names in the text that contradict the profile of the namespace, as sentences. They prevent
    nothing.
    """

    name: str
    nid: str
    outcome: TemplateOutcome
    version: int | None = None
    message: str = ""
    contradictions: tuple[str, ...] = ()

    @property
    def is_written(self) -> bool:
        return self.outcome == TemplateOutcome.IMPORTED

    @property
    def is_refused(self) -> bool:
        return self.outcome not in {TemplateOutcome.IMPORTED, TemplateOutcome.UNCHANGED}

    def to_json(self) -> dict[str, Any]:
        return {
            "file": self.name,
            "nid": self.nid,
            "outcome": str(self.outcome),
            "version": self.version,
            "message": self.message,
            "contradictions": list(self.contradictions),
        }

    def __str__(self) -> str:
        return f"{self.name}, {self.outcome}: {self.message}"


def read_templates(directory: Path) -> list[TemplateFile]:
    """Read every file named after a NID: `<nid>.8141.txt`, `<nid>.3406.txt`, `<nid>.txt` or `<nid>`."""
    if not directory.is_dir():
        raise NothingToRead(directory, "no such directory.")
    found = (path for path in directory.rglob("*") if path.is_file() and _nid_of(path))
    paths = sorted(
        path for path in found if not any(part.startswith(".") for part in path.relative_to(directory).parts)
    )
    if not paths:
        raise NothingToRead(
            directory, "the directory contains no file that is named after a NID, such as isbn.8141.txt."
        )
    return [_read(path) for path in paths]


def _nid_of(path: Path) -> str:
    """Return the NID in the name of a file, "" if there is none."""
    nid, dot, rest = path.name.partition(".")
    return nid.lower() if is_well_formed(nid) and SUFFIX.fullmatch(dot + rest) else ""


def _read(path: Path) -> TemplateFile:
    nid = _nid_of(path)
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except OSError as fault:
        return TemplateFile(path.name, nid, "", "", None, f"the file can't be read: {fault.strerror}.")
    digest = hashlib.sha256(content).hexdigest()
    try:
        text = content.decode("utf-8-sig")
        return TemplateFile(path.name, nid, digest, text, parse_exactly(text))
    except UnicodeDecodeError as fault:
        line = content[: fault.start].count(b"\n") + 1
        return TemplateFile(path.name, nid, digest, "", None, f"line {line} is not valid UTF-8.")
    except (UnreadableTemplate, InvalidTemplate) as fault:
        return TemplateFile(path.name, nid, digest, "", None, str(fault))


@transaction.atomic
def import_templates(
    files: Sequence[TemplateFile], *, on_import: ProgressCallback | None = None
) -> list[TemplateImportResult]:
    """Add each file as a version of its namespace, in version order. Existing versions never change."""
    registration.lock_assignments()
    findings = []
    for count, file in enumerate(sorted(files, key=_order), start=1):
        findings.append(_import(file))
        if on_import:
            on_import(count, len(files))
    return _with_contradictions(findings)


def _with_contradictions(results: Sequence[TemplateImportResult]) -> list[TemplateImportResult]:
    """The results; those of current versions have the contradictions to the profiles of their namespaces."""
    described = Namespace.objects.filter(
        nid__in={each.nid for each in results if not each.is_refused}, profile__isnull=False
    )
    found: dict[tuple[str, int | None], tuple[str, ...]] = {
        (each.nid, each.version): tuple(contradictions_in_text(each, profile))
        for each in described.select_related("latest", "profile")
        if (profile := each.current_profile)
    }
    return [
        each if each.is_refused else replace(each, contradictions=found.get((each.nid, each.version), ()))
        for each in results
    ]


def _version(parsed: ParsedTemplate) -> int:
    return parsed.template.version or 1


def _order(file: TemplateFile) -> tuple[str, int]:
    return file.nid, _version(file.parsed) if file.parsed else 0


def _import(file: TemplateFile) -> TemplateImportResult:
    if file.parsed is None:
        return TemplateImportResult(file.name, file.nid, TemplateOutcome.UNREADABLE, message=file.fault)
    version = _version(file.parsed)
    namespace = Namespace.objects.select_related("latest").filter(nid=file.nid).first()
    if namespace is None:
        message = f"“{file.nid}” is not registered here."
        return TemplateImportResult(file.name, file.nid, TemplateOutcome.UNREGISTERED, version, message)
    final = replace(file.parsed.template, namespace_identifier=namespace.nid, version=version)
    if known := namespace.revisions.filter(version=version).first():
        if known.template == final:
            return TemplateImportResult(file.name, file.nid, TemplateOutcome.UNCHANGED, version)
        message = f"version {version} of “{file.nid}” is registered with a different text, and versions are immutable."
        return TemplateImportResult(file.name, file.nid, TemplateOutcome.DIFFERENT, version, message)
    if is_managed_here(namespace):
        message = f"“{file.nid}” was registered or revised here; IANA's text is not applied."
        return TemplateImportResult(file.name, file.nid, TemplateOutcome.OURS, version, message)
    _write(namespace, file, file.parsed, version)
    return TemplateImportResult(file.name, file.nid, TemplateOutcome.IMPORTED, version)


def _write(namespace: Namespace, file: TemplateFile, parsed: ParsedTemplate, version: int) -> None:
    revision = registration.add_revision(namespace, parsed.template, version=version, origin=Origin.IANA)
    OriginalText.objects.create(
        revision=revision, file=file.name, form=parsed.form, digest=file.digest, text=file.text
    )
    log.append(
        "import_text",
        by=None,
        nid=namespace.nid,
        text_digest=revision.digest,
        file=file.name,
        form=parsed.form,
        version=version,
        sha256=file.digest,
    )
