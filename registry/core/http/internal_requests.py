"""Requests of the registry itself, for the pages of its snapshot."""

from typing import Any
from urllib.parse import urlsplit
from wsgiref.util import setup_testing_defaults

from django.conf import settings
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest


class SnapshotRequest(WSGIRequest):
    """A request of the registry itself. Templates mark its page as a copy; it is not throttled, and writes nothing."""

    is_snapshot = True


def is_internal(request: HttpRequest) -> bool:
    """Return whether the registry itself makes this request, for its snapshot."""
    return bool(getattr(request, "is_snapshot", False))


def build_request(path: str) -> WSGIRequest:
    """Return an anonymous GET request to the public origin."""
    origin = urlsplit(settings.PUBLIC_ORIGIN)
    environ: dict[str, Any] = {
        "PATH_INFO": path,
        "HTTP_HOST": origin.netloc,
        "HTTP_ACCEPT": "*/*",
        "HTTP_X_FORWARDED_PROTO": origin.scheme,
        "REMOTE_ADDR": "127.0.0.1",
        "wsgi.url_scheme": origin.scheme,
    }
    setup_testing_defaults(environ)  # what WSGI requires besides
    return SnapshotRequest(environ)
