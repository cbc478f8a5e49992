"""The base classes of errors. Each reason has a subclass, with a message for users."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import ClassVar


class RegistryError(Exception):
    """A broken rule. `str()` is the message for users; `status` and `headers` are those of the response."""

    status: ClassVar[HTTPStatus] = HTTPStatus.CONFLICT
    title: ClassVar[str] = "Not possible"
    headers: Mapping[str, str] = {}


class NotPermitted(RegistryError):
    """The action exists, but not for this user. The response is 404, as if it did not exist."""

    status = HTTPStatus.NOT_FOUND
    title = "Not found"
