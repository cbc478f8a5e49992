"""/namespaces/<nid>/check/: the verdict on a name while it is typed."""

import html
from typing import Any

import pytest
from django.test import Client

from registry.namespaces.models import Kind, Namespace, Origin
from tests.support.factories import a_profile, an_imported_namespace, describe
from urnsyntax.profiles import Profile

pytestmark = pytest.mark.django_db
CHECK = "/namespaces/books/check/"


@pytest.fixture(autouse=True)
def books() -> Namespace:
    return described(
        a_profile(
            "books",
            pattern="(?P<number>97[89][0-9]{10})",
            parts={"number": "number of the book"},
            checks=[{"algorithm": "isbn-13"}],
            examples=("9780451450524", "9789510184356", "9780306406157"),
            counterexamples=("9780451450523", "978", "x"),
        )
    )


def described(profile: Profile) -> Namespace:
    return describe(an_imported_namespace(profile.nid), profile)


def verdict(client: Client, text: str, address: str = CHECK) -> str:
    response = client.get(address, {"urn": text}, headers={"HX-Request": "true"})
    assert response.status_code == 200
    assert "<html" not in response.text
    assert "HX-Replace-Url" not in response.headers, "the address of the page stays"
    return " ".join(html.unescape(response.text).split())


@pytest.mark.parametrize("text", ["urn:books:9780451450524", "9780451450524", " URN:BOOKS:9780451450524\n"])
def test_a_right_name_is_shown_with_its_parts(client: Client, text: str) -> None:
    said = verdict(client, text)
    assert "verdict-right" in said
    assert '<dt>Number of the book</dt><dd class="nid">9780451450524</dd>' in said
    assert "books%3A9780451450524" in said.replace("BOOKS", "books"), "the page of the URN"


@pytest.mark.parametrize("text", ["urn:books:9780451450523", "9780451450523"])
def test_a_wrong_name_is_shown_with_place_reason_and_repair(client: Client, text: str) -> None:
    said = verdict(client, text)
    assert "verdict-wrong" in said
    assert f"urn:books:9780451450523 {'^'}</pre>" in said
    assert "The check digit is wrong; it would be 4." in said
    assert '<a class="nid" href="/urns/?urn=urn%3Abooks%3A9780451450524">' in said


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("urn:books:", "Not a URN"),
        ("9 78", "At this position, a space is not allowed in the NSS"),
        ("urn:books", "Not a URN"),
        ("urn:issn:0028-0836", "A URN of another namespace"),
        ("<script>", "Not a URN"),
        ("9" * 9_000, "rules are checked for up to 8,192"),
    ],
    ids=lambda value: value[:20],
)
def test_other_texts_have_a_verdict_too(client: Client, text: str, words: str) -> None:
    assert words in verdict(client, text)
    assert "<script>" not in client.get(CHECK, {"urn": text}, headers={"HX-Request": "true"}).text


@pytest.mark.parametrize("text", ["", "  "])
def test_no_text_has_no_verdict(client: Client, text: str) -> None:
    assert verdict(client, text) == ""


def test_without_known_rules_only_the_syntax_is_checked(client: Client) -> None:
    Namespace.objects.create(nid="plants", kind=Kind.FORMAL, origin=Origin.IANA)
    described(a_profile("trees", unstated="Each garden has its own rules."))
    no_profile = verdict(client, "urn:plants:a", "/namespaces/plants/check/")
    assert "The registry does not know the rules of this namespace." in no_profile
    assert "Each garden has its own rules." in verdict(client, "urn:trees:a", "/namespaces/trees/check/")
    assert "Not a URN" in verdict(client, "urn:trees:a b", "/namespaces/trees/check/")


def test_without_htmx_the_page_of_the_urn_answers(client: Client) -> None:
    response = client.get(CHECK, {"urn": "urn:books:9780451450523"})
    assert (response.status_code, response.headers["Location"]) == (
        302,
        "/urns/?urn=urn%3Abooks%3A9780451450523",
    )
    assert "HX-Request" in response.headers["Vary"]


def test_a_name_is_only_read_and_its_namespace_is_registered(client: Client) -> None:
    assert client.post(CHECK).status_code == 405
    assert client.get("/namespaces/bookz/check/", headers={"HX-Request": "true"}).status_code == 404
    assert client.get("/namespaces/BOOKS/check/?urn=a").headers["Location"] == f"{CHECK}?urn=a"


def test_a_verdict_needs_one_query(client: Client, django_assert_num_queries: Any) -> None:
    for text in ("urn:books:9780451450524", "urn:books:9780451450523", "9" * 9_000):
        with django_assert_num_queries(1):
            verdict(client, text)
