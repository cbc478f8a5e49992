"""Renders pages as an anonymous visitor sees them, with links adapted to the snapshot.

Links to pages in the snapshot are unchanged. Links to other pages of the site, such as search or sign-in, become
absolute URLs of the live site.
"""

import io
import posixpath
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.handlers.base import BaseHandler
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import Resolver404, resolve

from registry.core.exceptions import RegistryError
from registry.core.http.urls import absolute_url
from registry.publication.snapshot import pages

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


# url(…) and @import "…" in a style sheet. A URL that begins with a scheme, "/" or "#" is not a relative path.
CSS_REFERENCE = re.compile(r"""(?:url\(\s*["']?|@import\s+["'])(?![a-z]+:|/|#)([^"')?#]+)""")


class AssetMissing(RegistryError):
    """A page references an asset that does not exist."""

    title = "An asset is missing"

    def __init__(self, name: str) -> None:
        super().__init__(
            f"“{name}” does not exist. Run `manage.py collectstatic --no-input`, then try again."
        )


def read_asset(name: str) -> bytes:
    """Return the content of an asset by its name below STATIC_URL. Raises AssetMissing."""
    found = finders.find(name)
    if isinstance(found, str):  # The name has no digest, so the collected file may be outdated.
        return Path(found).read_bytes()
    if not staticfiles_storage.exists(name):
        raise AssetMissing(name)
    with staticfiles_storage.open(name) as file:
        return bytes(file.read())


def referenced_assets(name: str, content: bytes) -> list[str]:
    """Return the assets that a style sheet references, by their names below STATIC_URL."""
    if not name.endswith(".css"):
        return []
    named = CSS_REFERENCE.findall(content.decode())
    return [posixpath.normpath(posixpath.join(posixpath.dirname(name), each.strip())) for each in named]


def with_dependencies(addresses: set[str]) -> dict[str, bytes]:
    """Return the assets at these URLs and their dependencies, by path on the site."""
    found: dict[str, bytes] = {}
    waiting = sorted(address.removeprefix(settings.STATIC_URL) for address in addresses)
    while waiting:
        name = waiting.pop()
        path = f"{settings.STATIC_URL}{name}"[1:]
        if path not in found:
            found[path] = read_asset(name)
            waiting += referenced_assets(name, found[path])
    return found


# Attributes with a URL, which all templates write in double quotes.
LINK = re.compile(rb'(?<=\s)(href|src|action|formaction)="([^"#]*)(#[^"]*)?"')
# htmx attributes of forms and links. They are removed because htmx requests only work on the live site. All must
# be removed: htmx suppresses a form with hx-trigger even if it has no URL.
HTMX = re.compile(rb'\s+(?:data-)?hx-[a-z:-]+="[^"]*"')
# Forms are submitted to the live site, also if their page is in the snapshot.
FOLLOWED = {"href", "src"}
HTML = "text/html"


class NotPublishable(RegistryError):
    """A page to publish does not exist or is not the same for all anonymous visitors."""

    title = "This page can't be published"


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """A response of the site: HTML, text or JSON."""

    media_type: str
    content: bytes


@lru_cache(maxsize=4096)
def view_at(path: str) -> str:
    """Return the name of the view at a path of this site, "" if there is none."""
    try:
        return resolve(path).view_name
    except Resolver404:
        return ""


@dataclass(slots=True)
class SiteRenderer:
    """Renders pages of the site within this process.

    `file_at` returns the file of the snapshot for a view and a path ("" if none), `substitute` the page that
    replaces a URL with a query ("" if none). `assets` collects the assets that pages reference.
    """

    file_at: Callable[[str, str], str]
    substitute: Callable[[str, str], str]
    assets: set[str] = field(default_factory=set)
    handler: BaseHandler = field(default_factory=BaseHandler)

    def __post_init__(self) -> None:
        if settings.DEBUG:
            raise NotPublishable(
                "With DEBUG=1, error pages show internal details. Set DEBUG=0 and try again."
            )
        self.handler.load_middleware()

    def get(self, path: str) -> RenderedPage:
        """Return the page at `path` with adapted links. Raises NotPublishable."""
        response = self.handler.get_response(build_request(path))
        if response.status_code != HTTPStatus.OK:
            raise NotPublishable(f"The status of {path} is {response.status_code}.")
        if response.cookies or not isinstance(response, HttpResponse):
            raise NotPublishable(
                f"{path} sets a cookie or streams its response, so it may differ between visitors."
            )
        media_type = str(response.get("Content-Type", "")).partition(";")[0]
        return RenderedPage(media_type, self._set(path, response.content, media_type))

    def file(self, path: str) -> tuple[str, bytes]:
        """Return the path in the snapshot and the content of the file for the page at `path`."""
        page = self.get(path)
        return pages.file_of(path, page.media_type), page.content

    def render(self, path: str, template: str, context: dict[str, object]) -> RenderedPage:
        """Return a page that exists only in the snapshot, in the layout of the site."""
        request = build_request(path)
        request.user = AnonymousUser()
        content = render_to_string(template, context, request).encode()
        return RenderedPage(HTML, self._set(path, content, HTML))

    def _set(self, path: str, content: bytes, media_type: str) -> bytes:
        if media_type != HTML:
            return content
        if b"csrfmiddlewaretoken" in content:
            raise NotPublishable(f"{path} contains a form with a secret of the visitor.")
        return LINK.sub(lambda link: self._link(path, link), HTMX.sub(b"", content))

    def _link(self, page: str, link: re.Match[bytes]) -> bytes:
        name, address, fragment = link[1].decode(), link[2].decode(), (link[3] or b"").decode()
        if not address and fragment:
            return link[0]
        if not (address in {"", *"?"} or address.startswith(("/", "?"))) or address.startswith("//"):
            return link[0]
        path, question, query = address.partition("?")
        path, query = path or page, question + query
        target = self._target(path, query) if name in FOLLOWED else self._live_url(path, query)
        return f'{name}="{target}{fragment}"'.encode()

    def _live_url(self, path: str, query: str) -> str:
        return absolute_url(f"{path}{query}")

    def _target(self, path: str, query: str) -> str:
        view = view_at(path)
        if path.startswith(settings.STATIC_URL) and not query:
            self.assets.add(path)
            return path
        if query and (other := self.substitute(view, query)):
            return other
        file = "" if query else self.file_at(view, path)
        if not file:
            return self._live_url(path, query)
        return path if file.endswith("index.html") else f"/{file}"
