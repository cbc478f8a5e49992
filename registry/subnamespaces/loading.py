"""Loading lists of sub-namespaces from files: those of the registry in `fixtures/subnamespaces`, or others."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from django.conf import settings

from registry.core.exceptions import RegistryError
from registry.namespaces.models import Namespace
from registry.subnamespaces.importing import (
    ListFormat,
    ListUnchanged,
    import_subnamespaces,
    latest_version,
    plan_import,
)

DIRECTORY = settings.BASE_DIR / "fixtures" / "subnamespaces"
BASIS = "From the files of the registry, which state the source of each list."


class LoadOutcome(StrEnum):
    LOADED = "loaded"
    UNCHANGED = "unchanged"
    KEPT = "kept"
    NOT_REGISTERED = "not registered"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class LoadResult:
    """What was done with one list, or would be done in a dry run. `message` says why nothing was; `counts` what changed."""

    nid: str
    outcome: LoadOutcome
    message: str = ""
    counts: dict[str, int] = field(default_factory=dict)


def load_subnamespaces(
    files: Iterable[tuple[str, Path]],
    *,
    list_format: str = ListFormat.JSON_LINES,
    retires_others: bool = True,
    basis: str = BASIS,
    dry_run: bool = False,
) -> list[LoadResult]:
    """Load the lists of registered namespaces, each with its NID. Raises `OSError`.

    Without a basis, a list that was imported from elsewhere is kept. Entries of a register are no import.
    """
    return [_load(nid, path, list_format, retires_others, basis, dry_run) for nid, path in files]


def _load(
    nid: str, path: Path, list_format: str, retires_others: bool, basis: str, dry_run: bool
) -> LoadResult:
    try:
        document = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as fault:
        return LoadResult(
            nid, LoadOutcome.REFUSED, f"Octet {fault.start + 1} is not UTF-8. Save the file as UTF-8."
        )
    namespace = Namespace.objects.select_related("profile").filter(nid=nid).first()
    if namespace is None:
        return LoadResult(nid, LoadOutcome.NOT_REGISTERED, "The namespace is not registered.")
    imported = namespace.subnamespace_list_versions.imported().last()
    if imported and basis == BASIS != imported.basis:
        return LoadResult(nid, LoadOutcome.KEPT, f"Version {imported.version} was imported from elsewhere.")
    change: dict[str, Any] = {
        "document": document,
        "list_format": list_format,
        "retires_others": retires_others,
    }
    try:
        if dry_run:
            planned = plan_import(namespace, **change)
            outcome = LoadOutcome.UNCHANGED if planned.is_empty else LoadOutcome.LOADED
            return LoadResult(nid, outcome, counts=planned.counts)
        replaces = latest_version(namespace)
        made = import_subnamespaces(namespace, by=None, basis=basis, replaces=replaces, **change)
    except ListUnchanged:
        return LoadResult(nid, LoadOutcome.UNCHANGED)
    except RegistryError as refusal:
        return LoadResult(nid, LoadOutcome.REFUSED, str(refusal))
    return LoadResult(nid, LoadOutcome.LOADED, counts=made.counts)
