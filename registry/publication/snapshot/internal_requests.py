"""A request that the registry makes to itself, as a stranger at the public origin would make it."""

import io
import sys
from urllib.parse import urlsplit

from django.conf import settings
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest

# A key of the WSGI environ, in which every header that a client sends is called HTTP_…: nobody else can set it.
ENVIRON_KEY = "registry.internal_request"


def is_internal(request: HttpRequest) -> bool:
    """Whether the registry asks itself: nobody is counted then, and nothing is written."""
    return ENVIRON_KEY in request.META


class SnapshotRequest(WSGIRequest):
    """Templates ask by this attribute, and say on the page that it is a copy."""

    is_snapshot = True


def build_request(path: str) -> WSGIRequest:
    """A stranger's GET, arriving at the public origin."""
    origin = urlsplit(settings.PUBLIC_ORIGIN)
    port = origin.port or (443 if origin.scheme == "https" else 80)
    return SnapshotRequest(
        {
            ENVIRON_KEY: True,
            "REQUEST_METHOD": "GET",
            "PATH_INFO": path,
            "QUERY_STRING": "",
            "SERVER_NAME": origin.hostname or "",
            "SERVER_PORT": str(port),
            "SERVER_PROTOCOL": "HTTP/1.1",
            "HTTP_HOST": origin.netloc,
            "HTTP_ACCEPT": "*/*",
            "HTTP_X_FORWARDED_PROTO": origin.scheme,
            "REMOTE_ADDR": "127.0.0.1",
            "wsgi.url_scheme": origin.scheme,
            "wsgi.input": io.BytesIO(),
            "wsgi.errors": sys.stderr,
            "wsgi.version": (1, 0),
            "wsgi.multithread": False,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
        }
    )
