"""Rules that every response follows, for any sender and any request."""

import re
import traceback
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlsplit

from django.urls import Resolver404, resolve

from registry.resolution.models import ConfirmedHost
from tests.contracts.test_url_table import ASKED_BY_POST, PUBLIC
from tests.security.hostile_requests import HostileRequest
from tests.security.hostile_values import MARKER
from tests.security.identities import EDITORS, Identity, World

DESK = {"expert", "administrator", "liaison", "leader"}
# By the app of a view, the only people who are ever shown something; of others, see PUBLIC.
OPEN_TO = {
    "admin": {"administrator"},
    "people": {"administrator"},
    "review_desk": DESK,
    "metrics": set[str](),
}
# The key in the address is the permission; mail providers send this form by themselves (RFC 8058).
BY_KEY = {"cases:unsubscribe_by_mail"}
MARKUP = ("text/html", "image/svg+xml", "application/xhtml+xml")
WRITES = re.compile(
    r"\b(?:INSERT INTO|UPDATE|DELETE FROM|TRUNCATE) +\"?(?!SET\b)(\w+)|\b(procrastinate_defer\w*)\("
)
LOCK = re.compile(r"\bFOR (?:NO KEY )?UPDATE\b")
# Written while reading: sessions and their last use, counted requests, the last use of a token, stored lookups, and digests of files.
WRITTEN_BY_READING = re.compile(
    r"django_session|usersessions_usersession|\w*counter|accounts_token|namespaces_cachedlookup|publication_filedigest"
)


class ActiveMarkup(HTMLParser):
    """Finds the marker as an element, as an event handler, or as a script in an address."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [tag, *(name for name, _ in attrs)]
        self.found += [name for name in names if name.startswith((MARKER, f"on{MARKER}"))]
        addresses = [value or "" for name, value in attrs if name in {"href", "src", "action", "formaction"}]
        self.found += [
            value for value in addresses if value.startswith((f"javascript:{MARKER}", f"//{MARKER}"))
        ]


def violations(
    request: HostileRequest, answer: Any, who: Identity, world: World, statements: Iterable[str]
) -> Iterator[str]:
    """Yield a sentence for each invariant that the response breaks."""
    content = b"" if answer.streaming else answer.content
    if answer.streaming:
        content = b"".join(answer.streaming_content)
    if answer.status_code >= 500:
        yield f"status {answer.status_code}: {_cause(answer)}"
    if b"Traceback (most recent call last)" in content:
        yield "a traceback in the response"
    yield from _secrets_in(content, who)
    yield from _written(request, statements)
    yield from _access(request, answer, who, world)
    yield from _headers(answer)
    yield from _markup(answer, content)


def _cause(answer: Any) -> str:
    info = getattr(answer, "exc_info", None)
    return "".join(traceback.format_exception(*info)[-4:]) if info else "no exception was raised"


def _secrets_in(content: bytes, who: Identity) -> Iterator[str]:
    for name, secret in who.secrets.items():
        if secret in content:
            yield f"the response contains {name}"


def _written(request: HostileRequest, statements: Iterable[str]) -> Iterator[str]:
    if not request.is_safe:
        return
    for sql in statements:
        for table, function in WRITES.findall(LOCK.sub("", sql)):
            if not WRITTEN_BY_READING.fullmatch(table):
                yield f"{request.method} writes {table or function}"


def _access(request: HostileRequest, answer: Any, who: Identity, world: World) -> Iterator[str]:
    view, kwargs = _view_of(answer)
    is_shown = 200 <= answer.status_code < 300 and request.method.upper() != "OPTIONS"
    if not view or not is_shown:
        return
    app = view.partition(":")[0]
    if who.role not in OPEN_TO.get(app, {who.role}):
        yield f"{view} is shown to the {who.role}"
    is_public = view in PUBLIC or f"{app}:*" in PUBLIC
    if who.user is None and not is_public:
        yield f"{view} is shown to strangers"
    is_account = view.startswith("account_")
    writes = not request.is_safe
    if (
        who.user is None
        and writes
        and not is_account
        and view not in ASKED_BY_POST | BY_KEY
        and "Authorization" not in request.headers
    ):
        yield f"{view} accepts {request.method} from strangers"
    number = str(kwargs.get("pk" if app != "api" else "number", ""))
    is_of_case = app in {"cases", "api", "review_desk"} and "cases/" in request.path
    if is_of_case and number == str(world.draft.pk) and who.role not in EDITORS:
        yield f"{view} shows a draft to the {who.role}"


def _view_of(answer: Any) -> tuple[str, dict[str, Any]]:
    """Return the name and the parameters of the view that answered; "" if none did."""
    try:
        match = resolve(answer.wsgi_request.path_info)
    except Resolver404:
        return "", {}
    return match.view_name or "", match.kwargs


def _is_resolution(answer: Any, host: str) -> bool:
    """Whether a URN was resolved to a host that is confirmed."""
    view, _ = _view_of(answer)
    of_resolution = view in {"resolution:resolve", "resolution:uri_service"}
    return of_resolution and ConfirmedHost.objects.filter(host=host).exists()


def _headers(answer: Any) -> Iterator[str]:
    location = answer.get("Location", "")
    host = urlsplit(location.replace("\\", "/")).netloc
    if host not in {"", "testserver"} and not _is_resolution(answer, host):
        yield f"redirects to {location}"
    if MARKER in answer.cookies:
        yield "sets a cookie of the request"
    if answer.get("Content-Type", "").startswith(MARKUP):
        policy = answer.get("Content-Security-Policy", "")
        if "default-src 'self'" not in policy and "default-src 'none'" not in policy:
            yield "a page without a Content-Security-Policy"
        if answer.get("X-Content-Type-Options") != "nosniff":
            yield "a page without nosniff"


def _markup(answer: Any, content: bytes) -> Iterator[str]:
    if answer.get("Content-Type", "").startswith(MARKUP) and MARKER.encode() in content:
        for found in ActiveMarkup(content.decode(errors="replace")).found:
            yield f"the page contains {found} unescaped"
