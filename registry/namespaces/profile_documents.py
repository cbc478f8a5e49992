"""Profiles as documents and as files: reading, writing, checking.

The keys are those of `docs/profiles.md`.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from http import HTTPStatus
from typing import Any

import tomlkit
from django.db import transaction
from django.dispatch import Signal

from registry.core.digests import digest_of
from registry.core.exceptions import RegistryError
from registry.core.validators import shortened
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.current_profiles import values_by_key
from registry.namespaces.models import Namespace, ProfileVersion
from registry.registration_template.diff import SectionPair, TemplateDiff, compare_sections
from urnsyntax.profiles import InvalidProfile, Names, Profile
from urnsyntax.profiles.examples import Verification

# The sections of a comparison whose title is not their key.
TITLES = {
    "nid": "NID",
    "resource": "Named resource",
    "names.abnf": "Grammar in ABNF",
    "names.unstated": "Reason without a grammar",
    "names.checks": "Check digits",
}

MAX_FULL_STOPS = 50  # in a line


class InvalidDocument(RegistryError):
    """The document is not a profile. The members say in which key and place, and why."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "This is not a profile"

    def __init__(self, error: InvalidProfile) -> None:
        super().__init__(str(error))
        self.members = {
            "key": error.key or None,
            "place": error.place or None,
            "reason": error.reason,
            "advice": error.advice or None,
        }


def profile_from_json(document: Mapping[str, Any]) -> Profile:
    """The profile of a mapping. Raises InvalidDocument."""
    try:
        return Profile.from_dict(document)
    except InvalidProfile as error:
        raise InvalidDocument(error) from error


def profile_from_toml(document: str) -> Profile:
    """The profile of a TOML document. Raises InvalidDocument."""
    _check_keys(document)
    try:
        return profile_from_json(tomllib.loads(document))
    except tomllib.TOMLDecodeError as error:
        raise InvalidDocument(InvalidProfile("", f"This is not TOML: {error}.", "Correct it.")) from error
    except RecursionError as error:
        raise InvalidDocument(
            InvalidProfile("", "The values are nested too deeply.", "Simplify them.")
        ) from error


def _check_keys(document: str) -> None:
    """Refuse long dotted keys: the parser takes minutes for a key with 40,000 parts."""
    for number, line in enumerate(document.split("\n"), 1):
        if line.count(".") > MAX_FULL_STOPS:
            reason = f"Line {number} has more than {MAX_FULL_STOPS} full stops."
            raise InvalidDocument(InvalidProfile("", reason, "Divide it."))


def to_toml(profile: Profile) -> str:
    """The TOML document of a profile. Its grammar needs no escapes."""
    document = profile.to_dict()
    names = document["names"]
    if "abnf" in names and "'''" not in names["abnf"]:
        names["abnf"] = tomlkit.string(f"\n{names['abnf']}\n", literal=True, multiline=True)
    if "pattern" in names and "'" not in names["pattern"]:
        names["pattern"] = tomlkit.string(names["pattern"], literal=True)
    return tomlkit.dumps(document)


def compare_profiles(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> TemplateDiff:
    """Compare the contents of two versions by key, in lines; None is the content of a version that removes a profile."""
    first, second = values_by_key(before), values_by_key(after)
    return compare_sections(
        SectionPair(key.replace(".", "-"), _title(key), _lines(first.get(key)), _lines(second.get(key)))
        for key in _keys()
    )


def _keys() -> list[str]:
    """All keys: those of the namespace, of its names, and the sources."""
    of_profile = [each.name for each in fields(Profile) if each.name not in {"names", "sources"}]
    return [*of_profile, *(f"names.{each.name}" for each in fields(Names)), "sources"]


def _title(key: str) -> str:
    return TITLES.get(key) or key.removeprefix("names.").replace("_", " ").capitalize()


def _lines(value: Any) -> list[str]:
    """A value as lines: each item of a list, and each key of a table, has its own."""
    if isinstance(value, Mapping):
        return [f"{key}: {text}" for key, text in value.items()]
    if isinstance(value, list):
        return [_item(each) for each in value]
    if isinstance(value, bool):
        return ["yes" if value else "no"]
    return [] if value is None else str(value).split("\n")


def _item(value: Any) -> str:
    if isinstance(value, Mapping):
        return "; ".join(_item(each) for each in value.values())
    return ", ".join(value) if isinstance(value, list) else str(value)


BASIS = "From the files of the registry, which state the source of each fact."
profile_loaded = Signal()
"""Sent in the transaction that sets a loaded profile, with `namespace` and `profile`."""


class LoadOutcome(StrEnum):
    SET = "set"
    UNCHANGED = "unchanged"
    KEPT = "kept"
    NOT_REGISTERED = "not registered"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class LoadResult:
    """What was done with one file. `message` says why nothing was set."""

    nid: str
    outcome: LoadOutcome
    message: str = ""


def load_profiles(files: Iterable[Verification]) -> list[LoadResult]:
    """Set the profiles of registered namespaces that have none, or a loaded one that differs.

    A version that a person set, or with which a person removed the profile, is kept. So is one to which the register of the
    registrant added a level: a file that lacks the level would end the register.
    """
    verified = {each.nid: each for each in files}
    namespaces = {each.nid: each for each in Namespace.objects.filter(nid__in=verified)}
    versions = ProfileVersion.objects.filter(namespace__nid__in=verified).defer("content")
    newest = (
        versions.order_by("namespace_id", "-version").distinct("namespace_id").select_related("namespace")
    )
    last = {each.namespace.nid: each for each in newest}
    return [_load(each, namespaces.get(nid), last.get(nid)) for nid, each in verified.items()]


def _load(file: Verification, namespace: Namespace | None, last: ProfileVersion | None) -> LoadResult:
    if file.profile is None or file.failures:
        return LoadResult(file.nid, LoadOutcome.REFUSED, " ".join(file.failures))
    if namespace is None:
        return LoadResult(file.nid, LoadOutcome.NOT_REGISTERED, "The namespace is not registered.")
    if last and last.digest == digest_of(file.profile.to_dict()):
        return LoadResult(file.nid, LoadOutcome.UNCHANGED)
    if last and last.set_by_id is not None:
        basis = shortened(" ".join(last.basis.split()))
        return LoadResult(file.nid, LoadOutcome.KEPT, f"A person set version {last.version}: {basis}")
    return _set(namespace, file.profile, last.version if last else 0)


def _set(namespace: Namespace, profile: Profile, replaces: int) -> LoadResult:
    try:
        with transaction.atomic():
            set_profile(namespace, by=None, profile=profile, basis=BASIS, replaces=replaces)
            profile_loaded.send(sender=Profile, namespace=namespace, profile=profile)
    except RegistryError as refusal:
        return LoadResult(profile.nid, LoadOutcome.REFUSED, str(refusal))
    return LoadResult(profile.nid, LoadOutcome.SET)
