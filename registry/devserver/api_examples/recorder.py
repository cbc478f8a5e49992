"""Sends requests of API operations to the application, and records them with their responses as examples.

A recording is JSON. By the name of the operation, or of the message to webhooks, it has the `address` of the first request,
the `request` bodies and the `responses` by status; each of these by media type and name of the example. A message has its
`headers` instead of an address and responses. `problems` has a refusal by the last part of its type.
"""

import json
import re
from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, urlencode, urlsplit

import yaml
from django.conf import settings
from django.core.management.base import CommandError
from django.test import Client
from drf_spectacular.generators import EndpointEnumerator

from registry.accounts.models import Scope, User
from registry.accounts.tokens import make_token
from registry.api.schema.document import IN_FORMAT, SUFFIX
from registry.api.schema.hooks import canonical_endpoints
from registry.core.http.negotiation import JSON, PROBLEM

if TYPE_CHECKING:
    from time_machine import Traveller  # not installed in a deployment

Headers = dict[str, str]
# Of several examples of one message, the first one.
FIRST = "example"
BETWEEN_REQUESTS = timedelta(minutes=1)
CSRF_TOKEN = "x" * 32

# Times of the recording are whole seconds.
DATABASE_TIME = re.compile(rb"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]+Z")


class UnexpectedResponse(CommandError):
    """An operation answered with another status than the one that is described, or with what can't be recorded."""


class Operation(NamedTuple):
    """Where an operation is, the status of its success, and the suffixes of its formats."""

    method: str
    path: str
    status: int
    suffixes: tuple[str, ...]


class Recorder:
    """Records requests. Each is a minute after the one before."""

    def __init__(self, traveller: "Traveller") -> None:
        self.operations = described_operations()
        self.recording: dict[str, dict[str, Any]] = {"operations": {}, "problems": {}}
        self._traveller = traveller
        self._tokens: dict[tuple[str, tuple[Scope, ...]], str] = {}

    def call(
        self,
        name: str,
        *,
        by: User | None = None,
        body: Any = None,
        example: str = FIRST,
        headers: Headers | None = None,
        is_sample: bool = True,
        **parameters: Any,
    ) -> Any:
        """Record an operation that succeeds, in each of its formats if it changes nothing; return the body, from JSON if it is.

        `by` sends a token. A `body` that is not JSON is a text. `parameters` are those of the path, then of the query.
        `example` names one of several examples; without `is_sample`, the request is not recorded.
        """
        sent = self._headers(by) | (headers or {})
        value = self._record(name, parameters, body, sent, example if is_sample else "")
        in_format = self.operations.get(name + IN_FORMAT)
        if is_sample and in_format and in_format.method in {"GET", "POST"}:
            for suffix in in_format.suffixes:
                self._record(name + IN_FORMAT, {**parameters, "suffix": suffix}, body, sent, example)
        return value

    def call_in_session(self, name: str, *, by: User, body: Any = None, **parameters: Any) -> Any:
        """Record an operation that succeeds in a session with a recent sign-in."""
        client = Client(enforce_csrf_checks=True)
        client.force_login(by)
        client.cookies["csrftoken"] = CSRF_TOKEN
        return self._record(name, parameters, body, {"X-CSRFToken": CSRF_TOKEN}, client=client)

    def refused(
        self,
        name: str,
        *,
        by: User | None = None,
        scopes: tuple[Scope, ...] = tuple(Scope),
        body: Any = None,
        headers: Headers | None = None,
        **parameters: Any,
    ) -> None:
        """Record the problem with which an operation is refused."""
        operation = self.operations[name]
        sent = self._headers(by, scopes) | (headers or {})
        response = self._send(operation.method, address_of(operation.path, parameters), body, sent)
        if response.headers["Content-Type"] != PROBLEM:
            raise UnexpectedResponse(f"{name} was not refused: {response.status_code}")
        problem = json.loads(response.content)
        self.recording["problems"][problem["type"].rstrip("/").rpartition("/")[2]] = problem

    def message(self, name: str, body: bytes, headers: Headers) -> None:
        """Record a message to webhooks."""
        self.recording["operations"][name] = {
            "headers": headers,
            "request": {JSON: {FIRST: json.loads(body)}},
        }

    def _record(
        self,
        name: str,
        parameters: Mapping[str, Any],
        body: Any,
        headers: Headers,
        example: str = FIRST,
        client: Client | None = None,
    ) -> Any:
        """Send a request that succeeds, and record it under the name of the example, if it has one; return the body."""
        operation = self.operations[name]
        address = address_of(operation.path, parameters)
        response = self._send(operation.method, address, body, headers, client)
        content = response.getvalue()
        if response.status_code != operation.status:
            raise UnexpectedResponse(f"{name}: {response.status_code} {content.decode()}")
        if found := DATABASE_TIME.search(content):
            raise UnexpectedResponse(
                f"{name}: {found[0].decode()} is by the clock of the database, not the one of the recording."
            )
        media_type = response.headers.get("Content-Type", "").partition(";")[0]
        value = json.loads(content) if media_type.endswith("json") else content.decode()
        if example:
            new: dict[str, Any] = {"address": address, "request": {}, "responses": {}}
            noted = self.recording["operations"].setdefault(name, new)
            if body is not None:
                noted["request"].setdefault(media_type_of(body, headers), {})[example] = body
            if content:
                shown = SHORTENED.get(name.removesuffix(IN_FORMAT), lambda whole: whole)(value)
                by_type = noted["responses"].setdefault(str(operation.status), {})
                by_type.setdefault(media_type, {})[example] = shown
        return value

    def _headers(self, by: User | None, scopes: tuple[Scope, ...] = tuple(Scope)) -> Headers:
        if by is None:
            return {}
        key = (by.email, scopes)
        if key not in self._tokens:
            _, self._tokens[key] = make_token(by=by, name=f"program {len(self._tokens) + 1}", scopes=scopes)
        return {"Authorization": f"Bearer {self._tokens[key]}"}

    def _send(
        self, method: str, address: str, body: Any, headers: Headers, client: Client | None = None
    ) -> Any:
        self._traveller.shift(BETWEEN_REQUESTS)
        host = urlsplit(settings.PUBLIC_ORIGIN).netloc
        data = "" if body is None else body if isinstance(body, str) else json.dumps(body)
        typed: dict[str, Any] = {"data": data, "content_type": media_type_of(body, headers)} if data else {}
        return (client or Client()).generic(method, address, headers=headers, **typed, SERVER_NAME=host)


