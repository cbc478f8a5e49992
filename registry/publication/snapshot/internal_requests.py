"""Internal requests, which render pages as an anonymous visitor at the public origin would see them."""

import io
import sys
from urllib.parse import urlsplit

from django.conf import settings
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest

# A key of the WSGI environ that clients cannot set, because the keys of their headers begin with HTTP_.
ENVIRON_KEY = "registry.internal_request"


def is_internal(request: HttpRequest) -> bool:
    """Return whether the request is internal; such requests are not throttled and write nothing."""
    return ENVIRON_KEY in request.META


class SnapshotRequest(WSGIRequest):
    """A request for a snapshot page. Templates check the attribute to mark the page as a copy."""

    is_snapshot = True


def build_request(path: str) -> WSGIRequest:
    """Return an anonymous GET request to the public origin."""
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
