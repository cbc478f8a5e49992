"""/namespaces/<nid>/ of a namespace that has a profile: what it is, its examples, its rules and their sources."""

import html
import re
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from registry.accounts.models import User
from registry.namespaces.actions import registration
from registry.namespaces.models import Namespace
from tests.support.browser import signed_in
from tests.support.factories import a_profile, a_template, describe
from urnsyntax.profiles import Profile

pytestmark = pytest.mark.django_db

PLANTS = "/namespaces/plants/"
EDIT = f"{PLANTS}profile/edit/"


def with_sources(profile: Profile, *sources: dict[str, Any]) -> Profile:
    return Profile.from_dict(profile.to_dict() | {"sources": list(sources)})


def shown(client: Client, address: str = PLANTS) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return " ".join(html.unescape(response.text).split())


def test_the_page_leads_with_title_and_nid_then_the_summary(client: Client, plants: Namespace) -> None:
    describe(plants)
    page = shown(client)
    heading = re.sub(r"<[^>]*>|\s", "", page[page.index("<h1>") : page.index("</h1>")])
    assert heading == "Treesofgardensurn:plants:"
    parts = (
        "</h1>",
        'class="lede">Every tree has a name.',
        'id="examples"',
        'id="grammar"',
        'id="registration"',
    )
    assert [page.index(part) for part in parts] == sorted(page.index(part) for part in parts)
    assert "<title>Trees of gardens (urn:plants) ·" in page


def test_organisation_homepage_specifications_and_notes_are_shown(client: Client, plants: Namespace) -> None:
    profile = a_profile(
        "plants",
        resource="a tree",
        organisation="Gardens & Trees",
        homepage="https://gardens.example/?a=1&b=2",
        specifications=[{"title": "Numbers of trees", "url": "https://gardens.example/numbers"}],
        notes=["Whether a garden exists is not checked."],
    )
    describe(plants, profile)
    response = client.get(PLANTS).text
    assert '<a href="https://gardens.example/?a=1&amp;b=2">' in response
    page = shown(client)
    for words in (
        "<dd>a tree</dd>",
        "<dd>Gardens & Trees</dd>",
        '<a href="https://gardens.example/numbers">Numbers of trees</a>',
        "<li>Whether a garden exists is not checked.</li>",
    ):
        assert words in page


def test_facts_that_are_not_stated_have_no_section(client: Client, plants: Namespace) -> None:
    describe(plants)
    page = shown(client)
    assert 'id="about"' not in page
    assert "Specifications" not in page
    assert '<p class="origin"></p>' not in page


def test_subjects_lead_to_the_list(client: Client, plants: Namespace) -> None:
    describe(plants, a_profile("plants", subjects=["science", "law"]))
    page = shown(client)
    for subject in ("science", "law"):
        address = f"/namespaces/?subject={subject}"
        assert f'<a href="{address}">{subject.capitalize()}</a>' in page
        assert PLANTS in client.get(address).text
    assert PLANTS not in client.get("/namespaces/?subject=health").text


def test_examples_and_counterexamples_lead_to_the_page_of_the_urn(client: Client, plants: Namespace) -> None:
    describe(plants, a_profile("plants", examples=("12:4711", "1:1", "1%3A2:3"), pattern="[0-9%A-F]+:[0-9]+"))
    page = shown(client)
    assert '<a class="nid" href="/urns/?urn=urn%3Aplants%3A1%253A2%3A3">urn:plants:1%3A2:3</a>' in page
    wrong = page[page.index("<details>") :]
    assert 'href="/urns/?urn=urn%3Aplants%3Atwelve">urn:plants:twelve</a>' in wrong
    assert "It is wrong." in wrong


def test_the_grammar_is_shown_with_labels_check_digits_and_ignored_differences(
    client: Client, plants: Namespace
) -> None:
    profile = a_profile(
        "plants",
        abnf='plant = number ":" garden\nnumber = 8DIGIT\ngarden = 1*DIGIT',
        parts={"garden": "garden", "number": "number of the plant"},
        checks=[{"algorithm": "gtin", "part": "number"}],
        ignored_characters="-",
        examples=("73513537:1", "73513537:2", "73513537:33"),
        counterexamples=("73513538:1", "7351353:1", "73513537"),
    )
    describe(plants, profile)
    page = shown(client)
    assert 'plant = number ":" garden number = 8DIGIT garden = 1*DIGIT</pre>' in page
    assert 'in <a href="https://www.rfc-editor.org/rfc/rfc5234">ABNF</a>' in page
    parts = "<li><code>number</code>: number of the plant</li><li><code>garden</code>: garden</li>"
    assert parts in page, "in the order of the grammar"
    assert "<dd>GTIN, in number of the plant</dd>" in page
    assert "Ignored when names are compared: hyphens." in page


