"""Pages as the site itself renders them for a stranger, with links that hold without the site.

A link to what the snapshot holds stays as it is. Everything else that is of this site, such as a search or
the page to sign in, leads to the living site by its whole address.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from http import HTTPStatus

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.handlers.base import BaseHandler
from django.http import HttpResponse
from django.template.loader import render_to_string
from django.urls import Resolver404, resolve

from registry.core.exceptions import RegistryError
from registry.publication.snapshot import pages
from registry.publication.snapshot.internal_requests import build_request

# Attributes with an address, as Django's templates and our own write them: always in double quotes.
LINK = re.compile(rb'(?<=\s)(href|src|action|formaction)="([^"#]*)(#[^"]*)?"')
# What htmx does with a form or a link. It asks its own site alone, which is not there: they do without. All of
# it has to go, for htmx holds back a form that says when to ask (hx-trigger) and not whom.
HTMX = re.compile(rb'\s+(?:data-)?hx-[a-z:-]+="[^"]*"')
# A form is for the living site, also where its page is published.
FOLLOWED = {"href", "src"}
HTML = "text/html"


class NotPublishable(RegistryError):
    """A page that is to be published is not the same for all strangers, or not there."""

    title = "This page can't be published"


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """What the site answers: a page, a text, JSON."""

    media_type: str
    content: bytes


@lru_cache(maxsize=4096)
def view_at(path: str) -> str:
    """The name of the view at a path of this site; "" where there is none."""
    try:
        return resolve(path).view_name
    except Resolver404:
        return ""


@dataclass(slots=True)
class SiteRenderer:
    """The site, asked within this process.

    `file_at` says which file of the snapshot holds a view's page at a path ("" if none does), `substitute` what
    stands in for an address with a query ("" if nothing does). `assets` gathers what pages name.
    """

    file_at: Callable[[str, str], str]
    substitute: Callable[[str, str], str]
    assets: set[str] = field(default_factory=set)
    handler: BaseHandler = field(default_factory=BaseHandler)

    def __post_init__(self) -> None:
        if settings.DEBUG:
            raise NotPublishable(
                "With DEBUG=1 errors show what nobody should see. Set it to 0 and try again."
            )
        self.handler.load_middleware()

    def get(self, path: str) -> RenderedPage:
        """The page at `path`, its links set. Raises NotPublishable when that is not what it should be."""
        response = self.handler.get_response(build_request(path))
        if response.status_code != HTTPStatus.OK:
            raise NotPublishable(f"{path} is answered with {response.status_code}.")
        if response.cookies or not isinstance(response, HttpResponse):
            raise NotPublishable(f"{path} sets a cookie, or streams: it is not the same for everybody.")
        media_type = str(response.get("Content-Type", "")).partition(";")[0]
        return RenderedPage(media_type, self._set(path, response.content, media_type))

    def file(self, path: str) -> tuple[str, bytes]:
        """The file for the page at `path`: its own path in the snapshot, and its content."""
        answer = self.get(path)
        return pages.file_of(path, answer.media_type), answer.content

    def render(self, path: str, template: str, context: dict[str, object]) -> RenderedPage:
        """A page that is the snapshot's alone, in the site's layout."""
        request = build_request(path)
        request.user = AnonymousUser()
        content = render_to_string(template, context, request).encode()
        return RenderedPage(HTML, self._set(path, content, HTML))

    def _set(self, path: str, content: bytes, media_type: str) -> bytes:
        if media_type != HTML:
            return content
        if b"csrfmiddlewaretoken" in content:
            raise NotPublishable(f"{path} holds a form with a secret of its visitor.")
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
        return f"{settings.PUBLIC_ORIGIN}{path}{query}"

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
