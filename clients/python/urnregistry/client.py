"""The synchronous and the asynchronous client. Both run the flows of `operations` and `syncing`, and only send requests."""

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar, overload
from urllib.parse import urlsplit

import httpx

from urnregistry import auditing, monitoring, operations, syncing
from urnregistry.cache import LookupCache
from urnregistry.errors import RegistryError, UnexpectedResponse, Unreachable
from urnregistry.exchange import Exchange, Position, Retries
from urnregistry.messages import Flow, Request, Response, Wait

P = ParamSpec("P")
T = TypeVar("T")
TOKEN = re.compile("[!-~]+")  # what a header can carry after “Bearer”
LOOPBACK = ("localhost", "127.0.0.1", "::1")
TIMEOUT = 30.0  # seconds for each step of an exchange
# Of a response: octets in memory and in a file, and seconds, beside one for so many octets.
MAX_BODY, MAX_FILE = 64 * 1024**2, 16 * 1024**3
PATIENCE, SLOWEST = 300.0, 10_000
RETRIES = Retries()


class _One(Generic[P, T]):
    """A method with one result, from the declaration of an operation."""

    def __init__(self, operation: Callable[Concatenate[Exchange, P], Flow[T]]) -> None:
        self.operation = operation
        self.__doc__ = operation.__doc__

    @overload
    def __get__(self, client: "Registry", kind: type | None = None) -> Callable[P, T]: ...
    @overload
    def __get__(
        self, client: "AsyncRegistry", kind: type | None = None
    ) -> Callable[P, Coroutine[Any, Any, T]]: ...
    @overload
    def __get__(self, client: None, kind: type) -> Self: ...
    def __get__(self, client: Any, kind: type | None = None) -> Any:
        if client is None:
            return self
        return lambda *args, **options: client._run(self.operation(client._exchange, *args, **options))


class _Many(Generic[P, T]):
    """A method with a stream of results. The operation yields a flow for each part of it."""

    def __init__(self, operation: Callable[Concatenate[Exchange, P], Iterator[Flow[list[T]]]]) -> None:
        self.operation = operation
        self.__doc__ = operation.__doc__

    @overload
    def __get__(self, client: "Registry", kind: type | None = None) -> Callable[P, Iterator[T]]: ...
    @overload
    def __get__(self, client: "AsyncRegistry", kind: type | None = None) -> Callable[P, AsyncIterator[T]]: ...
    @overload
    def __get__(self, client: None, kind: type) -> Self: ...
    def __get__(self, client: Any, kind: type | None = None) -> Any:
        if client is None:
            return self
        return lambda *args, **options: client._run_all(self.operation(client._exchange, *args, **options))