def test_the_parts_of_a_pattern_are_in_its_order(client: Client, plants: Namespace) -> None:
    pattern = "(?P<garden_number>[0-9]+):(?P<tree>[0-9]+)"
    parts = {"tree": "tree of the garden", "garden_number": "garden"}
    describe(plants, a_profile("plants", pattern=pattern, parts=parts))
    page = shown(client)
    assert "this pattern, a <a" in page
    assert "<li><code>garden_number</code>: garden</li><li><code>tree</code>: tree of the garden</li>" in page


def test_without_a_grammar_the_page_says_why_and_has_no_field(client: Client, plants: Namespace) -> None:
    describe(plants, a_profile("plants", unstated="Each garden has its own rules."))
    page = shown(client)
    assert "No grammar is stated. Each garden has its own rules." in page
    assert 'id="id_urn"' not in page
    assert "Names that break the rules" not in page


def test_names_are_tried_on_the_page_of_the_urn_and_while_typing(client: Client, plants: Namespace) -> None:
    describe(plants)
    page = shown(client)
    form = page[page.index('action="/urns/"') :]
    assert 'data-hx-get="/namespaces/plants/check/"' in form
    assert 'data-hx-trigger="input changed delay:300ms from:#id_urn, submit"' in form
    assert 'value="urn:plants:12:4711"' in form


def test_facts_of_the_registry_are_marked_apart_from_those_of_the_registration(
    client: Client, plants: Namespace
) -> None:
    own = {"facts": ["summary", "subjects"], "kind": "curated", "document": "Registration of urn:plants"}
    standard = {
        "facts": ["grammar"],
        "kind": "standard",
        "document": "ISO <1>",
        "section": "4.2",
        "url": "https://iso.example/1",
    }
    text = {"facts": ["title", "examples"], "kind": "registration", "document": "Registration of urn:plants"}
    describe(plants, with_sources(a_profile("plants"), own, standard, text))
    page = shown(client)
    assert "From the registration: title. Curated by the registry: summary, subjects.</p>" in page, (
        "several kinds"
    )
    assert '<p class="origin">From the standard</p>' in page, "one kind"
    row = page[page.index('<th scope="row">Grammar</th>') :]
    assert row.startswith(
        '<th scope="row">Grammar</th> <td data-label="Document"><a href="https://iso.example/1">ISO <1></a></td>'
        ' <td data-label="Section">4.2</td> <td data-label="Kind">From the standard</td>'
    )
    assert "ISO &lt;1&gt;" in client.get(PLANTS).text
    facts = re.findall('<th scope="row">([^<]*)</th>', page)
    assert facts == ["Title", "Summary", "Subjects", "Grammar", "Examples"]


def test_the_page_says_who_set_the_version_and_leads_to_all(
    client: Client, plants: Namespace, administrator: User
) -> None:
    describe(plants, by=administrator)
    day = plants.profile_versions.get().set_at.date().isoformat()
    page = shown(client)
    assert f'Version 1, set by {administrator} on <time datetime="{day}">{day}</time>' in page
    assert f'<a href="{PLANTS}profile/">Versions of the profile</a>' in page


def test_a_deprecated_namespace_keeps_its_description(client: Client, plants: Namespace) -> None:
    describe(plants)
    Namespace.objects.filter(pk=plants.pk).update(
        deprecated_at=timezone.now(), deprecation_statement="No garden uses it."
    )
    page = shown(client)
    for words in ("This namespace is deprecated", "No garden uses it.", "Every tree has a name."):
        assert words in page


def test_administrators_add_or_edit_the_profile(
    client: Client, plants: Namespace, administrator: User, registrant: User
) -> None:
    link = f'<a class="button" href="{EDIT}">'
    assert f"{link}Add a profile</a>" in shown(signed_in(administrator))
    for other in (client, signed_in(registrant)):
        assert EDIT not in shown(other)
        assert 'id="profile"' not in shown(other)
    describe(plants)
    assert f"{link}Edit the profile</a>" in shown(signed_in(administrator))
    for other in (client, signed_in(registrant)):
        assert EDIT not in shown(other)


def test_without_a_profile_the_purpose_stands_below_the_nid(client: Client, registrant: User) -> None:
    registration.register_formal(a_template(purpose="word " * 60), registrant=registrant)
    page = shown(client, "/namespaces/example-trees/")
    assert f'<p class="lede">{"word " * 40}…</p>' in page


def test_what_a_profile_says_is_shown_as_text(client: Client, plants: Namespace) -> None:
    script = "<script>alert(1)</script>"
    profile = a_profile(
        "plants", title=script, summary=script, organisation=script, keywords=[script], notes=[script]
    )
    describe(plants, profile)
    for address in (PLANTS, "/namespaces/", f"{PLANTS}profile/"):
        assert "<script>alert" not in client.get(address).text
        assert "&lt;script&gt;alert(1)" in client.get(address).text


def test_a_page_with_a_profile_needs_as_many_queries(
    client: Client, plants: Namespace, administrator: User, django_assert_num_queries: Any
) -> None:
    describe(plants, by=administrator)
    with django_assert_num_queries(9):
        client.get(PLANTS)
