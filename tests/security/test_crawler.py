"""Mutated requests to every address, in every role: no response breaks an invariant of `tests.security.invariants`.

To every address a stranger, one of those to whom it is open and another person send one, and two where pages have forms for
it: other people to the next address. With `-m soak`, each person sends many to every address.
"""

import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from random import Random
from typing import Any
from urllib.parse import urljoin

import pytest
from django.contrib.auth.decorators import login_not_required
from django.core.cache import cache
from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse
from django.test import override_settings
from django.urls import Resolver404, path, resolve

from registry.accounts.models import User
from registry.cases.models import Case
from tests.contracts.test_url_table import Address, every_address, named_addresses
from tests.security.hostile_requests import FORM, Fields, HostileRequest, Mutations, forms_in, paths_of
from tests.security.identities import ACCOUNTS, DRAFT_TEXT, Identity, World, a_world
from tests.security.invariants import OPEN_TO, violations
from tests.support.databases import a_filled_database, rolled_back_in

SEED = "2026"
MANY = 20
PAGES_OPENED = 2
MOST_REPORTED = 20
pytestmark = [pytest.mark.exhaustive, pytest.mark.slow, pytest.mark.xdist_group("crawler")]
# The mailbox of the demonstration shows mails to everybody.
DEPLOYED = {"API_READS_A_MINUTE": 10**9, "API_WRITES_A_MINUTE": 10**9, "IS_DEMONSTRATION": False}


@dataclass
class Crawl:
    """The requests that were sent, the responses in numbers, and what was wrong."""

    world: World
    found: list[str] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    # By role and view, the fields of the forms that are posted to a path.
    forms: defaultdict[tuple[str, str], dict[str, Fields]] = field(default_factory=lambda: defaultdict(dict))

    def send(self, who: Identity, request: HostileRequest) -> Any:
        """Send one request, check the response, and take back what it changed."""
        statements: list[str] = []
        cookies = SimpleCookie(who.client.cookies)
        with connection.execute_wrapper(_recorder(statements)), transaction.atomic():
            answer = _answer(who, request)
            for each in violations(request, answer, who, self.world, statements):
                self.found.append(f"{each}\n    as {who.role}: {request}")
            transaction.set_rollback(True)
        who.client.cookies = cookies
        cache.clear()  # attempts to sign in
        self.statuses[answer.status_code] += 1
        return answer

    def open_pages(self, who: Identity, paths: list[str]) -> None:
        """Open pages as a browser does, and remember their forms."""
        for opened in paths[:PAGES_OPENED]:
            answer = self.send(who, HostileRequest("GET", opened))
            is_page = answer.get("Content-Type", "").startswith("text/html") and not answer.streaming
            if answer.status_code == 200 and is_page:  # and no file
                for action, fields in forms_in(answer.text):
                    target = urljoin(opened, action).partition("?")[0]
                    self.forms[who.role, _view_at(target)][target] = fields

    def attack(self, who: Identity, at: Address, count: int) -> None:
        numbers = tuple(self.world.case_numbers)
        has_cases = at.name.startswith(("cases:", "api:", "review_desk:"))
        seed = f"{SEED} {at.name} {who.role}"
        paths = paths_of(at, {"pk": numbers, "number": numbers} if has_cases else {})
        Random(seed).shuffle(paths)
        if not at.name.startswith("api"):
            self.open_pages(who, paths)
        forms = self.forms.get((who.role, at.name), {})
        mutations = Mutations(at, paths, list(forms.items()), seed)
        for _ in range(2 * count if forms else count):
            self.send(who, mutations.request())

    def assert_nothing_found(self) -> None:
        report = "\n".join(self.found[:MOST_REPORTED])
        assert not self.found, (
            f"{len(self.found)} violations in {sum(self.statuses.values())} requests:\n{report}"
        )


def _recorder(statements: list[str]) -> Callable[..., Any]:
    def record(execute: Any, sql: Any, params: Any, many: bool, context: Any) -> Any:
        statements.append(str(sql))
        return execute(sql, params, many, context)

    return record


def _view_at(target: str) -> str:
    try:
        return resolve(target).view_name
    except Resolver404:
        return ""


def _answer(who: Identity, request: HostileRequest) -> Any:
    headers = dict(request.headers)
    if who.token and request.path.startswith("/api"):
        headers.setdefault("Authorization", f"Bearer {who.token}")
    target = f"{request.path}?{request.query}" if request.query else request.path
    return who.client.generic(request.method, target, request.body, request.content_type, headers=headers)


@pytest.fixture(scope="module")
def filled(the_demonstration: str, django_db_blocker: Any) -> Iterator[tuple[str, World]]:
    worlds: list[World] = []
    fill = a_filled_database(lambda: worlds.append(a_world()), the_demonstration)
    with django_db_blocker.unblock(), fill as database:
        yield database, worlds[0]


