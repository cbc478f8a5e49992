"""One namespace as JSON-LD: in the vocabularies of schema.org and DCAT, by content negotiation."""

from typing import Any

from django.test import Client

from registry.accounts.models import User
from registry.namespaces.actions.deprecation import deprecate
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Namespace
from tests.api.schema_checks import check_response
from tests.support.factories import a_profile, an_imported_namespace

API, PAGES = "http://localhost:8000/api/v1/namespaces", "http://localhost:8000/namespaces"
LD_JSON = "application/ld+json"
CONTEXT = {
    "@vocab": "https://schema.org/",
    "dcat": "http://www.w3.org/ns/dcat#",
    "dcterms": "http://purl.org/dc/terms/",
    "url": {"@type": "@id"},
    "dcat:landingPage": {"@type": "@id"},
    "dcterms:isReplacedBy": {"@type": "@id"},
}


def linked(client: Client, nid: str) -> Any:
    response = client.get(f"/api/v1/namespaces/{nid}/", headers={"accept": LD_JSON})
    assert (response.status_code, response["Content-Type"]) == (200, LD_JSON)
    check_response("get", response)
    return response.json()


def test_a_namespace_with_profile_is_described_in_full(client: Client, isbn: Namespace) -> None:
    profile = a_profile(
        "isbn",
        title="International Standard Book Number",
        summary="Each book has a number.",
        subjects=["bibliography"],
        keywords=["book"],
        organisation="International ISBN Agency",
        homepage="https://books.example/",
        specifications=[{"title": "ISO 2108", "url": "https://iso.example/2108"}, {"title": "ISO 1"}],
    )
    set_profile(isbn, by=None, profile=profile, basis="Syntax.", replaces=0)
    body = linked(client, "ISBN")
    assert body.pop("@context") == CONTEXT
    template = "https://www.iana.org/assignments/urn-formal/isbn"
    assert body == {
        "@id": f"{API}/isbn/",
        "@type": ["DefinedTermSet", "dcat:Resource"],
        "identifier": "isbn",
        "name": "International Standard Book Number",
        "alternateName": "urn:isbn",
        "description": "Each book has a number.",
        "publisher": {"@type": "Organization", "name": "International ISBN Agency"},
        "url": f"{PAGES}/isbn/",
        "dcat:landingPage": "https://books.example/",
        "keywords": ["bibliography", "book"],
        "version": "1",
        "dateCreated": "2001-01",
        "dateModified": "2017-04-11",
        "creativeWorkStatus": "active",
        "subjectOf": [
            {"@type": "CreativeWork", "name": "Registration template", "url": template},
            {"@type": "CreativeWork", "name": "RFC 8254"},
            {"@type": "CreativeWork", "name": "ISO 2108", "url": "https://iso.example/2108"},
            {"@type": "CreativeWork", "name": "ISO 1"},
        ],
        "hasDefinedTerm": [
            {"@type": "DefinedTerm", "termCode": f"urn:isbn:{nss}"} for nss in ("12:4711", "1:1", "99:4")
        ],
        "isPartOf": {"@type": "DataCatalog", "name": "URN Namespaces", "url": f"{PAGES}/"},
    }


def test_a_namespace_without_profile_has_what_is_registered(client: Client, trees: Namespace) -> None:
    body = linked(client, "example-trees")
    assert (body["name"], body["publisher"]) == ("example-trees", {"name": "Example Arboretum"})
    assert body["description"] == trees.purpose
    assert body["subjectOf"][0]["url"] == f"{API}/example-trees/template.txt"
    assert body.keys().isdisjoint({"keywords", "hasDefinedTerm", "dcat:landingPage", "dcterms:isReplacedBy"})


def test_a_namespace_of_which_little_is_known_has_a_name(client: Client) -> None:
    an_imported_namespace(nid="bare")
    body = linked(client, "bare")
    assert body["name"] == "bare"
    assert body.keys().isdisjoint({"description", "publisher", "dateCreated", "subjectOf"})


def test_the_successor_is_linked(
    client: Client, isbn: Namespace, trees: Namespace, administrator: User
) -> None:
    deprecate(trees, by=administrator, statement="No more.", successor=isbn)
    body = linked(client, "example-trees")
    assert (body["creativeWorkStatus"], body["dcterms:isReplacedBy"]) == ("deprecated", f"{API}/isbn/")


def test_the_suffix_selects_it(client: Client, isbn: Namespace) -> None:
    by_name = client.get("/api/v1/namespaces/isbn.jsonld", headers={"accept": "text/html"})
    by_accept = client.get("/api/v1/namespaces/isbn/", headers={"accept": LD_JSON})
    assert (by_name["Content-Type"], by_name.content) == (LD_JSON, by_accept.content)
    as_json = client.get("/api/v1/namespaces/isbn/")
    assert by_name["ETag"] == by_accept["ETag"] != as_json["ETag"]
    assert "Accept" in by_accept["Vary"]
    assert client.get("/api/v1/namespaces/isbn/versions.jsonld").status_code == 404
