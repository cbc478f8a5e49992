"""All pages that a GET reaches, for each person: from the URL table, and along the links of the pages.

The pages are kept unchanged, so that the browser and the HTML checker see the same ones.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import urljoin, urlsplit

from django.core.cache import cache as counted
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.test import Client, RequestFactory
from django.urls import Resolver404, resolve
from django.views.defaults import bad_request, page_not_found, permission_denied, server_error

from tests.contracts.test_url_table import PUBLIC
from tests.journeys.addresses import ASKED, ASKED_BY_ADMINISTRATOR, ASKED_IN_PARTS, derived
from tests.journeys.full_registry import fill, person
from tests.journeys.page_elements import elements_of

STRANGER = ""
PEOPLE = (
    STRANGER,
    "registrant",
    "second-registrant",
    "expert",
    "second-expert",
    "administrator",
    "liaison",
    "participant",
)
# Sees what most people see: all public pages, and those of own cases.
A_REGISTRANT = ("registrant",)
# Pages of one view, seen by one person, are much alike; cases are not: there is one in every state. To those who
# neither ask for them nor review them, they too are alike.
AT_MOST = 2
# The list of services, which is an error page for everyone.
FOUND_BY_NO_ONE = "resolution:without_service"
CASES = {"cases:detail": 20, "cases:edit": 8, "review_desk:review": 6, "namespaces:detail": 3}
WITH_CASES = {STRANGER, "registrant", "second-registrant", "expert"}
# The API documentation page, and the file that it loads.
OF_THE_API = {"api:schema-browser", "api:schema-file"}


@dataclass(frozen=True, slots=True)
class Page:
    """One HTML response: its view, person, text and content security policy."""

    view: str
    path: str
    person: str
    status: int
    html: str
    policy: str = ""

    def __str__(self) -> str:
        return f"{self.view} {self.path} ({self.person or 'a stranger'}, {self.status})"


@dataclass(slots=True)
class Walk:
    """The result of a crawl: pages, and by path the files that they show or link to."""

    people: tuple[str, ...] = PEOPLE
    pages: list[Page] = field(default_factory=list)
    files: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    views_of_files: set[str] = field(default_factory=set)
    views_of_parts: set[str] = field(default_factory=set)
    # Views that take no GET, and those to which a page's form was sent.
    refusing: set[str] = field(default_factory=set)
    sent_to: set[str] = field(default_factory=set)

    @property
    def views(self) -> set[str]:
        pages = {page.view for page in self.pages if page.status == 200}
        return pages | self.views_of_files | self.views_of_parts


def walk(visited: Walk) -> Walk:
    """The walk of `visit`, with the responses to the forms that it found, parts of pages, and errors."""
    found, seen = deepcopy(visited), visited.pages
    found.pages += [*_in_parts(found, seen), *_sent_empty(found, seen), *_of_errors()]
    counted.clear()  # attempts
    return found


def visit(people: tuple[str, ...]) -> Walk:
    """Crawl a database with data on every page. The demonstration may be in it."""
    found = Walk(people)
    told_by_mail = fill()
    for who in people:
        _crawl(
            found,
            who,
            # The page of an action that is not open says the same to everyone.
            derived(without=() if who in A_REGISTRANT else {"cases:transition"}),
            {STRANGER: (*ASKED, *told_by_mail), "administrator": ASKED_BY_ADMINISTRATOR}.get(who, ()),
        )
    return found


def client_of(who: str) -> Client:
    client = Client(headers={"accept": "text/html,*/*;q=0.8"})  # as browsers do
    if who:
        client.force_login(person(who))
    return client


@cache
def place_of(path: str) -> tuple[str, str]:
    """The view of a path; each action has its own page."""
    try:
        match = resolve(urlsplit(path).path)
    except Resolver404:
        return "", ""
    return match.view_name, str(match.kwargs.get("name", ""))


class _Limits:
    """Which pages a person still visits."""

    def __init__(self, who: str, asked: tuple[str, ...]) -> None:
        self._who, self._asked = who, asked
        self._met, self._refused, self._open = Counter[tuple[str, str]](), Counter[str](), set[str]()

    def leave_out(self, path: str) -> bool:
        view, _ = place = place_of(path)
        room = view.partition(":")[0]
        if room == "api" and view not in OF_THE_API:
            return True
        if path in self._asked:
            return False
        # After two refusals and no success, the other views of the app are refused, too (tests/contracts, tests/review_desk).
        is_closed = room not in self._open and self._refused[room] >= AT_MOST
        return is_closed or self._met[place] >= self._at_most(view)

    def note(self, path: str, status: int) -> None:
        view, _ = place = place_of(path)
        room = view.partition(":")[0]
        if status == 200:
            self._met[place] += path not in self._asked
            self._open.add(room)
        self._refused[room] += status in {403, 404} and view != FOUND_BY_NO_ONE

    def _at_most(self, view: str) -> int:
        if view in CASES:
            return CASES[view] if self._who in WITH_CASES else min(CASES[view], 7)
        # Strangers have visited them, and they show no one more.
        is_alike = self._who and (view in PUBLIC or view.startswith("admin:"))
        return 1 if is_alike or self._who not in WITH_CASES else AT_MOST


def _crawl(found: Walk, who: str, begin: Iterable[str], asked: tuple[str, ...]) -> None:
    client, seen, limits = client_of(who), set[str](), _Limits(who, asked)
    waiting = deque(["/", *asked, *begin])
    while waiting:
        path = waiting.popleft()
        if path in seen or limits.leave_out(path):
            continue
        seen.add(path)
        answer = client.get(path)
        waiting += [each for each in _keep(found, path, who, answer) if each not in seen]
        limits.note(path, answer.status_code)


def _keep(found: Walk, path: str, who: str, answer: Any) -> list[str]:
    """Keep a response, and return its links within the site."""
    view = place_of(path)[0]
    if answer.status_code == 405:
        found.refusing.add(view)
    if answer.has_header("Location"):
        links = [answer["Location"]]
    elif _is_page(answer):
        page = _page(view, path, who, answer)
        found.pages.append(page)
        links = elements_of(page.html).links
    else:
        links = []
        if answer.status_code == 200:
            found.views_of_files.add(view)
            found.files[path] = (answer["Content-Type"], answer.getvalue())
    there = [urljoin(path, link).partition("#")[0] for link in links]
    return [each for each in there if each.startswith("/") and not each.startswith("/static/")]


def _is_page(answer: Any) -> bool:
    is_html = answer.get("Content-Type", "").startswith("text/html")
    return is_html and not answer.streaming and bool(answer.content)


def _page(view: str, path: str, who: str, answer: Any) -> Page:
    policy = answer.get("Content-Security-Policy", "")
    return Page(view, path, who, answer.status_code, answer.text, policy)


def _in_parts(found: Walk, pages: list[Page]) -> Iterator[Page]:
    """The parts that htmx inserts into a page, each as a document. Changes are rolled back."""
    answered = set[str]()
    for page in pages:
        elements = elements_of(page.html)
        for path in sorted({_with_what_was_asked(page.path, part) for part in elements.parts} - answered):
            answered.add(path)
            yield _part_got(found, path, page.person)
        for form in elements.posted:
            if form.part_of and form.part_of not in answered:
                answered.add(form.part_of)
                found.sent_to.add(place_of(form.part_of)[0])
                with transaction.atomic():
                    client = client_of(page.person)
                    # The second time, the stamp is old, as after a change by another person.
                    for _ in range(2):
                        answer = client.post(form.part_of, form.sends, headers={"HX-Request": "true"})
                        yield _part(form.part_of, page.person, answer)
                    transaction.set_rollback(True)
    for path in ASKED_IN_PARTS:
        yield _part_got(found, path, STRANGER)


def _with_what_was_asked(path: str, part: str) -> str:
    """The path of a page, with its query, for a part of the same page; otherwise the path of the part."""
    return path if urlsplit(path).path == part else part


def _part_got(found: Walk, path: str, who: str) -> Page:
    found.views_of_parts.add(place_of(path)[0])
    return _part(path, who, client_of(who).get(path, headers={"HX-Request": "true"}))


def _part(path: str, who: str, answer: Any) -> Page:
    assert "<html" not in answer.text, path
    around = (
        f'<!doctype html><html lang="en"><head><title>Part</title></head><body>{answer.text}</body></html>'
    )
    return Page("part", path, who, answer.status_code, around)


def _sent_empty(found: Walk, pages: list[Page]) -> Iterator[Page]:
    """The response to each kind of form if it is submitted empty. Changes are rolled back."""
    sent = set[tuple[str, str]]()
    for page in pages:
        for form in elements_of(page.html).posted if page.status == 200 else ():
            path = urljoin(page.path, form.action)
            place = _kind_of_form(*place_of(path))
            if place in sent:
                continue
            sent.add(place)
            found.sent_to.add(place_of(path)[0])
            with transaction.atomic():
                answer = client_of(page.person).post(path, form.sends, follow=True)
                transaction.set_rollback(True)
            if _is_page(answer):
                yield _page(f"POST {place_of(path)[0]}", answer.request["PATH_INFO"], page.person, answer)


def _kind_of_form(view: str, name: str) -> tuple[str, str]:
    """In the admin, all lists count as one form, and all rows as one."""
    return ("admin", view.rpartition("_")[2]) if view.startswith("admin:") else (view, name)


def _of_errors() -> Iterator[Page]:
    request = RequestFactory().get("/")
    views: tuple[Callable[[HttpRequest, Exception], HttpResponse], ...] = (
        bad_request,
        permission_denied,
        page_not_found,
        lambda asked, _: server_error(asked),
        lambda asked, _: HttpResponse(render_to_string("429.html", {}, asked), status=429),
        lambda *_: Client(enforce_csrf_checks=True).post("/accounts/login/"),
    )
    for view in views:
        answer = view(request, ValueError("no"))
        yield _page("error", f"/{answer.status_code}/", STRANGER, answer)
