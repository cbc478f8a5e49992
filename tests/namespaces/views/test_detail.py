"""/namespaces/<nid>/ and its versions."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django.asserts import assertContains, assertNotContains

from registry.accounts.models import User
from registry.namespaces.actions import registration
from registry.namespaces.models import Namespace, Revision
from registry.registration_template.sections import SECTIONS
from tests.support.factories import a_template, an_imported_namespace

pytestmark = pytest.mark.django_db


def revised(namespace: Namespace, **changes: Any) -> Revision:
    changes = {"revision_information": "The gardens are numbered anew.", **changes}
    return registration.register_revision(namespace, a_template(version=2, **changes))


def test_all_sections_are_shown_in_full(client: Client, trees: Namespace) -> None:
    response = client.get("/namespaces/example-trees/")
    for section in SECTIONS:
        assertContains(response, f'id="{section.key}"')
        assertContains(response, section.title)
    assertContains(response, "Example Arboretum")
    assertContains(response, "urn:example-trees:12:4711")
    assertContains(response, "Not provided", count=2)


def test_the_registration_is_said_to_be_advisory(client: Client, trees: Namespace) -> None:
    """Declarations may be false, and ought to be taken as advisory (RFC 8141, Section 8)."""
    assertContains(client.get("/namespaces/example-trees/"), "Take it as advisory", count=1)


@pytest.mark.parametrize(
    "address",
    [
        "/namespaces/{}/",
        "/namespaces/{}/?from=a",
        "/namespaces/{}/versions/1/",
        "/namespaces/{}/versions/1/template.txt",
        "/namespaces/{}/compare/?from=1&to=2",
    ],
)
@pytest.mark.parametrize("nid", ["Example-Trees", "EXAMPLE-TREES", "example-treeS"])
def test_every_case_of_letters_leads_to_the_address_in_lower_case(
    client: Client, address: str, nid: str
) -> None:
    response = client.get(address.format(nid))
    assert (response.status_code, response.headers["Location"]) == (301, address.format("example-trees"))


@pytest.mark.parametrize(
    ("nid", "sentence"),
    [
        ("is_bn", "At character 3, "),
        ("isbn-", "must not end with a hyphen"),
        ("-isbn", "must start with an ASCII letter or digit"),
        ("a", "at least two characters"),
        ("a" * 33, "must not be longer than 32 characters"),
        ("isbn%0A", "U+000A is not allowed in a NID"),
        ("isbn%00", "U+0000 is not allowed in a NID"),
        ("isbn%C3%A9", "(U+00E9) is not allowed in a NID"),
        ("isb%C5%87", "is not allowed in a NID"),
        ("%D9%A3gpp", "must start with an ASCII letter or digit"),
        ("is%20bn", "a space is not allowed in a NID"),
    ],
)
def test_a_malformed_nid_is_shown_where_it_goes_wrong(client: Client, nid: str, sentence: str) -> None:
    response = client.get(f"/namespaces/{nid}/")
    assertContains(response, "Not a valid namespace identifier", status_code=404)
    assertContains(response, sentence, status_code=404)


def test_the_caret_is_under_the_first_wrong_character(client: Client) -> None:
    assertContains(client.get("/namespaces/is_bn/"), "is_bn\n  ^</pre>", status_code=404)


@pytest.mark.parametrize(
    ("nid", "sentence"),
    [
        ("x-foo", "RFC 8141, Section 5.1 (4)"),
        ("de-books", "RFC 8141, Section 5.1 (3)"),
        ("ab", "RFC 8141, Section 5.1 (3)"),
        ("xn--isbn", "RFC 8141, Section 5.1 (3)"),
        ("urn-07", "RFC 8141, Section 5.1 (2)"),
        ("urn", "RFC 2141, Section 2.1"),
        ("example", "RFC 6963"),
        ("urn-77", "RFC 8141, Section 5.2"),
    ],
)
def test_a_nid_that_cannot_be_registered_is_shown_with_the_rule(
    client: Client, nid: str, sentence: str
) -> None:
    response = client.get(f"/namespaces/{nid}/")
    assertContains(response, sentence, status_code=404)
    assertNotContains(response, "Request this identifier", status_code=404)


def test_a_free_nid_is_shown_as_free_and_can_be_requested(client: Client) -> None:
    response = client.get("/namespaces/isbm/")
    assertContains(response, "identifier is free", status_code=404)
    assertContains(response, 'href="/cases/new/?nid=isbm"', status_code=404)


@pytest.mark.parametrize("path", ["", "versions/1/"])
def test_the_report_on_a_nid_that_is_not_registered_has_its_stylesheet(client: Client, path: str) -> None:
    response = client.get(f"/namespaces/isbm/{path}")
    assertContains(response, 'class="verdict verdict-free"', status_code=404)
    assertContains(response, 'href="/static/checks.css"', status_code=404)


def test_an_imported_namespace_links_to_its_template(client: Client) -> None:
    references = [
        {"type": "rfc", "target": "https://www.rfc-editor.org/rfc/rfc3187", "label": "RFC3187"},
        {"type": "uri", "target": "https://example.org/", "label": "Example Agency"},
        {"type": "uri", "target": "javascript:alert(1)", "label": "Not a page"},
    ]
    an_imported_namespace(
        "isbn",
        references=references,
        registered_on="2016-08",
        template_url="https://www.iana.org/assignments/urn-formal/isbn",
    )
    response = client.get("/namespaces/isbn/")
    assertContains(response, "IANA publishes its registration template")
    assertContains(response, 'href="https://www.iana.org/assignments/urn-formal/isbn"')
    assertContains(response, 'href="https://www.rfc-editor.org/rfc/rfc3187"')
    assertContains(response, '<a href="https://example.org/">Example Agency</a>')
    assertContains(response, '<time datetime="2016-08">2016-08</time>')
    assertContains(response, "Not a page")
    assertNotContains(response, "javascript:")


def test_a_namespace_without_template_links_to_its_references(client: Client) -> None:
    an_imported_namespace(
        "fdc",
        references=[{"type": "rfc", "target": "https://www.rfc-editor.org/rfc/rfc4198", "label": "RFC4198"}],
    )
    assertContains(client.get("/namespaces/fdc/"), "is published in the reference listed on this page")


def test_all_versions_are_listed_and_the_latest_is_shown(client: Client, trees: Namespace) -> None:
    revised(trees, purpose="Names trees and shrubs.")
    response = client.get("/namespaces/example-trees/")
    assertContains(response, "Registration, version 2")
    assertContains(response, "Names trees and shrubs.")
    assertContains(response, 'href="/namespaces/example-trees/versions/1/"')
    assertContains(response, 'href="/namespaces/example-trees/compare/"')


def test_an_older_version_stays_readable_and_points_to_the_current_one(
    client: Client, trees: Namespace
) -> None:
    revised(trees, purpose="Names trees and shrubs.")
    response = client.get("/namespaces/example-trees/versions/1/")
    assertContains(response, "This is not the current version.")
    assertNotContains(response, "shrubs")


def test_the_machine_forms_are_linked_in_the_page_and_in_its_head(client: Client, trees: Namespace) -> None:
    response = client.get("/namespaces/example-trees/")
    for address in (
        "/api/v1/namespaces/example-trees/",
        "/api/v1/namespaces/example-trees.xml",
        "/namespaces/example-trees/versions/1/template.txt",
    ):
        assertContains(response, f'href="{address}"', count=2)
        assert client.get(address).status_code == 200


def test_the_template_is_served_as_plain_text(client: Client, trees: Namespace) -> None:
    response = client.get("/namespaces/example-trees/versions/1/template.txt")
    assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert response.content.decode() == trees.revisions.get(version=1).text


@pytest.mark.parametrize(
    "rest", ["versions/2/", "versions/0/", "versions/99999999999/", "versions/2/template.txt", "compare/"]
)
def test_an_unknown_version_is_reported(client: Client, trees: Namespace, rest: str) -> None:
    assertContains(client.get(f"/namespaces/example-trees/{rest}"), "“example-trees”", status_code=404)


@pytest.mark.parametrize("rest", ["versions/1/", "versions/1/template.txt", "compare/"])
@pytest.mark.parametrize("nid", ["isbm", "is_bn", "isbn%00"])
def test_what_belongs_to_no_namespace_is_not_found(client: Client, nid: str, rest: str) -> None:
    response = client.get(f"/namespaces/{nid}/{rest}")
    assertContains(response, "Namespace not registered", status_code=404)


@pytest.mark.parametrize("version", ["%D9%A1", "1%0A", "-1", "1.0", "one", "9" * 5000])
def test_a_version_that_is_no_number_has_no_address(client: Client, trees: Namespace, version: str) -> None:
    assert client.get(f"/namespaces/example-trees/versions/{version}/").status_code == 404


def test_a_deprecated_namespace_shows_reason_and_successor(client: Client, trees: Namespace) -> None:
    successor = an_imported_namespace("plants")
    Namespace.objects.filter(pk=trees.pk).update(
        deprecated_at=timezone.now(), deprecation_statement="No garden uses it.", successor=successor
    )
    for address in ("/namespaces/example-trees/", "/namespaces/example-trees/versions/1/"):
        response = client.get(address)
        assertContains(response, "This namespace is deprecated")
        assertContains(response, "No garden uses it.")
        assertContains(response, 'href="/namespaces/plants/"')
    assertContains(client.get("/namespaces/"), "badge-deprecated")


def test_the_registrant_alone_sees_the_button_that_begins_a_revision(
    client: Client, trees: Namespace, registrant: User, participant: User
) -> None:
    button = 'action="/namespaces/example-trees/revise/"'
    assertNotContains(client.get("/namespaces/example-trees/"), button)
    client.force_login(participant)
    assertNotContains(client.get("/namespaces/example-trees/"), button)
    client.force_login(registrant)
    assertContains(client.get("/namespaces/example-trees/"), button)


def test_an_imported_namespace_cannot_be_revised(client: Client) -> None:
    an_imported_namespace("isbn")
    assertNotContains(client.get("/namespaces/isbn/"), "/revise/")


def test_registrant_text_is_escaped(client: Client, registrant: User) -> None:
    script = "<script>alert('purpose')</script> & more"
    registration.register_formal(a_template(purpose=script), registrant=registrant)
    for address in (
        "/namespaces/example-trees/",
        "/namespaces/example-trees/versions/1/",
        "/namespaces/",
        "/",
    ):
        response = client.get(address)
        assertNotContains(response, "<script>")
    shown = client.get("/namespaces/example-trees/")
    assertContains(shown, "&lt;script&gt;alert(&#x27;purpose&#x27;)&lt;/script&gt; &amp; more")


def test_the_page_of_a_namespace_is_cheap(
    client: Client, trees: Namespace, django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(10):
        client.get("/namespaces/example-trees/")
    revised(trees)
    with django_assert_num_queries(10):
        client.get("/namespaces/example-trees/")
    with django_assert_num_queries(3):  # of them, one whether a head has it
        client.get("/namespaces/example-trees/versions/1/")
    with django_assert_num_queries(2):
        client.get("/namespaces/example-trees/compare/")
