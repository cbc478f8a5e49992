"""Profiles as documents: TOML in forms and files, JSON in the API. The keys are those of `docs/profiles.md`."""

import tomllib
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import tomlkit

from registry.core.exceptions import RegistryError
from urnsyntax.profiles import InvalidProfile, Profile


class InvalidDocument(RegistryError):
    """The document is not a profile. The members say in which key and place, and why."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "This is not a profile"

    def __init__(self, error: InvalidProfile) -> None:
        super().__init__(str(error))
        self.members = {
            "key": error.key,
            "place": error.place,
            "reason": error.reason,
            "advice": error.advice,
        }


def profile_from_json(document: Mapping[str, Any]) -> Profile:
    """The profile of a mapping. Raises InvalidDocument."""
    try:
        return Profile.from_dict(document)
    except InvalidProfile as error:
        raise InvalidDocument(error) from error


def profile_from_toml(document: str) -> Profile:
    """The profile of a TOML document. Raises InvalidDocument."""
    try:
        return profile_from_json(tomllib.loads(document))
    except tomllib.TOMLDecodeError as error:
        raise InvalidDocument(InvalidProfile("", f"This is not TOML: {error}.", "Correct it.")) from error
    except RecursionError as error:
        raise InvalidDocument(
            InvalidProfile("", "The values are nested too deeply.", "Simplify them.")
        ) from error


def to_toml(profile: Profile) -> str:
    """The TOML document of a profile. Its grammar needs no escapes."""
    document = profile.to_dict()
    names = document["names"]
    if "abnf" in names and "'''" not in names["abnf"]:
        names["abnf"] = tomlkit.string(f"\n{names['abnf']}\n", literal=True, multiline=True)
    if "pattern" in names and "'" not in names["pattern"]:
        names["pattern"] = tomlkit.string(names["pattern"], literal=True)
    return tomlkit.dumps(document)
