"""The errors of the client. All of them are a `RegistryError`."""

from collections.abc import Mapping
from typing import Any


class RegistryError(Exception):
    """An error of the registry, of the way to it, or of the local copy."""


class Unreachable(RegistryError):
    """The registry did not respond, or its response ended early."""


class UnexpectedResponse(RegistryError):
    """A response is not in the form that the API describes, such as a page of a proxy."""


class Problem(RegistryError):
    """An error response: a problem document (RFC 9457).

    `members` are all members of the document, such as `errors` or `nid_status`. An error response of another form, such as
    that of a proxy, has the type `about:blank`.
    """

    def __init__(
        self,
        status: int,
        *,
        type: str = "about:blank",  # noqa: A002 (the name of the member in RFC 9457)
        title: str = "",
        detail: str = "",
        members: Mapping[str, Any] | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(detail or title or f"Status {status}")
        self.status = status
        self.type = type
        self.title = title
        self.detail = detail
        self.members = members or {}
        self.request_id = request_id
        self.retry_after = retry_after  # seconds

    @property
    def name(self) -> str:
        """The last part of the type, such as `namespace-unknown`."""
        return self.type.rstrip("/").rpartition("/")[2]


class PackageMissing(RegistryError):
    """A package that is optional, and that this call needs, is not installed."""


class CopyError(RegistryError):
    """A local copy can't be used: it belongs to another registry, is not a copy, or another process writes to it."""


class LogError(RegistryError):
    """The log of events does not continue the local copy, to which nothing is added from there on."""


class LogBehind(LogError):
    """The log ends before the last event of the copy: it was restored from an older state, or is another log.

    `note` is its newest head, if that was read: evidence, if it is signed.
    """

    def __init__(self, what: str, note: str = "") -> None:
        super().__init__(what)
        self.note = note


class LogGap(LogError):
    """An event is missing in the log."""


class LogChanged(LogError):
    """An event or a signed head that the copy has is another one in the log: the past was rewritten."""


class WrongSignature(LogError):
    """A signed head has no valid signature of a trusted key, or says something else than the registry."""


class ProofRefused(RegistryError):
    """A proof does not show what it should. The text says why."""


class NotChecked(ProofRefused):
    """A file is no proof, or no version, at all, so that nothing was checked."""
