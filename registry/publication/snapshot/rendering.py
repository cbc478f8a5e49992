"""Renders pages as an anonymous visitor sees them, with links adapted to the snapshot.

Links to pages in the snapshot are unchanged. Links to other pages of the site, such as search or sign-in, become
absolute URLs of the live site.
"""

import posixpath
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from http import HTTPStatus
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.handlers.base import BaseHandler
from django.http import HttpResponse
from django.template.loader import render_to_string
from django.urls import Resolver404, resolve

from registry.core.database.connections import database_snapshot
from registry.core.exceptions import RegistryError
from registry.core.http.internal_requests import build_request
from registry.core.http.urls import absolute_url
from registry.publication.snapshot import pages

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


@lru_cache(maxsize=4096)
def view_at(path: str) -> str:
    """Return the name of the view at a path of this site, "" if there is none."""
    try:
        return resolve(path).view_name
    except Resolver404:
        return ""


@dataclass(frozen=True, slots=True)
class RenderedBatch:
    """The files of some namespaces, each with its path in the snapshot, and the assets that they reference."""

    namespaces: int
    files: list[tuple[str, bytes]]
    assets: set[str]


class SiteRenderer:
    """Renders pages of the site within this process. `assets` collects the assets that they reference."""

    def __init__(self) -> None:
        if settings.DEBUG:
            raise NotPublishable(
                "With DEBUG=1, error pages show internal details. Set DEBUG=0 and try again."
            )
        self.assets = set[str]()
        self.handler = BaseHandler()
        self.handler.load_middleware()

    def file(self, path: str) -> tuple[str, bytes]:
        """Return the path in the snapshot and the content of the page at `path`. Raises NotPublishable."""
        response = self.handler.get_response(build_request(path))
        if response.status_code != HTTPStatus.OK:
            raise NotPublishable(f"The status of {path} is {response.status_code}.")
        if response.cookies or not isinstance(response, HttpResponse):
            raise NotPublishable(
                f"{path} sets a cookie or streams its response, so it may differ between visitors."
            )
        media_type = str(response.get("Content-Type", "")).partition(";")[0]
        content = self._adapted(path, response.content) if media_type == HTML else response.content
        return pages.file_of(path, media_type), content

    def own_file(self, path: str, template: str, context: dict[str, object]) -> tuple[str, bytes]:
        """Return a page that exists only in the snapshot, in the layout of the site."""
        request = build_request(path)
        request.user = AnonymousUser()
        content = render_to_string(template, context, request).encode()
        return pages.file_of(path, HTML), self._adapted(path, content)

    def batch(self, namespaces: list[pages.ToRender]) -> RenderedBatch:
        """Render all pages of these namespaces."""
        files = [self.file(address) for namespace in namespaces for address in pages.of_namespace(namespace)]
        return RenderedBatch(len(namespaces), files, set(self.assets))

    def _adapted(self, path: str, content: bytes) -> bytes:
        """Return a page whose links and forms work in the snapshot."""
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
        target = self._target(path, query) if name in FOLLOWED else absolute_url(f"{path}{query}")
        return f'{name}="{target}{fragment}"'.encode()

    def _target(self, path: str, query: str) -> str:
        view = view_at(path)
        if path.startswith(settings.STATIC_URL) and not query:
            self.assets.add(path)
            return path
        if query:
            return pages.substitute(view, path, query) or absolute_url(f"{path}{query}")
        file = pages.file_at(view, path)
        if not file:
            return absolute_url(path)
        return path if file.endswith("index.html") else f"/{file}"


@cache
def _site() -> SiteRenderer:
    return SiteRenderer()


def render_in_snapshot(snapshot_id: str, namespaces: list[pages.ToRender]) -> RenderedBatch:
    """Render a batch in a worker process, from the database snapshot that another process holds."""
    with database_snapshot(snapshot_id):
        return _site().batch(namespaces)
