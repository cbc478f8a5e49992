"""Requests and responses as values, and flows, which ask for requests but never send them."""

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, TypeAlias, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Request:
    """A request to `path` below `/api/v1/`: a POST if there is `content`, which is sent as JSON; otherwise a GET.

    The body of a response with status 200 is written to `into`, if that is a file.
    """

    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    content: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    into: BinaryIO | None = None

    @property
    def method(self) -> str:
        return "GET" if self.content is None else "POST"


@dataclass(frozen=True, slots=True)
class Response:
    """A response. The names of `headers` are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Wait:
    """A pause before the next request."""

    seconds: float


# A flow yields requests and pauses, is sent the response to each request, and returns its result. The synchronous and the
# asynchronous client run the same flows.
Flow: TypeAlias = Generator[Request | Wait, Any, T]
