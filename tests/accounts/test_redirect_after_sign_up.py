"""Redirects after sign-up: to the page that was requested before, and never to another site."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.account.models import EmailAddress
from django.core.cache import cache
from django.test import Client

from registry.accounts.models import User
from registry.mail.models import Message
from tests.support.browser import Walker
from tests.support.factories import PASSWORD

pytestmark = pytest.mark.django_db

EMAIL = "newcomer@example.org"
WANTED = "/cases/new/?nid=example-trees"
WITH_PASSWORDS = {"email": EMAIL, "password1": PASSWORD, "password2": PASSWORD}
ELSEWHERE = [
    "https://elsewhere.example/",
    "//elsewhere.example/",
    "///elsewhere.example/",
    "http:///elsewhere.example/",
    "\\\\elsewhere.example/",
    "/\\elsewhere.example/",
    "https:elsewhere.example",
    "javascript:alert(1)",
    " https://elsewhere.example/",
    "https://elsewhere.example/\n",
    "https://testserver@elsewhere.example/",
    "https://elsewhére.example/",
    "//٣.example/",
    "http://testserver.elsewhere.example/",
    # Hosts of our own are no exception: a way back is a path.
    "http://localhost:8000/mine/",
]


@pytest.fixture
def newcomer(client: Client) -> Walker:
    return Walker(client)


def the_link() -> str:
    """Return the link of the last mail, without its host."""
    message = Message.objects.latest("pk")
    link = re.search(r"https?://[^/]+(/accounts/confirm-email/\S+)$", message.body, re.MULTILINE)
    assert link, message.body
    return link[1]


def link_called(name: str, page: Walker) -> str:
    """Return the target of the last link of that name, which is in the page, not in the header."""
    found = re.findall(rf'<a href="([^"]*)"[^>]*>{name}</a>', page.text)
    assert found, page.text
    return str(found[-1])


def sign_up(newcomer: Walker, wanted: str = WANTED) -> None:
    """Request a page without an account, and sign up on the way."""
    newcomer.get(wanted)
    assert newcomer.path == "/accounts/login/"
    newcomer.get(link_called("Sign up", newcomer))
    newcomer.answer = newcomer.client.post(
        "/accounts/signup/", WITH_PASSWORDS | {"next": newcomer.field("next")}, follow=True
    )
    assert "Confirm your address: we’ve e-mailed a link to" in newcomer.text


def confirm(reader: Walker, link: str) -> None:
    reader.get(link)
    onward = {"next": reader.field("next")} if 'name="next"' in reader.text else {}
    reader.answer = reader.client.post(urlsplit(link).path, onward, follow=True)


def sign_in_and_confirm(reader: Walker, link: str) -> None:
    """Follow the link in a browser that is signed out, sign in, and confirm."""
    reader.get(link)
    assert reader.path == "/accounts/login/"
    reader.sign_in(EMAIL, onward=reader.field("next"))
    assert reader.path == urlsplit(link).path
    onward = {"next": reader.field("next")} if 'name="next"' in reader.text else {}
    reader.answer = reader.client.post(reader.path, onward, follow=True)


def test_in_the_same_browser_the_link_leads_to_the_page_that_was_wanted(newcomer: Walker) -> None:
    sign_up(newcomer)
    confirm(newcomer, the_link())
    assert newcomer.answer.request["QUERY_STRING"] == "nid=example-trees"
    assert (newcomer.path, newcomer.field("nid")) == ("/cases/new/", "example-trees")
    assert EmailAddress.objects.get(email=EMAIL).verified


def test_in_another_browser_the_link_leads_through_sign_in_to_the_page_that_was_wanted(
    newcomer: Walker,
) -> None:
    sign_up(newcomer)
    elsewhere = Walker(Client())
    sign_in_and_confirm(elsewhere, the_link())
    assert (elsewhere.path, elsewhere.field("nid")) == ("/cases/new/", "example-trees")


def test_the_link_does_not_sign_in_another_browser(newcomer: Walker) -> None:
    sign_up(newcomer)
    elsewhere = Walker(Client())
    confirm(elsewhere, the_link())
    assert "_auth_user_id" not in elsewhere.client.session


def test_the_link_signs_in_once(newcomer: Walker) -> None:
    sign_up(newcomer)
    confirm(newcomer, the_link())
    newcomer.client.post("/accounts/logout/")
    assert "This link has expired" in newcomer.get(the_link()).text
    assert "_auth_user_id" not in newcomer.client.session


def test_a_way_back_to_a_public_page_leads_there_signed_in(newcomer: Walker) -> None:
    newcomer.get("/accounts/signup/?next=/guide/")
    newcomer.client.post("/accounts/signup/", WITH_PASSWORDS | {"next": "/guide/"})
    elsewhere = Walker(Client())
    sign_in_and_confirm(elsewhere, the_link())
    assert elsewhere.path == "/guide/"
    assert "Sign out" in elsewhere.text


def test_signing_in_before_confirming_sends_a_mail_with_next(newcomer: Walker) -> None:
    newcomer.client.post("/accounts/signup/", WITH_PASSWORDS)
    assert "next" not in the_link()
    cache.clear()  # three minutes later
    other = Walker(Client())
    other.sign_in(EMAIL, onward=WANTED)
    confirm(other, the_link())
    assert other.path == "/cases/new/"


@pytest.mark.parametrize("page", ["Sign in", "Sign up"])
def test_every_link_between_the_two_pages_keeps_the_way(newcomer: Walker, page: str) -> None:
    newcomer.get("/accounts/login/?next=/mine/")
    for name in ("Sign up", "Sign in", page):
        newcomer.get(link_called(name, newcomer))
        links = re.findall(r'href="(/accounts/(?:login|signup)/[^"]*)"', newcomer.text)
        assert {parse_qs(urlsplit(link).query).get("next", [""])[0] for link in links} == {"/mine/"}


def test_the_confirmation_notice_keeps_next(newcomer: Walker) -> None:
    sign_up(newcomer)
    onward = parse_qs(urlsplit(link_called("sign in", newcomer)).query)
    assert onward == {"next": [WANTED]}


def test_a_password_that_is_refused_does_not_lose_the_way(newcomer: Walker) -> None:
    typed = {"email": EMAIL, "password1": "short", "password2": "short", "next": WANTED}
    newcomer.answer = newcomer.client.post("/accounts/signup/", typed)
    assert newcomer.field("next") == WANTED


@pytest.mark.parametrize("elsewhere", ELSEWHERE)
@pytest.mark.sampled(6)
def test_no_mail_leads_to_another_site(newcomer: Walker, elsewhere: str) -> None:
    newcomer.client.post("/accounts/signup/", WITH_PASSWORDS | {"next": elsewhere})
    assert "?" not in the_link()
    confirm(newcomer, the_link())
    assert newcomer.path == "/"


@pytest.mark.parametrize("elsewhere", ELSEWHERE)
@pytest.mark.sampled(6)
def test_a_forged_link_leads_to_no_other_site(newcomer: Walker, elsewhere: str) -> None:
    sign_up(newcomer)
    path = urlsplit(the_link()).path
    reader = Client()
    answer = reader.post(path, {"next": elsewhere}, follow=True)
    assert [urlsplit(address).path for address, _ in answer.redirect_chain] == ["/accounts/login/"]
    assert {urlsplit(address).netloc for address, _ in answer.redirect_chain} == {""}


@pytest.mark.parametrize("elsewhere", ELSEWHERE)
@pytest.mark.sampled(6)
def test_signing_in_leads_to_no_other_site(client: Client, registrant: User, elsewhere: str) -> None:
    typed = {"login": registrant.email, "password": PASSWORD, "next": elsewhere}
    assert client.post("/accounts/login/", typed)["Location"] == "/"


def test_a_link_fits_on_a_line_of_a_mail(newcomer: Walker) -> None:
    newcomer.client.post("/accounts/signup/", WITH_PASSWORDS | {"next": WANTED})
    (line,) = re.findall(r"^.*/accounts/confirm-email/.*$", Message.objects.get().body, re.MULTILINE)
    assert len(line) <= 120