class _Client:
    """The methods and settings of both clients.

    `url` is the address of the registry. `token` is sent to this address alone. Lookups are kept in the directory `cache`,
    and answered from there while the registry can't be reached, or without a request if `offline`.
    `sequence` is the number of an event that responses must take into account, such as that of a webhook. The client keeps
    the newest one that it hears of, and sends it, so that a replica of the registry answers only if it has the event.
    `sleep` makes the pauses between retries; `transport` is one of httpx, such as that of a WSGI application.
    """

    lookup = _One(operations.lookup)
    resolve = _One(operations.resolve)
    lookup_many = _Many(operations.lookup_many)
    resolve_many = _Many(operations.resolve_many)
    check = _Many(operations.check)
    namespaces = _Many(operations.namespaces)
    events = _Many(operations.events)
    sync = _One(syncing.sync)
    verify = _One(syncing.verify)
    monitor = _One(monitoring.monitor)
    audit = _One(auditing.audit)

    def _set_up(
        self,
        url: str,
        token: str | None,
        cache: Path | str | None,
        offline: bool,
        retries: Retries,
        sequence: int | None,
    ) -> dict[str, Any]:
        """Keep the settings, and return those of the client of httpx."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError(
                f"“{url}” is not the address of a registry, such as https://registry.example.org."
            )
        if token and not TOKEN.fullmatch(token):  # The HTTP library would quote it in an error.
            raise ValueError("The token has a space, a line break or another character that no token has.")
        if token and parts.scheme == "http" and parts.hostname not in LOOPBACK:
            raise ValueError("A token is not sent over http, where others can read it. Use https.")
        api = f"{url.rstrip('/')}/api/v1/"
        kept = LookupCache(cache) if cache else None
        self._exchange = Exchange(api, retries, kept, offline, Position(sequence))
        # A coding upon a coding could make a thousand times a thousand octets of one.
        headers = {"User-Agent": "urnregistry/0.1.0", "Accept": "application/json", "Accept-Encoding": "gzip"}
        headers |= {"Authorization": f"Bearer {token}"} if token else {}
        return {"base_url": api, "headers": headers, "timeout": TIMEOUT}

    @property
    def sequence(self) -> int | None:
        """The newest event that the client has heard of. Give it to the next client, which then sees nothing older."""
        return self._exchange.position.sequence


class Registry(_Client):
    """A client of a registry of URN namespaces. Use it as a context manager, or call `close()`."""

    __doc__ += f"\n\n{_Client.__doc__}"

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        cache: Path | str | None = None,
        offline: bool = False,
        retries: Retries = RETRIES,
        sequence: int | None = None,
        sleep: Callable[[float], object] = time.sleep,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        options = self._set_up(url, token, cache, offline, retries, sequence)
        self._sleep = sleep
        self._http = httpx.Client(**options, transport=transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def _run(self, flow: Flow[T]) -> T:
        step: Callable[[], Request | Wait] = partial(next, flow)
        while True:
            try:
                wanted = step()
            except StopIteration as end:
                result: T = end.value
                return result
            try:
                step = partial(flow.send, self._carry_out(wanted))
            except RegistryError as fault:
                step = partial(flow.throw, fault)

    def _run_all(self, flows: Iterator[Flow[list[T]]]) -> Iterator[T]:
        for flow in flows:
            yield from self._run(flow)

    def _carry_out(self, wanted: Request | Wait) -> Response | None:
        if isinstance(wanted, Wait):
            self._sleep(wanted.seconds)
            return None
        try:
            with self._http.stream(**_arguments(wanted)) as reply:
                body = _Body(wanted, reply)
                for block in reply.iter_bytes():
                    body.add(block)
                return body.response()
        except httpx.RequestError as fault:
            raise _unreachable(fault) from fault


class AsyncRegistry(_Client):
    """A client for asyncio, with the methods of `Registry`. Use it as a context manager, or call `aclose()`."""

    __doc__ += f"\n\n{_Client.__doc__}"

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        cache: Path | str | None = None,
        offline: bool = False,
        retries: Retries = RETRIES,
        sequence: int | None = None,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        options = self._set_up(url, token, cache, offline, retries, sequence)
        self._sleep = sleep
        self._http = httpx.AsyncClient(**options, transport=transport)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self._http.aclose()

    async def _run(self, flow: Flow[T]) -> T:
        step: Callable[[], Request | Wait] = partial(next, flow)
        while True:
            try:
                wanted = step()
            except StopIteration as end:
                result: T = end.value
                return result
            try:
                step = partial(flow.send, await self._carry_out(wanted))
            except RegistryError as fault:
                step = partial(flow.throw, fault)

    async def _run_all(self, flows: Iterator[Flow[list[T]]]) -> AsyncIterator[T]:
        for flow in flows:
            for each in await self._run(flow):
                yield each

    async def _carry_out(self, wanted: Request | Wait) -> Response | None:
        if isinstance(wanted, Wait):
            await self._sleep(wanted.seconds)
            return None
        try:
            async with self._http.stream(**_arguments(wanted)) as reply:
                body = _Body(wanted, reply)
                async for block in reply.aiter_bytes():
                    body.add(block)
                return body.response()
        except httpx.RequestError as fault:
            raise _unreachable(fault) from fault


def _arguments(request: Request) -> dict[str, Any]:
    arguments = {"method": request.method, "url": request.path, "params": request.query or None}
    if request.content is None:
        return arguments | {"headers": request.headers}
    # In ASCII, so that a text with a lone surrogate, which UTF-8 can't encode, can be checked.
    body = json.dumps(request.content).encode()
    return arguments | {"headers": {"Content-Type": "application/json", **request.headers}, "content": body}


class _Body:
    """The body of a response as it arrives, in the file of the request or in memory. Its size and time are limited.

    Raises UnexpectedResponse or Unreachable.
    """

    def __init__(self, request: Request, reply: httpx.Response) -> None:
        coding = reply.headers.get("content-encoding", "identity").lower()
        if coding not in ("identity", "gzip"):
            raise UnexpectedResponse(f"The response has the coding “{coding[:40]}”, which was not asked for.")
        self.reply, self.size, self.begun = reply, 0, time.monotonic()
        self.file = request.into if reply.status_code == httpx.codes.OK else None
        self.octets = bytearray()

    def add(self, block: bytes) -> None:
        self.size += len(block)
        most = MAX_BODY if self.file is None else MAX_FILE
        if self.size > most:
            raise UnexpectedResponse(f"The response is longer than {most} octets.")
        if time.monotonic() - self.begun > PATIENCE + self.size / SLOWEST:
            raise Unreachable("The response arrives too slowly.")
        if self.file is None:
            self.octets += block
        else:
            self.file.write(block)

    def response(self) -> Response:
        headers = {name.lower(): value for name, value in self.reply.headers.items()}
        return Response(self.reply.status_code, headers, bytes(self.octets))


def _unreachable(fault: httpx.RequestError) -> Unreachable:
    return Unreachable(f"{fault.request.url.host} could not be reached: {fault or type(fault).__name__}")
