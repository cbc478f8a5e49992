"""Requests to the fast paths of namespaces and to Django, whose responses must be equal."""

import io
from functools import partial
from typing import Any

from django.core.wsgi import get_wsgi_application

from registry.api.namespaces.fast_paths import (
    SUBNAMESPACE,
    all_namespaces,
    one_namespace,
    one_subnamespace,
)
from registry.core.http.fast_path import FastPaths
from registry.namespaces.lookup import LookupReader, release_tag

ISBN = "/api/v1/namespaces/isbn"
PLAIN = {
    "REQUEST_METHOD": "GET",
    "PATH_INFO": ISBN,
    "QUERY_STRING": "",
    "SERVER_NAME": "127.0.0.1",
    "SERVER_PORT": "8000",
    "SERVER_PROTOCOL": "HTTP/1.1",
    "HTTP_HOST": "localhost:8000",
    "REMOTE_ADDR": "127.0.0.1",
    "wsgi.url_scheme": "http",
}


class Answered:
    """What a WSGI application answered to one request."""

    def __init__(self, application: Any, **environ: Any) -> None:
        given = {**PLAIN, "wsgi.input": io.BytesIO(), "wsgi.errors": io.StringIO(), **environ}
        self.status = 0
        self.headers: dict[str, str] = {}
        body = application({name: value for name, value in given.items() if value is not None}, self._start)
        self.body = b"".join(body)
        if hasattr(body, "close"):
            body.close()

    def _start(self, status: str, headers: list[tuple[str, str]], *_error: Any) -> None:
        self.status = int(status[:3])
        self.headers = dict(headers)
        assert len(self.headers) == len(headers), "a header stands there twice"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Answered) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]


class Lookup:
    """The front, Django behind it, and how many requests got that far."""

    def __init__(self) -> None:
        self.django = get_wsgi_application()
        self.passed_on = 0
        self.reader = LookupReader(release_tag(), SUBNAMESPACE)
        paths = {
            "api:namespace": one_namespace,
            "api:namespaces": all_namespaces,
            "api:subnamespace": one_subnamespace,
        }
        self.front = FastPaths(
            self._count, {name: partial(each, self.reader) for name, each in paths.items()}
        )

    def _count(self, environ: Any, start_response: Any) -> Any:
        self.passed_on += 1
        return self.django(environ, start_response)

    def answer(self, **environ: Any) -> Answered:
        """The front's own answer, which must be Django's, too, and that of the requests which had it and its headers stored."""
        earlier = [Answered(self.front, **environ) for _ in range(2)]
        before = self.passed_on
        answered = Answered(self.front, **environ)
        assert self.passed_on == before, "the front passed it on"
        assert [answered, answered] == earlier
        assert answered == Answered(self.django, **environ)
        return answered

    def answer_of_django(self, **environ: Any) -> Answered:
        """Django's answer, which it must have been asked for through the front."""
        before = self.passed_on
        answered = Answered(self.front, **environ)
        assert self.passed_on == before + 1, "the front did not pass it on"
        return answered
