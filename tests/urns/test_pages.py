"""/urns/?urn=: what one URN names, whether it follows the rules, or where a text stops being a URN."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from pytest_django.asserts import assertContains, assertNotContains

from registry.namespaces.models import Kind, Namespace
from tests.support.factories import describe
from urnsyntax.profiles import load_profile

pytestmark = pytest.mark.django_db

PROFILES = Path(settings.BASE_DIR, "fixtures", "profiles")


def a_profiled_namespace(nid: str) -> Namespace:
    namespace = Namespace.objects.create(nid=nid, kind=Kind.FORMAL, holder="Example Holder")
    return describe(namespace, load_profile(PROFILES / f"{nid}.toml"))


def test_without_a_urn_there_are_examples_to_look_at(client: Client) -> None:
    response = client.get("/urns/")
    assertContains(response, "Enter a URN")
    assertContains(response, 'href="?urn=urn%3Aisbn%3A978-0-451-45052-4"')


@pytest.mark.parametrize("typed", ["urn:isbn", "URN:ISBN:", " urn:isbn: "])
def test_the_beginning_of_a_urn_leads_to_its_namespace(client: Client, typed: str) -> None:
    a_profiled_namespace("isbn")
    response = client.get("/urns/", {"urn": typed})
    assertContains(response, "The beginning of a URN", status_code=400)
    assertContains(response, 'href="/namespaces/isbn/"', status_code=400)
    assertContains(response, "International Standard Book Number, is registered", status_code=400)
    for other in ("urn:isbm", "urn:", "isbn", "urn:isbn:a b"):
        assertNotContains(client.get("/urns/", {"urn": other}), "The beginning of a URN", status_code=400)


def test_the_parts_the_canonical_form_and_the_namespace_are_shown(client: Client) -> None:
    Namespace.objects.create(nid="wxn", kind=Kind.FORMAL, holder="Example Weather Network")
    response = client.get("/urns/", {"urn": "URN:WXN:a%2fb?+lang?=q=1#top"})
    for part in ("WXN", "a%2fb", "lang", "q=1", "top", "urn:wxn:a%2Fb"):
        assertContains(response, f">{part}</")
    assertContains(response, 'href="/namespaces/wxn/"')
    assertContains(response, "Example Weather Network")
    assertContains(response, "An r-component should not be used")
    assertContains(response, "does not know the rules for names of this namespace")


def test_each_link_to_a_service_ends_with_the_f_component(client: Client) -> None:
    a_profiled_namespace("isbn")
    content = client.get("/urns/", {"urn": "urn:isbn:0451450523?=x=1#page/3?"}).content.decode()
    section = content[content.index('id="services"') : content.index('id="namespace"')]
    links = re.findall('href="([^"]*)" rel="noreferrer"|href="(/resolve/[^"]*)"', section)
    assert len(links) > 2
    assert all("".join(each).endswith("#page/3?") for each in links)
    assert "Ignores the q-component." in section


def test_a_wrong_check_digit_that_is_not_required_is_noted(client: Client) -> None:
    a_profiled_namespace("nbn")
    response = client.get("/urns/", {"urn": "urn:nbn:de:bvb:473-opus4-102148"})
    assertContains(response, "follows the rules of its namespace")
    assertContains(response, "The check digit is wrong; it would be 7.")
    assertContains(response, ">urn:nbn:de:bvb:473-opus4-102147</a>?")
    body = client.get("/api/v1/urns/urn:nbn:de:bvb:473-opus4-102148").json()
    assert [each["expected"] for each in body["judgement"]["notes"]] == ["7"]
    assert [each["urn"] for each in body["did_you_mean"]] == ["urn:nbn:de:bvb:473-opus4-102147"]


def test_an_address_of_a_service_leads_back_to_the_urn(client: Client) -> None:
    a_profiled_namespace("issn")
    response = client.get("/urns/", {"urn": "https://portal.issn.org/resource/ISSN/0028-0836"})
    assertContains(response, ">urn:issn:0028-0836</a>?", status_code=400)


def test_what_a_urn_names_is_said_first(client: Client) -> None:
    a_profiled_namespace("isbn")
    response = client.get("/urns/", {"urn": "urn:isbn:978-0-451-45052-4"})
    content = response.content.decode()
    places = [
        content.index(text)
        for text in (
            '<h2 id="result">A book</h2>',
            "International Standard Book Number, in the namespace",
            "follows the rules of its namespace",
            "<dt>GS1 element</dt>",
            "<dt>Canonical form</dt>",
            "urn:isbn:9780451450524",
            "<dt>Equivalent URNs</dt>",
            "urn:isbn:0451450523",
            "International ISBN Agency",
            "ISO 2108",
            "Namespace specific string (NSS)",
        )
    ]
    assert places == sorted(places)
    assertContains(response, 'href="https://www.isbn-international.org/"')
    assertContains(response, "Names are compared without hyphens, and as ISBN of 13 digits.")


def test_a_broken_rule_is_shown_at_its_character_with_a_repair(client: Client) -> None:
    a_profiled_namespace("isbn")
    response = client.get("/urns/", {"urn": "urn:ISBN:9780451450523"})
    assertContains(response, "Does not follow the rules of")
    assertContains(response, ">urn:ISBN:9780451450523\n                     ^</pre>")
    assertContains(response, "The check digit is wrong; it would be 4.")
    assertNotContains(response, 'id="citation"')
    assertContains(response, "Rule: isbn")
    assertContains(response, 'href="/urns/?urn=urn%3Aisbn%3A9780451450524">urn:isbn:9780451450524</a>?')
    assertNotContains(response, "follows the rules")
    answer = response.content.decode()
    names = answer.index("International Standard Book Number, in the namespace")
    assert (
        names
        < answer.index("A URN of this namespace names a book.")
        < answer.index("The check digit is wrong")
    )


def test_a_namespace_without_a_grammar_says_so(client: Client) -> None:
    a_profiled_namespace("3gpp")
    response = client.get("/urns/", {"urn": "urn:3gpp:a"})
    assertContains(response, "The rules of the namespace were not checked: ")
    assertNotContains(response, "follows the rules")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        (" “urn:isbn:0451450523”. ", "urn:isbn:0451450523"),
        ("ISBN 978-0-451-45052-4", "urn:isbn:978-0-451-45052-4"),
        ("9780451450523", "urn:isbn:9780451450524"),
        ("isbn:0451450523", "urn:isbn:0451450523"),
    ],
)
def test_a_text_that_was_meant_as_a_urn_gets_a_suggestion(client: Client, text: str, meant: str) -> None:
    a_profiled_namespace("isbn")
    response = client.get("/urns/", {"urn": text})
    assertContains(response, "Did you mean", status_code=400)
    assertContains(response, f">{meant}</a>?", status_code=400)


def test_nothing_is_suggested_for_a_text_that_is_no_name(client: Client) -> None:
    a_profiled_namespace("isbn")
    assertNotContains(client.get("/urns/", {"urn": "a book"}), "Did you mean", status_code=400)


def test_a_urn_is_shown_for_reading_with_what_could_be_mistaken(client: Client) -> None:
    response = client.get("/urns/", {"urn": "urn:wxn:p%D0%B0ypal:Gr%C3%B6%C3%9Fe:a%E2%80%AEb"})
    assertContains(response, '<bdi class="nid">urn:wxn:p\u0430ypal:Größe:a%E2%80%AEb</bdi>')
    assertContains(response, "could be mistaken for “paypal”")
    assertContains(response, "U+202E (RIGHT-TO-LEFT OVERRIDE)")
    assertContains(response, ">p%D0%B0ypal:Gr%C3%B6%C3%9Fe:a%E2%80%AEb</span>")
    assertNotContains(response, "\u202e")
    assertNotContains(client.get("/urns/", {"urn": "urn:wxn:a%2Fb"}), "For reading")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("../c", ["This is a relative reference, not a URN", "urn:/c, which is not a URN", "Section 4.3"]),
        ("#today", ["This is a relative reference, not a URN", "urn:example:a/b#today, which is a URN"]),
        (
            "UDI=wais://quake.think.com/archives?lynch",
            ["This is a Universal Document Identifier, not a URN", "<dt>Database</dt>", ">archives</span>"],
        ),
    ],
)
def test_what_is_not_a_urn_is_recognised(client: Client, text: str, said: list[str]) -> None:
    response = client.get("/urns/", {"urn": text})
    for each in said:
        assertContains(response, each, status_code=400)
    assert " This is a" in client.get("/api/v1/urns/", {"urn": text}).json()["detail"]


def test_spaces_around_a_urn_are_removed_and_mentioned(client: Client) -> None:
    response = client.get("/urns/", {"urn": " urn:wxn:a\n"})
    assertContains(response, "Spaces around the URN were removed.")
    assertContains(response, "is not a registered namespace")
    assertNotContains(client.get("/urns/", {"urn": "urn:wxn:a"}), "Spaces around")


def test_characters_are_counted_from_one(client: Client) -> None:
    assertContains(client.get("/urns/", {"urn": "urn:wxn:a b"}), "At character 10, a space", status_code=400)


def test_an_empty_f_component_is_present(client: Client) -> None:
    assertContains(client.get("/urns/", {"urn": "urn:wxn:a#"}), "present and empty")


def test_an_unregistered_namespace_is_reported(client: Client) -> None:
    assertContains(client.get("/urns/", {"urn": "urn:wxn:a"}), "is not a registered namespace")
    assertContains(client.get("/urns/", {"urn": "urn:x-foo:a"}), "must not start with &quot;X-&quot;")


def test_registered_lookalikes_of_an_unregistered_namespace_are_named(client: Client) -> None:
    a_profiled_namespace("isbn")
    response = client.get("/urns/", {"urn": "urn:ibsn:0451450523"})
    assertContains(response, "“ibsn” is not a registered namespace")
    assertContains(response, ">urn:isbn:0451450523</a>?")
    assertContains(
        response, 'Similar registered identifiers: <a class="nid" href="/namespaces/isbn/">isbn</a>'
    )


def test_a_deprecated_namespace_names_its_successor(client: Client, django_assert_num_queries: Any) -> None:
    successor = Namespace.objects.create(nid="wxn2", kind=Kind.FORMAL)
    Namespace.objects.create(
        nid="wxn",
        kind=Kind.FORMAL,
        deprecated_at="2026-01-01T00:00Z",
        deprecation_statement="Use wxn2.",
        successor=successor,
    )
    with django_assert_num_queries(1):
        response = client.get("/urns/", {"urn": "urn:wxn:a"})
    assertContains(response, "This namespace is deprecated.")
    assertContains(response, 'href="/namespaces/wxn2/"')


@pytest.mark.parametrize(
    ("text", "caret"),
    [
        ("urn:wxn:a b", "urn:wxn:a b\n         ^"),
        ("urn:wxn:a\nb", "urn:wxn:a\\nb\n         ^"),
        ("urn:wxn:é", "urn:wxn:é\n        ^"),
        ("urn:wxn:", "urn:wxn:\n        ^"),
        ("urn:٣gpp:a", "urn:٣gpp:a\n    ^"),
        ("urn:wxn:a%", "urn:wxn:a%\n         ^"),
        ("urn:wxn:a\0", "urn:wxn:a\\x00\n         ^"),
        (f"urn:{'a' * 33}:b", f"urn:{'a' * 33}:b\n{' ' * 36}^"),
    ],
)
def test_the_caret_is_under_the_first_wrong_character(client: Client, text: str, caret: str) -> None:
    response = client.get("/urns/", {"urn": text})
    assertContains(response, "Not a valid URN", status_code=400)
    assertContains(response, f">{caret}</pre>", status_code=400)


def test_what_was_typed_comes_back_as_text(client: Client) -> None:
    a_profiled_namespace("uuid")
    response = client.get("/urns/", {"urn": '"><script>alert(1)</script>'})
    assertContains(response, 'value="&quot;&gt;&lt;script&gt;', status_code=400)
    assertNotContains(response, "<script>", status_code=400)
    assertNotContains(client.get("/urns/", {"urn": "urn:uuid:'(a)"}), "'(a)")


def test_a_very_long_urn_is_read(client: Client) -> None:
    a_profiled_namespace("isbn")
    assert client.get("/urns/", {"urn": "urn:wxn:" + "a" * 50_000}).status_code == 200
    assert client.get("/urns/", {"urn": "urn:isbn:" + "1" * 50_000}).status_code == 200


def test_the_number_of_queries_is_bounded(client: Client, django_assert_num_queries: Any) -> None:
    a_profiled_namespace("isbn")
    with django_assert_num_queries(2):  # the namespace, and what is known of its services
        client.get("/urns/", {"urn": "urn:isbn:0451450523"})
    with django_assert_num_queries(4):  # the namespace, NIDs that are similar in two ways, and sightings
        client.get("/urns/", {"urn": "urn:wxn:a"})
    with django_assert_num_queries(2):
        client.get("/urns/", {"urn": "urn:isbn:%"})
    with django_assert_num_queries(4):
        client.get("/urns/", {"urn": "urn:wxn:%"})


def test_namespaces_with_similar_nids_are_read_together(
    client: Client, django_assert_num_queries: Any
) -> None:
    a_profiled_namespace("isbn")
    for nid in ("isbm", "isbo", "isb"):
        Namespace.objects.create(nid=nid, kind=Kind.FORMAL)
    # The namespace, NIDs that are similar in two ways, the namespaces that have them, and sightings.
    with django_assert_num_queries(5):
        response = client.get("/urns/", {"urn": "urn:isbx:0451450523"})
    for nid in ("isb", "isbm", "isbn", "isbo"):
        assertContains(response, f'<a class="nid" href="/namespaces/{nid}/">{nid}</a>')
    assertContains(response, ">urn:isbn:0451450523</a>?")
