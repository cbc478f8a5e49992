"""Trials of proposed services: the address of each for an example, as resolution computes it. No request is sent."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from registry.namespaces.proposals.applying import NO_GRAMMAR, changes_of, example_lines, names_with
from registry.namespaces.proposals.prefill import examples_in
from registry.namespaces.proposals.proposed_profile import ProposedProfile
from registry.namespaces.proposals.services import (
    ServiceLine,
    check_line,
    profile_of,
    read_services,
    service_lines,
)
from registry.registration_template.template import RegistrationTemplate
from urnsyntax import URN, InvalidURN
from urnsyntax.profiles import Example, InvalidProfile, InvalidRules, Names, Profile, Service
from urnsyntax.profiles.examples import failure_of_service
from urnsyntax.profiles.profile import MAX_SERVICES
from urnsyntax.profiles.schema import MAX_URN_LENGTH, read_object, write_object
from urnsyntax.profiles.services.templates import parse_template


class TriedService(NamedTuple):
    """A proposed service with its address for an example, or why it has none."""

    service: Service
    address: str
    reason: str


class Trial(NamedTuple):
    """The example, and the proposed services without a fault of their own."""

    urn: str
    services: tuple[TriedService, ...]


def try_services(
    proposed: ProposedProfile, template: RegistrationTemplate, current: Profile | None, *, nid: str
) -> Trial | None:
    """The trial with the first example of the proposal, or else of the current profile, or of the text.

    None without services or an example, or as long as the grammar has a fault.
    """
    lines = _sound_lines(proposed.services)
    urn = next(_examples(proposed, template, current, nid), "")
    if not (lines and urn):
        return None
    try:
        names = replace(_names(proposed, current), examples=(Example(urn),))
        services = read_services(lines, nid=nid, names=names, current=current.services if current else ())
    except (InvalidProfile, InvalidRules):
        return None
    return Trial(urn, tuple(_tried(services, urn, nid, names)))


def proposed_hosts(proposed: ProposedProfile) -> list[str]:
    """The hosts of the proposed services, each once."""
    hosts = (parse_template(line.template).host for line in _sound_lines(proposed.services))
    return list(dict.fromkeys(hosts))


def _sound_lines(text: str) -> list[ServiceLine]:
    """The lines without a fault of their own, of as many as a profile can have."""
    return list(filter(_is_sound, islice(service_lines(text), MAX_SERVICES)))


def _is_sound(line: ServiceLine) -> bool:
    try:
        check_line(line)
    except InvalidProfile:
        return False
    return True


def _examples(
    proposed: ProposedProfile, template: RegistrationTemplate, current: Profile | None, nid: str
) -> Iterator[str]:
    """The examples of the namespace, those of the proposal first."""
    stated = [example["urn"] for _, example in example_lines(proposed.examples)]
    kept = [each.urn for each in current.names.examples] if current else []
    for urn in (*stated, *kept, *examples_in(template, nid)):
        try:
            if len(urn) <= MAX_URN_LENGTH and URN.parse(urn).nid.lower() == nid:
                yield urn
        except InvalidURN:
            continue


def _names(proposed: ProposedProfile, current: Profile | None) -> Names:
    """The rules for names after the proposal, without its examples, which can have faults."""
    before = write_object(current.names) if current else {"unstated": NO_GRAMMAR}
    changed = {key: text for key, text in changes_of(proposed, current).items() if key == "abnf"}
    names: Names = read_object(Names, names_with(before, changed), "names")
    return names


def _tried(services: list[Service], urn: str, nid: str, names: Names) -> Iterator[TriedService]:
    for service in services:
        profile = profile_of(service, nid=nid, names=names)
        try:
            reason = failure_of_service(profile, service, urn)
            address = "" if reason else profile.services_for(urn)[0].address
        except InvalidProfile:  # the finding on the line says so
            continue
        yield TriedService(service, address, reason)
