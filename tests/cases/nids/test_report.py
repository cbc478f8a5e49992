"""/nids/, and what is said where a namespace is not there: what a NID is, and what it collides with."""

from dataclasses import replace

import pytest
from django.test import Client
from pytest_django.asserts import assertContains, assertNotContains

from registry.accounts.models import User
from registry.cases.nid_report import report_in_registry
from registry.namespaces.models import Kind, Namespace, Origin
from registry.registration_template.nids import report
from registry.registration_template.nids.rules import (
    RULES,
    Likeness,
    NIDAvailability,
    find_free,
    find_uri_scheme,
)
from tests.support.factories import a_case_in_review, a_draft

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def isbn() -> Namespace:
    return Namespace.objects.create(nid="isbn", kind=Kind.FORMAL, origin=Origin.IANA, holder="Example Agency")


@pytest.mark.parametrize(
    ("nid", "sentences"),
    [
        (
            "isbm",
            [
                "identifier is free",
                "It looks like “isbn”",
                'href="/namespaces/isbn/"',
                "Request this identifier",
            ],
        ),
        ("i-s8n", ["identifier is free", "Request this identifier"]),
        ("1-sbn", ["It looks like “isbn”", "differs only in hyphens"]),
        ("ISBN", ["Registered", "Example Agency", 'href="/namespaces/isbn/"', "Section 5.1 (1)"]),
        ("x-foo", ["Can’t be registered", "RFC 8141, Section 5.1 (4)"]),
        ("de-books", ["RFC 8141, Section 5.1 (3)", "country code of Germany", "alpha-2: DE"]),
        ("xn--books", ["RFC 8141, Section 5.1 (3)"]),
        ("fr", ["RFC 8141, Section 5.1 (3)", "country code of France"]),
        ("urn-07", ["RFC 8141, Section 5.1 (2)"]),
        ("urn-7", ["Assigned by the registry", "RFC 8141, Section 5.2"]),
        ("example", ["RFC 6963"]),
        ("fra", ["identifier is free", "country code of France", "alpha-3: FRA"]),
        ("france", ["identifier is free", "could be read as an identifier of France"]),
        ("south-africa-books", ["identifier is free", "an identifier of South Africa"]),
        ("united-states", ["an identifier of United States"]),
        ("korea", ["an identifier of Korea"]),
        ("nike", ["identifier is free", "“nike” is also a well-known trademark"]),
        ("coca-cola-bottles", ["“cocacola” is also a well-known trademark"]),
        ("http", ["identifier is free", "is also a registered URI scheme"]),
        (
            "orcid",
            [
                "identifier is free",
                "“orcid” is the name of another identifier system: ORCID iD (ORCID), ",
                'href="https://orcid.org/"',
                "Request this identifier",
            ],
        ),
        ("orcid-works", ["“orcid” is the name of another identifier system"]),
        ("e-164", ["“e164” is the name of another identifier system"]),
        ("orc1d", ["It looks like “orcid”, the name of another identifier system", "similar characters"]),
        ("wikidatas", ["It looks like “wikidata”", "It differs in one character."]),
        ("is_bn", ["Not a valid namespace identifier", "is_bn\n  ^</pre>"]),
        ("is\nbn", ["U+000A is not allowed in a NID"]),
        ("is bn", ["a space is not allowed in a NID"]),
        (" urn:ISBN: ", ["Registered", "Only the identifier was checked"]),
        ("isbn\n", ["Registered", "Only the identifier was checked"]),
        ("ísbn", ["must start with an ASCII letter or digit"]),
        ("isb٣", ["(U+0663) is not allowed in a NID"]),
        ("a\0b", ["U+0000 is not allowed in a NID"]),
        ("a" * 33, ["must not be longer than 32 characters"]),
        ("a" * 10_000, ["must not be longer than 32 characters"]),
        ("'\"%_\\", ["Not a valid namespace identifier"]),
    ],
    ids=lambda value: ascii(value)[:30],
)
def test_the_nid_check_shows_status_and_collisions(client: Client, nid: str, sentences: list[str]) -> None:
    response = client.get("/nids/", {"nid": nid})
    for sentence in sentences:
        assertContains(response, sentence)


def test_the_nid_check_without_a_nid_shows_instructions(client: Client) -> None:
    assertContains(client.get("/nids/"), "Enter an identifier")


def test_a_requested_nid_names_public_cases_only(client: Client, registrant: User) -> None:
    case = a_case_in_review(by=registrant)
    a_draft(by=registrant, namespace_identifier="secret-trees")
    asked = client.get("/nids/", {"nid": "example-trees"})
    assertContains(asked, f'href="/cases/{case.pk}/"')
    assertContains(asked, "Already requested")
    alike = client.get("/nids/", {"nid": "exampletrees"})
    assertContains(alike, f"which case {case.pk} requests")
    assertNotContains(client.get("/nids/", {"nid": "secret-tree"}), "Same or similar names")