def described_operations() -> dict[str, Operation]:
    """The operations of the API by their names."""
    endpoints = EndpointEnumerator().get_api_endpoints()  # type: ignore[no-untyped-call]
    found = {}
    for path, _, method, callback in canonical_endpoints(endpoints):
        details = getattr(callback.cls, method.lower()).details
        suffixes = tuple(str(each.format) for each in callback.cls.renderer_classes)
        name = details.name + (IN_FORMAT if path.endswith(SUFFIX) else "")
        found[name] = Operation(method, path, details.status, suffixes)
    return found


def address_of(path: str, parameters: Mapping[str, Any]) -> str:
    """The address of a path with its parameters; the others are those of the query."""
    query = {}
    for name, value in parameters.items():
        place = f"{{{name}}}"
        if place in path:
            path = path.replace(place, quote(str(value), safe=":"))
        else:
            query[name.rstrip("_")] = value
    return f"{path}?{urlencode(query, safe=':,')}" if query else path


def media_type_of(body: Any, headers: Headers) -> str:
    """The media type of a request: what its headers say, or else that of a text or JSON."""
    return headers.get("Content-Type", "text/plain" if isinstance(body, str) else JSON)


def _head_of_document(document: Any) -> Any:
    """An OpenAPI document, as JSON or in YAML, without its operations."""
    whole = document if isinstance(document, dict) else yaml.safe_load(document.partition("\npaths:")[0])
    info = {name: whole["info"][name] for name in ("title", "version")}
    return {"openapi": whole["openapi"], "info": info, "paths": {}}


# What is too long to be an example, and no parameter makes shorter.
SHORTENED = {"getSchema": _head_of_document}
