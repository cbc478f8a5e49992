"""Proposed services: each on one line, with its kind, its address template and its title."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from django.utils import timezone

from registry.core.http.urls import absolute_url
from urnsyntax.profiles import InvalidProfile, Names, OtherNamespace, Profile, Service
from urnsyntax.profiles.examples import failure_of_service
from urnsyntax.profiles.profile import MAX_SERVICES
from urnsyntax.profiles.schema import read_object
from urnsyntax.profiles.services.service import MAX_PRIORITY

# A check of a service requests its first three examples.
MAX_EXAMPLES_OF_SERVICE = 3
MEMBERS_OF_LINE = ("kind", "template", "title")


class ServiceLine(NamedTuple):
    """A service as its registrant writes it. `number` is that of the line; what is missing is ""."""

    number: int
    kind: str
    template: str
    title: str


def service_lines(text: str) -> Iterator[ServiceLine]:
    """The services, with the numbers of their lines."""
    for number, line in enumerate(text.split("\n"), 1):
        kind, template, title = (*line.strip().split(maxsplit=2), "", "", "")[:3]
        if kind:
            yield ServiceLine(number, kind, template, title)


def as_lines(services: Sequence[Service]) -> str:
    """The services as lines, the best first."""
    ordered = sorted(services, key=lambda each: each.priority)
    return "\n".join(f"{each.kind} {each.template}  {each.title}" for each in ordered)


def check_line(line: ServiceLine) -> None:
    """Raise `InvalidProfile` if a part of the line is missing or wrong in itself."""
    if not line.title:
        advice = "Write the kind, the address template and the title, with spaces between them."
        missing = (
            "The title is missing." if line.template else "The address template and the title are missing."
        )
        raise InvalidProfile("", missing, advice)
    for key in MEMBERS_OF_LINE:
        Service.__dataclass_fields__[key].metadata["read"](getattr(line, key), key)


def read_services(
    lines: Sequence[ServiceLine], *, nid: str, names: Names, current: Sequence[Service]
) -> list[Service]:
    """The services of the lines. Raises `InvalidProfile` with the index of the line in its key.

    A service of `current` keeps its other keys if its kind and its template stay. Each service comes after those above
    it; two current ones that are equally good stay so. If the priorities of the current ones leave no room, all of them
    are counted anew.
    """
    if len(lines) > MAX_SERVICES:
        reason = f"There are {len(lines):,} services; the limit is {MAX_SERVICES}."
        raise InvalidProfile("services", reason, "Remove lines.")
    left, services = list(current), list[Service]()
    last, above = -1, None
    for index, line in enumerate(lines):
        kept = _take(line, left)
        service = kept or _new_service(line, f"services[{index}]", nid=nid, names=names)
        is_tied = kept is not None and kept.priority == above
        last = max(service.priority, last if is_tied else last + 1)
        above = kept.priority if kept else None
        services.append(replace(service, title=line.title, priority=last))
    return services if last <= MAX_PRIORITY else _renumbered(services)


def _renumbered(services: Sequence[Service]) -> list[Service]:
    """The services in the same order, with the lowest priorities."""
    ranks = {priority: rank for rank, priority in enumerate(sorted({each.priority for each in services}))}
    return [replace(each, priority=ranks[each.priority]) for each in services]


def _take(line: ServiceLine, left: list[Service]) -> Service | None:
    """The service with this kind and template, removed from `left`; one that also has the title comes first."""
    alike = [each for each in left if (each.kind, each.template) == (line.kind, line.template)]
    found = min(alike, key=lambda each: each.title != line.title, default=None)
    if found is not None:
        left.remove(found)
    return found


def _new_service(line: ServiceLine, at: str, *, nid: str, names: Names) -> Service:
    """The service of a line, with the examples of the namespace that it takes, or else the first one."""
    examples = tuple(dict.fromkeys(each.urn for each in names.examples))
    content = {key: getattr(line, key) for key in MEMBERS_OF_LINE}
    source = {
        "document": f"Registration of urn:{nid}",
        "url": absolute_url(f"/namespaces/{nid}/profile/"),
        "stated_on": timezone.now().date().isoformat(),
    }
    stated: Service = read_object(Service, content | {"examples": examples[:1], "source": source}, at)
    service = replace(stated, passes_q=stated.address_template.takes_q)
    try:
        profile = profile_of(service, nid=nid, names=names)
        taken = (each for each in examples if not failure_of_service(profile, service, each))
        return replace(service, examples=tuple(islice(taken, MAX_EXAMPLES_OF_SERVICE)) or examples[:1])
    except (InvalidProfile, OtherNamespace):  # the check of the whole profile says so, with the place
        return service


def profile_of(service: Service, *, nid: str, names: Names) -> Profile:
    """A profile with the names of a namespace and one service, which says where names lead."""
    return Profile(nid=nid, title="", summary="", subjects=(), names=names, sources=(), services=(service,))
