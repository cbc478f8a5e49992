"""Requests to `/resolve/`, through Django's test client and to WSGI applications."""

from io import BytesIO
from typing import Any
from urllib.parse import unquote_to_bytes

from django.test import Client
from django.utils import timezone

from registry.namespaces.models import Namespace

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
TREE = "/resolve/urn:example-trees:12:4711"


def get(client: Client, path: str, accept: str | None = None, **headers: str) -> Any:
    return client.get(path, headers=({"accept": accept} if accept is not None else {}) | headers)


def deprecated(namespace: Namespace) -> Namespace:
    namespace.deprecated_at = timezone.now()
    namespace.deprecation_statement = "The garden closed."
    namespace.save()
    return namespace


class Answered:
    """The response of a WSGI application to a request for a target. `environ` replaces what follows from the target."""

    def __init__(self, application: Any, target: str, method: str = "GET", **environ: str) -> None:
        path, _, query = target.partition("?")
        whole: dict[str, Any] = {
            "REQUEST_METHOD": method,
            "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
            "QUERY_STRING": query,
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "8000",
            "HTTP_HOST": "localhost:8000",
            "wsgi.url_scheme": "http",
            "wsgi.input": BytesIO(),
            **environ,
        }
        self.body = b"".join(application(whole, self._start))

    def _start(self, status: str, headers: list[tuple[str, str]], *_: Any) -> None:
        self.status, self.headers = status, sorted(headers)
