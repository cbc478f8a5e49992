"""Hostile requests to every address: a request that would be accepted, with some of its parts replaced.

The same seed makes the same requests.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from html import unescape
from itertools import islice, product
from random import Random
from typing import Any
from urllib.parse import quote, unquote, urlencode

from django.conf import settings
from django.urls import reverse

from registry.api.schema.views import openapi_document
from tests.contracts.test_url_table import SAMPLES, Address
from tests.journeys.addresses import values_of
from tests.security.hostile_values import (
    CONTENT_TYPES,
    HEADERS,
    JSON_BODIES,
    JSON_VALUES,
    LONG,
    METHODS,
    PARAMETERS,
    SAFE_METHODS,
    TEXTS,
)

FORM = "application/x-www-form-urlencoded"
NAMED_ELEMENT = re.compile(r'<(?:input|textarea|select|button)\b[^>]*?\bname="([^"]+)"[^>]*>')
VALUE = re.compile(r'\bvalue="([^"]*)"')
FORM_ELEMENT = re.compile(r'<form\b[^>]*method="post"[^>]*>.*?</form>', re.DOTALL)
ACTION = re.compile(r'\baction="([^"]*)"')
Fields = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class HostileRequest:
    """One request. Its representation is enough to send it again."""

    method: str
    path: str
    query: str = ""
    body: bytes = b""
    content_type: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def is_safe(self) -> bool:
        """Whether Django, which ignores case, takes the method for one that changes nothing."""
        return self.method.upper() in SAFE_METHODS

    def __str__(self) -> str:
        parts = [self.method, f"{self.path}?{self.query}" if self.query else self.path, self.content_type]
        shown = f"{self.body[:200]!r} ({len(self.body)} octets)" if self.body else ""
        return " ".join([*filter(None, parts), *(f"{n}: {v[:80]!r}" for n, v in self.headers.items()), shown])


def paths_of(at: Address, extra: dict[str, tuple[object, ...]]) -> list[str]:
    """Return paths of an address: of things that exist, and of a sample that may not."""
    candidates = [_candidates(at, each, extra.get(each, ())) for each in at.parameters]
    return [at.with_values(dict(zip(at.parameters, chosen, strict=True))) for chosen in product(*candidates)]


def _candidates(at: Address, parameter: str, extra: Iterable[object]) -> list[object]:
    try:
        found = list(islice(values_of(at.name, parameter), 30))
    except KeyError:
        found = []
    return list(dict.fromkeys(map(str, [*found, *extra]))) or [SAMPLES[parameter]]


def forms_in(html: str) -> Iterator[tuple[str, Fields]]:
    """Yield the action and the fields of each form of a page that is posted."""
    for form in FORM_ELEMENT.findall(html):
        action = ACTION.search(form[: form.index(">")])
        fields = [
            (unescape(element[1]), unescape(value[1]) if (value := VALUE.search(element[0])) else "")
            for element in NAMED_ELEMENT.finditer(form)
        ]
        yield unescape(action[1]) if action else "", tuple(fields)


@cache
def _operations() -> dict[tuple[str, str], dict[str, Any]]:
    """The example bodies of the API, by path pattern and method."""
    document = json.loads(openapi_document("json", settings.PUBLIC_ORIGIN))
    return {
        (path, method.upper()): _example(operation, document)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if method in {"post", "put", "patch"}
    }


def _example(operation: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    for example in content.get("examples", {}).values():
        return dict(_resolved(example, document)["value"])
    return dict.fromkeys(_resolved(content.get("schema", {}), document).get("properties", {}), "x")


def _resolved(part: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    """A part of the description, or the component to which it refers."""
    if "$ref" not in part:
        return part
    _, _, kind, name = part["$ref"].split("/")
    return dict(document["components"][kind][name])


def examples_of(at: Address) -> dict[str, dict[str, Any]]:
    """Return the example bodies of an address of the API, by method."""
    here = unquote(reverse(at.name, kwargs={each: SAMPLES[each] for each in at.parameters})).rstrip("/")
    return {
        method: example
        for (path, method), example in _operations().items()
        if re.fullmatch(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(path.rstrip("/"))), here)
    }


class Mutations:
    """Requests to one address by one seed. `forms` are the forms that pages post to it: their paths and fields."""

    def __init__(self, at: Address, paths: list[str], forms: list[tuple[str, Fields]], seed: str) -> None:
        self.paths, self.forms, self.fields = paths, forms, Fields()
        self.is_of_api = at.name.startswith("api")
        self.examples = examples_of(at) if at.name.startswith("api:") else {}
        self.random = Random(seed)

    def request(self) -> HostileRequest:
        method, path = self._method(), self.random.choice(self.paths)
        self.fields = ()
        if method == "POST" and self.forms and self._sometimes(0.9):
            path, self.fields = self.random.choice(self.forms)
        body, content_type = (b"", "") if method in SAFE_METHODS else self._body(method)
        content_type = self._content_type(content_type)
        return HostileRequest(method, self._path(path), self._query(), body, content_type, self._headers())

    def _sometimes(self, chance: float) -> bool:
        return self.random.random() < chance

    def _text(self) -> str:
        return self.random.choice(LONG if self._sometimes(0.01) else TEXTS)

    def _method(self) -> str:
        if self._sometimes(0.15):
            return self.random.choice(METHODS)
        if self.is_of_api:
            return self.random.choice(["GET", *self.examples])
        return self.random.choice(["GET", "POST", "POST"] if self.forms else ["GET", "GET", "GET", "POST"])

    def _path(self, path: str) -> str:
        if not self._sometimes(0.15):
            return path
        parts = path.split("/")
        parts[self.random.randrange(1, len(parts))] = quote(self._text()[:300], safe="")
        return "/".join(parts)

    def _query(self) -> str:
        if self._sometimes(0.5):
            return ""
        names = self.random.choices(PARAMETERS, k=self.random.randint(1, 4))
        if self._sometimes(0.02):
            names = [f"p{number}" for number in range(1_500)]
        return urlencode([(name, self._text()[:2_000]) for name in names])

    def _content_type(self, usual: str) -> str:
        return self.random.choice(CONTENT_TYPES) if self._sometimes(0.1) else usual

    def _headers(self) -> dict[str, str]:
        names = self.random.sample(sorted(HEADERS), k=self.random.choice((0, 0, 1, 2)))
        return {name: self.random.choice(HEADERS[name]) for name in names}

    def _body(self, method: str) -> tuple[bytes, str]:
        if self._sometimes(0.1):
            return self._files()
        return self._json(method) if self.is_of_api else self._form()

    def _json(self, method: str) -> tuple[bytes, str]:
        if self._sometimes(0.25):
            return self.random.choice(JSON_BODIES), "application/json"
        content = dict(self.examples.get(method, {}))
        for name in [*content, "unknown"]:
            if self._sometimes(0.3):
                content[name] = self.random.choice(JSON_VALUES)
            elif self._sometimes(0.1):
                content.pop(name, None)
        return json.dumps(content).encode(), "application/json"

    def _form(self) -> tuple[bytes, str]:
        fields = [(name, self._text() if self._sometimes(0.4) else value) for name, value in self.fields]
        fields = [each for each in fields if not self._sometimes(0.05)]
        fields += [
            (name, self._text()) for name in self.random.choices(PARAMETERS, k=2) if self._sometimes(0.2)
        ]
        if self._sometimes(0.02):
            fields += [(f"p{number}", "x") for number in range(1_500)]
        encoded = urlencode(fields)
        return (encoded + "&x=%ED%A0%80%ff" if self._sometimes(0.05) else encoded).encode(), FORM

    def _files(self) -> tuple[bytes, str]:
        name = self.random.choice([name for name, _ in self.fields] or ["file"])
        head = f'--b\r\nContent-Disposition: form-data; name="{name}"; filename="../x.html"\r\n\r\n'
        end = "" if self._sometimes(0.3) else "--b--\r\n"
        return f"{head}{self._text()}\r\n{end}".encode(), "multipart/form-data; boundary=b"
