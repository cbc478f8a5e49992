"""Every page that a GET reaches, seen by everybody: from the URL table, and along the links of the pages.

The pages are kept as they came, so that the browser and the checker of HTML look at the same ones.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from io import StringIO
from itertools import product
from typing import Any
from urllib.parse import urljoin, urlsplit

from allauth.account.forms import default_token_generator
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from allauth.account.utils import user_pk_to_url_str
from django.core.cache import cache
from django.core.management import call_command
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.test import Client, RequestFactory
from django.urls import Resolver404, resolve
from django.views.defaults import bad_request, page_not_found, permission_denied, server_error

from registry.accounts.models import Token, User
from registry.accounts.tokens import make_token
from registry.namespaces.actions import offer_transfer
from registry.namespaces.models import Namespace, Transfer
from registry.registrations import actions, editors
from registry.registrations.models import Registration, State
from registry.registrations.workflow import ACT_BY_NAME, MOVE_BY_NAME
from tests.contracts.test_url_table import Address, every_address

STRANGER = ""
PEOPLE = (STRANGER, "registrant", "second-registrant", "expert", "administrator", "liaison")
# Pages of one view, seen by one person, are much alike; cases are not: there is one in every state.
AT_MOST = 3
CASES = {"registrations:detail": 20, "registrations:edit": 8}
# What is said to whoever types or asks for it, and no link leads to.
ASKED = (
    "/?q=nothing",
    "/namespaces/?q=nothing-like-it",
    "/namespaces/?kind=special",
    "/namespaces/?after=zzz",
    "/namespaces/is_bn/",
    "/namespaces/x-foo/",
    "/namespaces/isbm/",
    "/namespaces/example-trees/compare/?from=9&to=x",
    *(f"/nids/?nid={nid}" for nid in ("isbm", "x-foo", "fipa", "example-birds", "is_bn")),
    "/urns/?urn=urn:isbn:0451450523%3F%2Br%3F%3Dq%23f",
    f"/urns/?urn=urn:isbn:{'a' * 200}",
    "/urns/?urn=urn:isbn:a%20b",
    "/registrations/?nid=nothing-like-it",
    "/registrations/?state=special",
    "/nothing-here/",
)


@dataclass(frozen=True, slots=True)
class Page:
    """One answer in HTML: what it was, to whom, and its text."""

    view: str
    path: str
    person: str
    status: int
    html: str

    def __str__(self) -> str:
        return f"{self.view} {self.path} ({self.person or 'a stranger'}, {self.status})"


@dataclass(slots=True)
class Walk:
    """What was found: pages, and by its path whatever else they show or lead to."""

    pages: list[Page] = field(default_factory=list)
    files: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    views_of_files: set[str] = field(default_factory=set)

    @property
    def views(self) -> set[str]:
        return {page.view for page in self.pages if page.status == 200} | self.views_of_files


class _Kinds(HTMLParser):
    """Where a page leads, where its forms post to, and which kinds of elements it is made of."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links, self.posts, self.kinds = list[str](), list[str](), set[tuple[str, ...]]()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        had = dict(attrs)
        self.kinds.add((tag, had.get("class") or "", *sorted(had.keys() - {"class"})))
        self.links += [had[name] or "" for name in ("href", "src") if name in had]
        if tag == "form" and had.get("method") == "post":
            self.posts.append(had.get("action") or "")


def kinds_of(page: Page) -> set[tuple[str, ...]]:
    return _Kinds(page.html).kinds


def walk() -> Walk:
    """Over a database with the demonstration in it, and what the demonstration leaves out."""
    found = Walk()
    key_of_reset, key_of_address = _prepare()
    for person in PEOPLE:
        _crawl(found, person, [*_derived(), *ASKED, *(() if person else (key_of_reset, key_of_address))])
    found.pages += [*_sent_empty(found), *_fragments(), *_of_errors()]
    cache.clear()  # where attempts are counted
    return found


def _user(person: str) -> User:
    return User.objects.get(email=f"{person}@example.org")


def _client(person: str) -> Client:
    client = Client()
    if person:
        client.force_login(_user(person))
    return client


def _prepare() -> tuple[str, str]:
    """Fill the database; the addresses that only a mail tells."""
    call_command("demo", "--with-known-passwords", stdout=StringIO())
    registrant, heir = _user("registrant"), _user("second-registrant")
    make_token(by=registrant, name="An example", scopes=["read"])
    offer_transfer(Namespace.objects.get(nid="example-trees"), by=registrant, to=heir, reason="We merge.")
    recipes = Registration.objects.get(state=State.CHANGES_REQUESTED)
    editors.add_co_editor(recipes, by=registrant, user=heir)
    bridges = Registration.objects.get(requested_nid="example-bridges")
    actions.anticipate_standards_action(bridges, by=_user("expert"), anticipated=True, reason="In a draft.")
    other = EmailAddress.objects.create(user=registrant, email="other@example.org")
    reset = f"{user_pk_to_url_str(registrant)}-{default_token_generator.make_token(registrant)}"
    return (
        f"/accounts/password/reset/key/{reset}/",
        f"/accounts/confirm-email/{EmailConfirmationHMAC(other).key}/",
    )


