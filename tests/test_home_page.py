"""The home page."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.asserts import assertContains, assertNotContains

from registry.accounts.models import User
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Kind, Namespace
from tests.support.factories import a_case_in_review, a_draft, a_profile
from urnsyntax.profiles.profile import SUBJECTS

pytestmark = pytest.mark.django_db


def test_an_empty_registry_has_a_text_for_each_list(client: Client) -> None:
    response = client.get("/")
    assertContains(response, "No namespace is registered yet.")
    assertContains(response, "No registration has been revised yet.")
    assertContains(response, "No case is under review.")


def test_namespaces_are_counted_by_kind(client: Client) -> None:
    for nid in ("isbn", "uuid"):
        Namespace.objects.create(nid=nid, kind=Kind.FORMAL)
    Namespace.objects.create(nid="urn-1", kind=Kind.INFORMAL, number=1)
    response = client.get("/")
    assertContains(response, "<dt>formal namespaces</dt><dd>2</dd>", html=False)
    assertContains(response, "<dt>informal namespace</dt><dd>1</dd>", html=False)


def test_the_newest_come_first_and_the_undated_not_at_all(client: Client) -> None:
    for nid, day in (("old", "2016-08"), ("new", "2026-07-28"), ("undated", "")):
        Namespace.objects.create(nid=nid, kind=Kind.FORMAL, registered_on=day, updated_on=day)
    context = client.get("/").context
    assert [each.nid for each in context["newest"]] == ["new", "old"]
    assert [each.nid for each in context["revised"]] == ["new", "old"]


def test_the_lists_show_the_titles_of_profiles(client: Client) -> None:
    trees = Namespace.objects.create(
        nid="trees", kind=Kind.FORMAL, holder="An agency", registered_on="2026-07", updated_on="2026-08"
    )
    set_profile(trees, by=None, profile=a_profile("trees"), basis="The files.", replaces=0)
    response = client.get("/")
    assertContains(response, "Trees of gardens", count=2)
    assertNotContains(response, "An agency")


def test_each_subject_leads_to_its_namespaces(client: Client) -> None:
    response = client.get("/")
    for subject in SUBJECTS:
        assertContains(
            response, f'<a href="/namespaces/?subject={subject}">{subject.capitalize()}</a>', html=False
        )


def test_cases_under_review_are_shown_and_drafts_are_not(client: Client, registrant: User) -> None:
    a_case_in_review(by=registrant)
    a_draft(by=registrant, namespace_identifier="secret-trees")
    for person in (None, registrant):
        if person:
            client.force_login(person)
        response = client.get("/")
        assertContains(response, "example-trees")
        assertContains(response, "badge-in_review")
        assertNotContains(response, "secret-trees")


def test_the_first_page_is_cheap(client: Client, registrant: User, django_assert_num_queries: Any) -> None:
    for number in range(3):
        a_case_in_review(by=registrant, namespace_identifier=f"example-trees-{number}")
    with django_assert_num_queries(8):
        client.get("/")


def test_a_stranger_is_led_to_sign_in_and_sign_up(client: Client) -> None:
    response = client.get("/")
    for address in ("/accounts/login/", "/accounts/signup/", "/namespaces/", "/cases/", "/urns/"):
        assertContains(response, f'href="{address}"')
    assertNotContains(response, "/mine/")


def test_signed_in_users_have_a_page_and_sign_out_by_post(client: Client, registrant: User) -> None:
    client.force_login(registrant)
    response = client.get("/")
    assertContains(response, 'href="/mine/"')
    assertContains(response, '<form method="post" action="/accounts/logout/" data-forgets-texts>')
    assertNotContains(response, "/accounts/login/")


def test_the_guide_names_each_way_its_time_and_its_section(client: Client) -> None:
    response = client.get("/guide/")
    for said in ("urn:example:", "RFC 6963", "Section 5.2", "Section 6.3", "Section 6.4", "days to weeks"):
        assertContains(response, said)
    for address in ("/nids/", "/cases/new/", "/namespaces/"):
        assertContains(response, f'href="{address}')


def test_the_page_of_the_scheme_has_each_item_of_its_registration(client: Client) -> None:
    response = client.get(reverse("urn_scheme"))
    items = (
        "Scheme name", "Status", "Syntax", "Semantics", "Encoding", "Applications", "Interoperability", "Security", "Contact",
        "Change controller", "Reference",
    )  # fmt: skip
    for item in items:
        assertContains(response, f"<dt>{item}</dt>")
    assertContains(response, "RFC 8141, Section 7.1")
    assertContains(client.get("/"), 'href="/about/urn-scheme/"')
    assertContains(client.get("/sitemap-pages.xml"), "/about/urn-scheme/</loc>")


def test_the_first_page_leads_to_the_guide_and_the_checks(client: Client) -> None:
    response = client.get("/")
    for address in ("/guide/", "/nids/", "/urns/"):
        assertContains(response, f'href="{address}"')
    assertContains(response, 'action="/nids/"')


def test_a_count_above_the_limit_is_marked(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("registry.views.COUNTED", 2)
    for nid in ("isbn", "issn", "uuid"):
        Namespace.objects.create(nid=nid, kind=Kind.FORMAL)
    assertContains(client.get("/"), "<dt>formal namespaces</dt><dd>2+</dd>", html=False)