@pytest.mark.exhaustive
def test_a_lookalike_is_found_among_many(django_assert_max_num_queries: object) -> None:
    Namespace.objects.bulk_create(
        Namespace(nid=f"filler-{number}", kind=Kind.FORMAL) for number in range(2000)
    )
    kinds = [(each.kind, each.name) for each in report_in_registry("isdn").resembles]
    assert kinds == [(Likeness.NAMESPACE, "isbn")]


def test_htmx_requests_get_the_partial_and_the_url(client: Client) -> None:
    response = client.get("/nids/", {"nid": "isbm"}, headers={"HX-Request": "true"})
    assertNotContains(response, "<html")
    assertContains(response, "“isbn”")
    assert response.headers["HX-Replace-Url"] == "/nids/?nid=isbm"
    assert "HX-Request" in response.headers["Vary"]


def test_history_restore_gets_the_whole_page(client: Client) -> None:
    headers = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
    assertContains(client.get("/nids/", {"nid": "isbm"}, headers=headers), "<html")


@pytest.mark.parametrize("rest", ["", "versions/1/", "compare/"])
def test_the_page_of_an_unregistered_nid_shows_its_status(
    client: Client, registrant: User, rest: str
) -> None:
    a_case_in_review(by=registrant)
    for nid, sentence in [
        ("isbm", "identifier is free"),
        ("is_bn", "Not a valid namespace identifier"),
        ("x-foo", "Section 5.1 (4)"),
        ("example-trees", "Already requested"),
    ]:
        assertContains(client.get(f"/namespaces/{nid}/{rest}"), sentence, status_code=404)


def test_the_page_lists_the_declared_rules(client: Client) -> None:
    page = client.get("/nids/")
    for rule in RULES:
        assertContains(
            page, f'{rule.summary} <span class="rule">{rule.section}</span>' if rule.summary else ""
        )


def test_the_page_says_whose_matter_a_dispute_is(client: Client) -> None:
    """Neither IANA nor the IETF takes part in disputes, except in response to a court (RFC 8141, Section 5.1)."""
    assertContains(client.get("/nids/"), "is a matter for the parties")
    assertContains(client.get("/nids/", {"nid": "example-trees"}), "on the order of a competent court")


def test_the_report_names_the_defining_document(client: Client) -> None:
    rfc = {"type": "rfc", "target": "https://www.rfc-editor.org/rfc/rfc9562", "label": "RFC9562"}
    Namespace.objects.create(nid="uuid", kind=Kind.FORMAL, origin=Origin.IANA, references=[rfc])
    assertContains(client.get("/nids/", {"nid": "uuid"}), "Defined by RFC 9562.")


@pytest.mark.parametrize("nid", ["x-foo", "fr"])
def test_a_rule_without_a_status_only_advises(
    client: Client, monkeypatch: pytest.MonkeyPatch, nid: str
) -> None:
    """By the recipe of CONTRIBUTING.md: the status of the rule is removed, and nothing else."""
    assert report_in_registry(nid).status == NIDAvailability.UNREGISTRABLE
    advisory = [
        replace(rule, status=None) if rule.status == NIDAvailability.UNREGISTRABLE else rule for rule in RULES
    ]
    monkeypatch.setattr(report, "RULES", tuple(advisory))
    found = report_in_registry(nid)
    assert found.status == NIDAvailability.FREE
    assert "not-registrable" in {each.code for each in found.resembles}
    assertContains(client.get("/nids/", {"nid": nid}), "Request this identifier")


@pytest.mark.parametrize("nid", ["did2", "arc", "vinn", "trees"])
def test_another_letter_in_a_short_name_makes_another_name(nid: str) -> None:
    assert Likeness.IDENTIFIER_SYSTEM not in {each.kind for each in report_in_registry(nid).resembles}


def test_a_rule_with_a_status_blocks(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert report_in_registry("mailto").status == NIDAvailability.FREE
    changed = [
        replace(rule, status=NIDAvailability.UNREGISTRABLE) if rule.find is find_uri_scheme else rule
        for rule in RULES
    ]
    monkeypatch.setattr(report, "RULES", tuple(sorted(changed, key=lambda rule: rule.find is find_free)))
    assert report_in_registry("mailto").finding.code == "uri-scheme"
    assertContains(client.get("/nids/", {"nid": "mailto"}), "be registered")
