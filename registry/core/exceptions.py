"""The base classes of errors. Each reason has a subclass, with a message for users."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import ClassVar


class RegistryError(Exception):
    """A broken rule. `str()` is the message for users; `status` and `headers` are those of the response."""

    status: ClassVar[HTTPStatus] = HTTPStatus.CONFLICT
    title: ClassVar[str] = "Not possible"
    headers: Mapping[str, str] = {}


class ConflictOfInterest(RegistryError):
    """The user has the role for the action, but a relation to what it concerns, which is public."""

    status = HTTPStatus.FORBIDDEN
    title = "You have a conflict of interest"


class NotPermitted(RegistryError):
    """The action exists, but not for this user. The response is 404, as if it did not exist."""

    status = HTTPStatus.NOT_FOUND
    title = "Not found"
