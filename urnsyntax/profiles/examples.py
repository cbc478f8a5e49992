"""Verification of profiles: each example and counterexample must behave as the profile says."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .collection import load_profile, profile_files
from .errors import InvalidProfile
from .grammar.patterns import shortened
from .profile import Names, Profile
from .services.service import Service

LEAST_EXAMPLES = 3  # of each kind, if the profile states a grammar


@dataclass(frozen=True, slots=True)
class Verification:
    """The result for one profile. `profile` is None if the file has no valid one."""

    nid: str
    profile: Profile | None
    failures: tuple[str, ...]

    @property
    def columns(self) -> dict[str, str]:
        """What the profile contains, in words, by the name of the column."""
        if self.profile is None:
            return {
                "title": "",
                "grammar": "",
                "checks": "",
                "equivalence": "",
                "examples": "",
                "services": "",
                "sources": "",
            }
        names = self.profile.names
        return {
            "title": self.profile.title,
            "grammar": "ABNF" if names.abnf else "pattern" if names.pattern else "unstated",
            "checks": ", ".join(each.algorithm for each in names.checks),
            "equivalence": comparison_in_brief(names),
            "examples": f"{len(names.examples)}+{len(names.counterexamples)}",
            "services": str(len(self.profile.services)),
            "sources": str(len(self.profile.sources)),
        }


def comparison_in_brief(names: Names) -> str:
    """What a comparison ignores, such as "isbn" or "case"; "" if RFC 8141, Section 3.1, alone applies."""
    case = "case" if names.ignores_case else ""
    return " ".join(filter(None, [names.equivalence, case, names.ignored_characters]))


def verify_directory(directory: Path | str) -> Iterator[Verification]:
    """Verify the profiles of a directory, in the order of their NIDs. Raises `OSError`."""
    for path in profile_files(directory):
        try:
            profile = load_profile(path)
        except InvalidProfile as error:
            yield Verification(path.stem, None, (str(error),))
        else:
            yield Verification(profile.nid, profile, tuple(failures_of(profile)))


def failures_of(profile: Profile, *, least_counterexamples: int = LEAST_EXAMPLES) -> Iterator[str]:
    """The examples, also of services, that do not behave as the profile says, and those that are missing."""
    yield from failures_of_names(profile, least_counterexamples=least_counterexamples)
    yield from failures_of_services(profile)


def failures_of_names(profile: Profile, *, least_counterexamples: int = LEAST_EXAMPLES) -> Iterator[str]:
    """The examples and counterexamples of names that do not behave as the profile says, or are missing."""
    names = profile.names
    for example in names.examples:
        judgement = profile.judge(example.urn)
        if judgement.conformant is False or (judgement.conformant is None and names.grammar):
            yield f"{shortened(example.urn)} is an example, but: {judgement.reason}"
    for counterexample in names.counterexamples:
        if profile.judge(counterexample.urn).conformant is not False:
            yield f"{shortened(counterexample.urn)} is a counterexample, but the rules allow it."
    if names.grammar is None:
        if not names.examples:
            yield "The profile has no example; it needs at least one."
        return
    for kind, least in (("examples", LEAST_EXAMPLES), ("counterexamples", least_counterexamples)):
        number = len(getattr(names, kind))
        if number < least:
            stated = kind.removesuffix("s") if number == 1 else kind
            yield f"The profile has {number} {stated}; it needs at least {least}."


def failures_of_services(profile: Profile) -> Iterator[str]:
    """The examples of services that break the rules of the namespace, or that the service cannot serve."""
    for service in profile.services:
        for example in service.examples:
            if failure := failure_of_service(profile, service, example):
                yield f"{shortened(example)} is an example of “{service.title}”, but: {failure}"


def failure_of_service(profile: Profile, service: Service, example: str) -> str:
    """Why a service of the profile has no address for a name, as a sentence; "" if it has one."""
    judgement = profile.judge(example)
    if judgement.conformant is False:
        return judgement.reason
    resolution = profile.resolve(example)
    if any(found.service is service for found in resolution.services):
        return ""
    refused = (each.reason for each in resolution.refused if each.service is service)
    return next(refused, "The name lacks a part that the service needs, or has another value of it.")
