"""Serves the pages of a crawl to a browser, each at its address."""

import mimetypes
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from django.contrib.staticfiles import finders
from playwright.sync_api import BrowserContext, Request

from tests.journeys.crawler import Page, Walk

# Where the script of axe is: the policies of pages let them load it, and the browser compiles it once.
AXE = "/axe.js"
FOR_AN_HOUR = {"Cache-Control": "max-age=3600"}
UNFOLD = """() => {
    for (const folded of document.querySelectorAll("details")) folded.open = true;
    return document.documentElement.scrollWidth - window.innerWidth;
}"""


class Site(ThreadingHTTPServer):
    """A local server that responds to every page address with the current page."""

    daemon_threads = True

    def __init__(self, walked: Walk) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        script = ("text/javascript; charset=utf-8", Axe().axe_script.encode())
        self.files = {**walked.files, AXE: script}
        self.shown = Page("", "", "", 200, "")

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


@contextmanager
def a_site(walked: Walk) -> Iterator[Site]:
    with Site(walked) as site:
        thread = Thread(target=site.serve_forever, daemon=True)
        thread.start()
        yield site
        site.shutdown()
        thread.join(60)


class _Answer(BaseHTTPRequestHandler):
    server: Site
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one piece: the second would wait until the first was acknowledged

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if self.headers["Sec-Fetch-Dest"] == "document":
            policy = self.server.shown.policy
            headers = {"Content-Security-Policy": policy} if policy else {}
            self._send("text/html; charset=utf-8", self.server.shown.html.encode(), headers)
        elif path.startswith("/static/") and (file := finders.find(path.removeprefix("/static/"))):
            kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
            self._send(kind, Path(str(file)).read_bytes(), FOR_AN_HOUR)
        elif path in self.server.files:
            self._send(*self.server.files[path], FOR_AN_HOUR if path == AXE else {})
        else:
            self.send_error(404)

    def _send(self, kind: str, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(200)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing is to be read of it."""


class Window:
    """A tab, and what is noted of the pages that are shown in it."""

    def __init__(self, context: BrowserContext, site: Site) -> None:
        self._site = site
        self.wide, self.elsewhere, self.complaints = list[str](), list[str](), list[str]()
        context.set_default_timeout(120_000)
        self.tab = context.new_page()
        self.tab.on("request", self._look_where)
        self.tab.on("console", lambda said: self._complain(said.text))
        self.tab.on("pageerror", lambda error: self._complain(str(error)))

    def show(self, page: Page) -> None:
        """The page with everything unfolded; whether it is wider than the window is noted."""
        self._site.shown = page
        self.tab.goto(f"{self._site.origin}{page.path}")
        beyond = self.tab.evaluate(UNFOLD)
        if beyond > 0:
            self.wide.append(f"{page} is wider than its window by {beyond}")

    def _look_where(self, request: Request) -> None:
        if not request.url.startswith((f"{self._site.origin}/", "data:")):
            self.elsewhere.append(f"{self._site.shown}: {request.url}")

    def _complain(self, words: str) -> None:
        self.complaints.append(f"{self._site.shown}: {words}")