@pytest.fixture
def world(filled: tuple[str, World], django_db_blocker: Any) -> Iterator[World]:
    database, world = filled
    logging.disable(logging.CRITICAL)  # of every refused request
    with django_db_blocker.unblock(), rolled_back_in(database), override_settings(**DEPLOYED):
        yield world
    logging.disable(logging.NOTSET)


def some_people(at: Address, number: int) -> set[str]:
    """A stranger, one of those to whom the address is open, and another person, in turn."""
    people = [role for role in ACCOUNTS if role != "anonymous"]
    open_to = [role for role in people if role in OPEN_TO.get(at.name.partition(":")[0], people)] or people
    return {"anonymous", open_to[number % len(open_to)], people[(number + 3) % len(people)]}


def test_hostile_requests_of_some_people_to_every_address(world: World) -> None:
    crawl = Crawl(world)
    for number, at in enumerate(named_addresses()):
        for role in sorted(some_people(at, number)):
            crawl.attack(world.identities[role], at, 1)
    crawl.assert_nothing_found()
    assert {200, 302, 400, 404, 405} <= crawl.statuses.keys()


@pytest.mark.soak
@pytest.mark.parametrize("role", ACCOUNTS)
def test_many_hostile_requests_of_each_person_to_every_address(world: World, role: str) -> None:
    crawl = Crawl(world)
    for at in named_addresses():
        crawl.attack(world.identities[role], at, MANY)
    crawl.assert_nothing_found()
    assert {200, 302, 400, 404, 405} <= crawl.statuses.keys()


# The invariants find what they are for


def shows(text: str) -> Callable[[HttpRequest], HttpResponse]:
    return lambda _request: HttpResponse(text)


def fails(request: HttpRequest) -> HttpResponse:
    raise LookupError(request.path)


@login_not_required
def open_to_strangers(request: HttpRequest) -> HttpResponse:
    return HttpResponse("open")


def writes(request: HttpRequest) -> HttpResponse:
    User.objects.filter(pk=request.user.pk).update(name="Changed")
    return HttpResponse("written")


def reflects(request: HttpRequest) -> HttpResponse:
    return HttpResponse(f"<p>{request.GET['q']}</p>")


def leads_away(request: HttpRequest) -> HttpResponse:
    return HttpResponse(status=302, headers={"Location": request.GET["q"]})


def shows_a_draft(request: HttpRequest) -> HttpResponse:
    return HttpResponse(Case.objects.get(draft__purpose=DRAFT_TEXT).draft["purpose"])


urlpatterns = [
    path("fails/", fails, name="fails"),
    path("open/", open_to_strangers, name="open"),
    path("writes/", writes, name="writes"),
    path("reflects/", reflects, name="reflects"),
    path("away/", leads_away, name="away"),
    path("draft/", shows_a_draft, name="draft"),
    path("traceback/", shows("Traceback (most recent call last):"), name="traceback"),
]


@pytest.mark.parametrize(("role", "at", "query", "expected"), [
    ("expert", "/fails/", "", "LookupError: /fails/"),
    ("anonymous", "/open/", "", "open is shown to strangers"),
    ("expert", "/writes/", "", "GET writes accounts_user"),
    ("expert", "/reflects/", "q=<xq9>", "xq9 unescaped"),
    ("expert", "/reflects/", "q=<a onxq9=1>", "onxq9 unescaped"),
    ("expert", "/reflects/", "q=<a href='javascript:xq9()'>", "javascript:xq9() unescaped"),
    ("expert", "/away/", "q=//xq9.example/", "redirects to //xq9.example/"),
    ("expert", "/away/", "q=/\\xq9.example/", "redirects to /\\xq9.example/"),
    ("administrator", "/draft/", "", "the response contains a draft"),
    ("expert", "/traceback/", "", "a traceback in the response"),
])  # fmt: skip
@override_settings(ROOT_URLCONF=__name__)
def test_a_violation_is_found(world: World, role: str, at: str, query: str, expected: str) -> None:
    crawl = Crawl(world)
    crawl.send(world.identities[role], HostileRequest("GET", at, query))
    assert any(expected in each for each in crawl.found), crawl.found


@override_settings(ROOT_URLCONF=__name__)
def test_a_page_without_headers_is_found(world: World) -> None:
    crawl = Crawl(world)
    with override_settings(MIDDLEWARE=["django.contrib.sessions.middleware.SessionMiddleware"]):
        who = world.identities["anonymous"]
        who.client.handler.load_middleware()
        crawl.send(who, HostileRequest("GET", "/open/"))
    who.client.handler.load_middleware()
    assert [each for each in crawl.found if "without nosniff" in each]
    assert [each for each in crawl.found if "without a Content-Security-Policy" in each]


def test_the_same_seed_makes_the_same_requests(world: World) -> None:
    at = next(each for each in every_address() if each.name == "cases:comment")
    runs = [
        Mutations(at, ["/cases/1/comment/"], [("/cases/1/comment/", (("text", "x"),))], SEED)
        for _ in range(2)
    ]
    first, second = ([each.request() for _ in range(20)] for each in runs)
    assert first == second
    assert any(not request.is_safe and request.content_type == FORM for request in first)
