"""What the packages contain: namespaces, profiles, sub-namespaces, unregistered NIDs, the newest head of the log, and proofs.

Only what the pages of the registry show is read. Addresses of mail and other contacts are left out, because a package that is
installed can't be changed.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import Any

from django.conf import settings

from registry.audit_log.models import Event, LogPosition, SignedHead
from registry.audit_log.proofs import ProofUnknown, Tree, event_of_text, steps_to
from registry.core.database.connections import database_snapshot
from registry.core.exceptions import RegistryError
from registry.namespaces.models import Namespace
from registry.publication.formats.json_files import current_profiles, exported_namespaces
from registry.resolution.models import ConfirmedHost
from registry.sightings.models import Sighting
from registry.subnamespaces.exports import LIST_FILES
from registry.subnamespaces.queries import list_of

FORMAT = 1
LONGEST_LIST = 2_000
"""Entries: a longer list of sub-namespaces is left out. It has files of its own."""

MAX_NAMESPACES, MAX_ENTRIES = 5_000, 50_000
LARGEST_NAMED = 5
"""What refusals name at most."""

PROOFS = "proofs"
OF_A_NAMESPACE = ("kind", "registered_on", "updated_on", "registrant", "deprecation", "url")
OF_A_VERSION = ("version", "digest", "registered_at")
OF_A_SIGHTING = ("nid", "example", "used_by", "source")

Contents = dict[str, Any]
"""The parts of a package by name. Each but `about` and `unregistered` is an object by NID."""


class NothingToPackage(RegistryError):
    """The registry has nothing that a package could contain."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Nothing to package"


class TooMuchToPackage(RegistryError):
    """The registry has more than a package may contain."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Too much for a package"


class UnknownPart(RegistryError):
    """What should be left out is not there."""

    title = "No such part"


def read_contents(leave_out: Collection[str] = ()) -> Contents:
    """Return the contents, from one state of the registry.

    `leave_out` has NIDs whose lists of sub-namespaces are left out, and `proofs` for those of the log. Raises NothingToPackage,
    TooMuchToPackage or UnknownPart.
    """
    with database_snapshot():
        last = Event.objects.filter(number=LogPosition.current().number).first()
        if last is None:
            raise NothingToPackage("The registry has no event yet: import or register a namespace first.")
        if (count := Namespace.objects.count()) > MAX_NAMESPACES:
            raise TooMuchToPackage(
                f"The registry has {count:,} namespaces, and a package at most {MAX_NAMESPACES:,}. Publish a snapshot instead: "
                "`manage.py publish`."
            )
        lengths = dict(_lengths())
        if unknown := set(leave_out) - lengths.keys() - {PROOFS}:
            raise UnknownPart(
                f"“{min(unknown)}” has no list of sub-namespaces. Name a namespace that has one, or “{PROOFS}”."
            )
        left_out = {nid: each for nid, each in lengths.items() if each > LONGEST_LIST or nid in leave_out}
        kept = {nid: each for nid, each in lengths.items() if nid not in left_out}
        if sum(kept.values()) > MAX_ENTRIES:
            raise TooMuchToPackage(
                f"The lists have {sum(kept.values()):,} sub-namespaces, and a package at most {MAX_ENTRIES:,}. Leave out long ones, "
                f"with --leave-out: {', '.join(sorted(kept, key=lambda nid: -kept[nid])[:LARGEST_NAMED])}."
            )
        head = SignedHead.objects.last()
        proofs = dict(_proofs(head)) if head else {}
        if PROOFS in leave_out:
            left_out[PROOFS], proofs = len(proofs), {}
        profiles = {nid: content for content, nid in current_profiles("nid")}
        return {
            "about": {
                "format": FORMAT,
                "as_of": f"{last.at:%Y-%m-%d}",
                "event": last.number,
                "registry": settings.PUBLIC_ORIGIN,
                "head": head.cosigned_note if head else "",
                "left_out": left_out,
            },
            "namespaces": dict(_namespaces(profiles)),
            "profiles": profiles,
            "subnamespaces": dict(_lists(kept)),
            "unregistered": list(Sighting.objects.public().order_by("nid", "pk").values(*OF_A_SIGHTING)),
            PROOFS: proofs,
        }


def _lengths() -> Iterator[tuple[str, int]]:
    """Yield the NID of each namespace with a list of sub-namespaces, and the number of its entries."""
    for namespace in Namespace.objects.filter(has_subnamespaces=True).order_by("nid"):
        yield namespace.nid, list_of(namespace).count()


def _namespaces(profiles: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    hosts: dict[str, list[str]] = {}
    for nid, host in ConfirmedHost.objects.order_by("host").values_list("namespace__nid", "host"):
        hosts.setdefault(nid, []).append(host)
    for exported in exported_namespaces():
        controller, versions, nid = exported["change_controller"], exported["versions"], exported["nid"]
        members = {
            **{name: exported[name] for name in OF_A_NAMESPACE},
            "change_controller": controller and controller["name"],
            "organisation": profiles.get(nid, {}).get("organisation"),
            "version": {name: versions[-1][name] for name in OF_A_VERSION} if versions else None,
            "confirmed_hosts": hosts.get(nid, []),
        }
        yield nid, members


def _lists(nids: Collection[str]) -> Iterator[tuple[str, list[Any]]]:
    for namespace in Namespace.objects.filter(nid__in=nids).order_by("nid"):
        yield namespace.nid, [json.loads(line) for line in LIST_FILES["jsonl"].lines(list_of(namespace))]


def _proofs(head: SignedHead) -> Iterator[tuple[str, str]]:
    """Yield each NID with what stands above the head in the proof of its registration, if the head has its event."""
    tree = Tree.of(head)
    for namespace in Namespace.objects.select_related("latest").order_by("nid"):
        event = _registration(namespace)
        if event and event.number <= head.size:
            yield namespace.nid, steps_to(event, tree)


def _registration(namespace: Namespace) -> Event | None:
    """Return the event of the newest text, or that of the import of a namespace without one."""
    events = Event.objects.of_namespace(namespace.nid)
    if namespace.latest:
        with suppress(ProofUnknown):
            number = event_of_text(
                namespace.nid, version=namespace.latest.version, digest=namespace.latest.digest
            )
            return events.get(number=number)
    return events.filter(verb="import").order_by("number").first()
