"""The base classes of errors: one subclass for each reason, with a message to show to the user."""

from http import HTTPStatus
from typing import ClassVar


class RegistryError(Exception):
    """A rule that was broken. `str()` is the message to show; `status` is the HTTP status of the response."""

    status: ClassVar[HTTPStatus] = HTTPStatus.CONFLICT
    title: ClassVar[str] = "That was not possible"


class NotPermitted(RegistryError):
    """The action exists, but not for this user. The response is 404, as if it did not exist."""

    status = HTTPStatus.NOT_FOUND
    title = "Not found"