def _derived() -> Iterator[str]:
    """An address or two for every named view, with values of things that are there."""
    values: dict[str, Callable[[Address], list[Any]]] = {
        "pk": _keys,
        "name": lambda at: (
            ["expert"] if at.name.startswith("people:") else [each.replace("_", "-") for each in MOVES]
        ),
        "nid": lambda _: ["example-trees", "isbn"],
        "version": lambda _: [1],
        "number": lambda _: [1],
        "slug": lambda _: ["states"],
        "file": lambda _: ["urn-namespaces.xml"],
        "key": lambda _: ["a-key"],
        "uidb36": lambda _: ["1"],
    }
    for at in every_address():
        # Where nobody could guess a value, as in the administrators' tables, links lead there.
        if is_a_page(at) and values.keys() >= set(at.parameters):
            names = at.parameters
            for chosen in product(*(values[name](at) for name in names)):
                yield at.with_values(dict(zip(names, chosen, strict=True)))


MOVES = (*MOVE_BY_NAME, *ACT_BY_NAME)


def is_a_page(at: Address) -> bool:
    """Whether a person may come there; the API's own description is the one page below it."""
    return bool(at.path) and (not at.name.startswith("api:") or at.name == "api:browse")


def _keys(at: Address) -> list[Any]:
    room = at.name.partition(":")[0]
    if room == "people":
        return [_user("expert").pk]
    if room == "tokens":
        return [Token.objects.values_list("pk", flat=True)[0]]
    if room == "namespaces":
        return [Transfer.objects.values_list("pk", flat=True)[0]]
    begun, submitted = Registration.objects.order_by("-pk")[0], Registration.objects.order_by("pk")[0]
    return [submitted.pk] if at.name == "registrations:move" else [submitted.pk, begun.pk]


def _place(path: str) -> tuple[str, str]:
    """The view of a path; a page of a move is unlike that of another."""
    try:
        match = resolve(urlsplit(path).path)
    except Resolver404:
        return "", ""
    return match.view_name, str(match.kwargs.get("name", ""))


def _crawl(found: Walk, person: str, begin: list[str]) -> None:
    client, seen, met = _client(person), set[str](), Counter[tuple[str, str]]()
    waiting = ["/", *begin]
    while waiting:
        path = waiting.pop(0)
        place = _place(path)
        if path in seen or met[place] >= CASES.get(place[0], AT_MOST) + len(ASKED) * (path in ASKED):
            continue
        seen.add(path)
        if place[0].startswith("api:") and place[0] != "api:browse":
            continue
        answer = client.get(path)
        leads = _keep(found, path, person, answer)
        met[place] += answer.status_code == 200
        waiting += [each for each in leads if each not in seen]


def _keep(found: Walk, path: str, person: str, answer: Any) -> list[str]:
    """Keep an answer; where it leads within the site."""
    if answer.has_header("Location"):
        links = [answer["Location"]]
    elif not answer.streaming and answer.content and answer.get("Content-Type", "").startswith("text/html"):
        page = Page(_place(path)[0], path, person, answer.status_code, answer.text)
        found.pages.append(page)
        links = _Kinds(page.html).links
    else:
        links = []
        if answer.status_code == 200:
            found.views_of_files.add(_place(path)[0])
            found.files[path] = (answer["Content-Type"], answer.getvalue())
    there = [urljoin(path, link).partition("#")[0] for link in links]
    return [each for each in there if each.startswith("/") and not each.startswith("/static/")]


def _sent_empty(found: Walk) -> Iterator[Page]:
    """What each kind of form says when nothing is filled in; whatever that changes is taken back."""
    sent = set[tuple[str, str]]()
    for page in list(found.pages):
        for action in _Kinds(page.html).posts if page.status == 200 else ():
            path = urljoin(page.path, action)
            if _place(path) in sent:
                continue
            sent.add(_place(path))
            with transaction.atomic():
                answer = _client(page.person).post(path)
                transaction.set_rollback(True)
            if answer.get("Content-Type", "").startswith("text/html") and answer.content:
                yield Page(f"POST {page.view}", path, page.person, answer.status_code, answer.text)


def _fragments() -> Iterator[Page]:
    """What htmx puts into a page, in a document of its own."""
    draft = Registration.objects.order_by("-pk")[0]
    answers = [
        ("/namespaces/?q=is", Client().get("/namespaces/?q=is", headers={"HX-Request": "true"})),
        ("/nids/?nid=isbm", Client().get("/nids/?nid=isbm", headers={"HX-Request": "true"})),
    ]
    with transaction.atomic():
        path = f"/registrations/{draft.pk}/edit/autosave/"
        answers.append((path, _client("registrant").post(path, {"stamp": draft.draft_stamp})))
        transaction.set_rollback(True)
    for path, answer in answers:
        assert "<html" not in answer.text, path
        around = f'<!doctype html><html lang="en"><head><title>Part</title></head><body>{answer.text}</body></html>'
        yield Page("fragment", path, STRANGER, answer.status_code, around)


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
        yield Page("error", f"/{answer.status_code}/", STRANGER, answer.status_code, answer.text)
