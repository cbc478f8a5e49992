"""Patterns for names, as errors of the registry. The syntax and the limits are those of `urnsyntax.profiles`."""

from http import HTTPStatus

from registry.core.exceptions import RegistryError
from urnsyntax.profiles import errors
from urnsyntax.profiles.grammar import patterns


class InvalidPattern(RegistryError):
    """RE2 rejects the pattern, or it is too large, or it contains a character that no NSS can contain."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Invalid pattern"


def parse_pattern(text: str) -> str:
    """The pattern, unchanged. Raises InvalidPattern, with the position and the reason."""
    try:
        return patterns.parse_pattern(text)
    except errors.InvalidPattern as error:
        raise InvalidPattern(str(error)) from error
