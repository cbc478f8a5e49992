"""The command `lookup`: what the installed package `urn-registry-data` says of URNs, without a network."""

from argparse import Namespace
from collections.abc import Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING

from ..offline import Answer, OfflineService
from .commands import for_each
from .output import as_of_fields, as_of_line, displayed, note_fields, print_fields, print_json
from .profiles import (
    details_of,
    judgement_fields,
    known_profiles,
    missing_packages,
    nid_note,
    offline_registry,
)

if TYPE_CHECKING:
    from ..profiles import Judgement

_NOT_JUDGED = "The rules of the namespace were not applied. Install with: pip install 'urnsyntax[profiles]'"


def lookup(options: Namespace) -> bool:
    """Say without a network whether URNs are registered, by whom, and where they resolve, by urn-registry-data."""
    registry, can_judge = offline_registry(), not missing_packages()
    all_good = True

    def print_result(text: str) -> None:
        nonlocal all_good
        with known_profiles() if can_judge else nullcontext():
            answer = registry.look_up(text, judge=can_judge)
        all_good &= answer.namespace is not None and _conforms(answer.judgement)
        if options.json:
            print_json(text=text, valid=True, **_fields(answer), **as_of_fields(registry))
        else:
            print(f"{'registered' if answer.namespace else 'not registered'}: {text}")
            print_fields(_namespace_lines(answer))
            print_fields(_name_lines(answer, can_judge=can_judge))
            print_fields([as_of_line(registry)])

    return for_each(options, options.texts, print_result) and all_good


def _conforms(judgement: "Judgement | None") -> bool:
    return judgement is None or judgement.conformant is not False


def _fields(answer: Answer) -> dict[str, object]:
    return {
        "nid": answer.urn.nid.lower(),
        "registered": answer.namespace is not None,
        "namespace": answer.namespace,
        "unregistered": list(answer.unregistered),
        "displayed": displayed(answer.urn),
        "notes": note_fields(answer.urn.notes),
        **judgement_fields(answer.judgement),
        "services": [_service_fields(each) for each in answer.services],
        "left_out": answer.left_out,
    }


def _service_fields(offered: OfflineService) -> dict[str, object]:
    service = offered.found.service
    return {
        "kind": service.kind,
        "title": service.title,
        "address": offered.found.address,
        "host": service.host,
        "host_confirmed": offered.host_confirmed,
    }


def _namespace_lines(answer: Answer) -> Iterator[tuple[str, str | None]]:
    nid, namespace = answer.urn.nid.lower(), answer.namespace
    if namespace is None:
        yield "  note", nid_note(answer.urn)
        for each in answer.unregistered:
            yield "  in use", f"by {each['used_by']}, without a registration ({each['source']})"
        return
    since = namespace["registered_on"]
    yield "  namespace", f"{nid}, {namespace['kind']}" + (f", since {since}" if since else "")
    yield "  registrant", namespace["registrant"]
    yield "  controller", namespace["change_controller"]
    yield "  organisation", namespace["organisation"]
    if version := namespace["version"]:
        yield "  text", f"version {version['version']}, SHA-256 {version['digest']}"
    if deprecation := namespace["deprecation"]:
        yield "  deprecated", f"on {deprecation['deprecated_at'][:10]}: {deprecation['statement']}"
        yield "  successor", deprecation["successor"]


def _name_lines(answer: Answer, *, can_judge: bool) -> Iterator[tuple[str, str | None]]:
    judgement = answer.judgement
    if judgement is not None:
        reason = judgement.reason
        if judgement.position is not None:
            reason = f"{reason.removesuffix('.')} (position {judgement.position})"
        answers = {True: "yes", False: f"no: {reason}", None: "not known"}
        yield "  conforms", answers[judgement.conformant]
    yield "  displayed", displayed(answer.urn)
    if judgement is not None:
        yield from details_of(judgement)
        yield "  did you mean", judgement.repair
    for found, host_confirmed in answer.services:
        host = "" if host_confirmed else "; the registry has not confirmed the host"
        yield "  resolves at", f"{found.address} ({found.service.kind}: {found.service.title}{host})"
    if answer.namespace and can_judge and not answer.services:
        yield "  resolves at", "no service is known for this name"
    if answer.left_out:
        yield "  note", f"The {answer.left_out:,} sub-namespaces of the namespace are not in this package."
    yield "  note", None if can_judge else _NOT_JUDGED
    yield from (("  note", note.message) for note in answer.urn.notes)
    if judgement is not None:
        yield from (("  note", note.reason) for note in judgement.notes)
