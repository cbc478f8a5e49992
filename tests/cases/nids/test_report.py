"""/nids/, and what is said where a namespace is not there: what a NID is, and what it collides with."""

import pytest
from django.test import Client
from pytest_django.asserts import assertContains, assertNotContains

from registry.accounts.models import User
from registry.cases.nids.report import report_on
from registry.namespaces.models import Kind, Namespace, Origin
from registry.registration_template.nids.findings import Likeness
from tests.support.factories import a_case_in_review, a_draft

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def isbn() -> Namespace:
    return Namespace.objects.create(nid="isbn", kind=Kind.FORMAL, origin=Origin.IANA, holder="Example Agency")


@pytest.mark.parametrize(
    ("nid", "sentences"),
    [
        ("isbm", ["it is free", "It looks like “isbn”", 'href="/namespaces/isbn/"', "Ask for it"]),
        ("i-s8n", ["it is free", "Ask for it"]),
        ("1-sbn", ["It looks like “isbn”", "reads the same"]),
        ("ISBN", ["Registered", "Example Agency", 'href="/namespaces/isbn/"', "Section 5.1 (1)"]),
        ("x-foo", ["Nobody can register it", "RFC 8141, Section 5.1 (4)"]),
        ("de-books", ["RFC 8141, Section 5.1 (3)", "country code of Germany", "alpha-2: DE"]),
        ("xn--books", ["RFC 8141, Section 5.1 (3)"]),
        ("fr", ["RFC 8141, Section 5.1 (3)", "country code of France"]),
        ("urn-07", ["RFC 8141, Section 5.1 (2)"]),
        ("urn-7", ["The registry assigns it", "RFC 8141, Section 5.2"]),
        ("example", ["RFC 6963"]),
        ("fra", ["it is free", "country code of France", "alpha-3: FRA"]),
        ("http", ["it is free", "is a URI scheme as well"]),
        ("is_bn", ["That is no namespace identifier", "is_bn\n  ^</pre>"]),
        ("isbn\n", ["U+000A is not allowed in a NID"]),
        ("isbn ", ["a space is not allowed in a NID"]),
        ("ísbn", ["must start with an ASCII letter or digit"]),
        ("isb٣", ["(U+0663) is not allowed in a NID"]),
        ("a\0b", ["U+0000 is not allowed in a NID"]),
        ("a" * 33, ["must not be longer than 32 characters"]),
        ("a" * 10_000, ["must not be longer than 32 characters"]),
        ("'\"%_\\", ["That is no namespace identifier"]),
    ],
    ids=lambda value: ascii(value)[:30],
)
def test_the_check_says_what_a_nid_is_and_names_what_it_collides_with(
    client: Client, nid: str, sentences: list[str]
) -> None:
    response = client.get("/nids/", {"nid": nid})
    for sentence in sentences:
        assertContains(response, sentence)


def test_without_a_nid_it_says_what_to_type(client: Client) -> None:
    assertContains(client.get("/nids/"), "Type an identifier above")


def test_a_nid_asked_for_names_its_cases_and_a_draft_tells_nobody(client: Client, registrant: User) -> None:
    case = a_case_in_review(by=registrant)
    a_draft(by=registrant, namespace_identifier="secret-trees")
    asked = client.get("/nids/", {"nid": "example-trees"})
    assertContains(asked, f'href="/cases/{case.pk}/"')
    assertContains(asked, "Somebody asks for it already")
    alike = client.get("/nids/", {"nid": "exampletrees"})
    assertContains(alike, f"which case {case.pk} asks for")
    assertNotContains(client.get("/nids/", {"nid": "secret-tree"}), "taken for")


def test_a_lookalike_is_found_among_many(django_assert_max_num_queries: object) -> None:
    Namespace.objects.bulk_create(
        Namespace(nid=f"filler-{number}", kind=Kind.FORMAL) for number in range(2000)
    )
    kinds = [(each.kind, each.name) for each in report_on("isdn").resembles]
    assert kinds == [(Likeness.NAMESPACE, "isbn")]


def test_while_somebody_types_only_the_answer_is_sent_and_the_address_follows(client: Client) -> None:
    response = client.get("/nids/", {"nid": "isbm"}, headers={"HX-Request": "true"})
    assertNotContains(response, "<html")
    assertContains(response, "“isbn”")
    assert response.headers["HX-Replace-Url"] == "/nids/?nid=isbm"
    assert "HX-Request" in response.headers["Vary"]


def test_going_back_gives_the_whole_page(client: Client) -> None:
    headers = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
    assertContains(client.get("/nids/", {"nid": "isbm"}, headers=headers), "<html")


@pytest.mark.parametrize("rest", ["", "versions/1/", "compare/"])
def test_an_address_below_a_nid_that_nobody_has_says_what_the_nid_is(
    client: Client, registrant: User, rest: str
) -> None:
    a_case_in_review(by=registrant)
    for nid, sentence in [
        ("isbm", "it is free"),
        ("is_bn", "That is no namespace identifier"),
        ("x-foo", "Section 5.1 (4)"),
        ("example-trees", "Somebody asks for it already"),
    ]:
        assertContains(client.get(f"/namespaces/{nid}/{rest}"), sentence, status_code=404)
