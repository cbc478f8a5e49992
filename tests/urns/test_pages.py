"""/urns/?urn=: one URN, or where a text stops being one."""

from typing import Any

import pytest
from django.test import Client
from pytest_django.asserts import assertContains, assertNotContains

from registry.namespaces.models import Kind, Namespace

pytestmark = pytest.mark.django_db


def test_without_a_urn_there_are_examples_to_look_at(client: Client) -> None:
    response = client.get("/urns/")
    assertContains(response, "Enter a URN")
    assertContains(response, 'href="?urn=urn%3Aisbn%3A0451450523"')


def test_the_parts_the_normal_form_and_the_namespace_are_shown(client: Client) -> None:
    Namespace.objects.create(nid="wxn", kind=Kind.FORMAL, holder="Example Weather Network")
    response = client.get("/urns/", {"urn": "URN:WXN:a%2fb?+lang?=q=1#top"})
    for part in ("WXN", "a%2fb", "lang", "q=1", "top", "urn:wxn:a%2Fb"):
        assertContains(response, f">{part}</")
    assertContains(response, 'href="/namespaces/wxn/"')
    assertContains(response, "Example Weather Network")
    assertContains(response, "An r-component should not be used")


def test_an_empty_f_component_is_present(client: Client) -> None:
    assertContains(client.get("/urns/", {"urn": "urn:wxn:a#"}), "present and empty")


def test_an_unregistered_namespace_is_reported(client: Client) -> None:
    assertContains(client.get("/urns/", {"urn": "urn:wxn:a"}), "is not registered")
    assertContains(client.get("/urns/", {"urn": "urn:x-foo:a"}), "must not start with &quot;X-&quot;")


@pytest.mark.parametrize(
    ("text", "caret"),
    [
        ("urn:wxn:a b", "urn:wxn:a b\n         ^"),
        ("urn:wxn:a\n", "urn:wxn:a\\n\n         ^"),
        ("urn:wxn:é", "urn:wxn:é\n        ^"),
        ("urn:wxn:", "urn:wxn:\n        ^"),
        ("urn:٣gpp:a", "urn:٣gpp:a\n    ^"),
        (" urn:wxn:a", " urn:wxn:a\n^"),
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
    response = client.get("/urns/", {"urn": '"><script>alert(1)</script>'})
    assertContains(response, 'value="&quot;&gt;&lt;script&gt;', status_code=400)
    assertNotContains(response, "<script>", status_code=400)


def test_a_very_long_urn_is_read(client: Client) -> None:
    assert client.get("/urns/", {"urn": "urn:wxn:" + "a" * 50_000}).status_code == 200


def test_one_urn_costs_one_query(client: Client, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(1):
        client.get("/urns/", {"urn": "urn:wxn:a"})
    with django_assert_num_queries(0):
        client.get("/urns/", {"urn": "urn:wxn:"})
