"""Registers as files: IANA's XML form and the page for the site of a holder, their rows, validity and escaping."""

import json
from collections.abc import Callable
from datetime import timedelta
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from lxml import etree

from registry.accounts.models import User
from registry.namespaces.actions.deprecation import deprecate
from registry.namespaces.models import Namespace
from registry.publication.formats.registers import CHUNK, FORMS, reference_of, register_files
from registry.publication.views import SCHEMA_OF_REGISTERS
from registry.registers.actions.fields import declare_fields
from registry.registers.actions.registers import change_register, register_entry, suspend_register
from registry.registers.models import Register
from registry.subnamespaces.exports import LIST_FILES
from registry.subnamespaces.importing import import_subnamespaces
from tests.organisations.conftest import an_organisation
from tests.registers.conftest import OPENED, a_described_namespace, a_register, a_request
from tests.support.factories import a_person
from tests.support.html_checker import said_of
from tests.support.shared_data import shared

IANA = "{http://www.iana.org/assignments}"
HOSTILE = "</title></style><script>alert(1)</script> &amp; \"quotes\" 'single' ]]> <!-- rows --> עברית"
# IANA's definitions for all registries; each registry has elements of its own in a record.
IANA_GRAMMAR = """
<grammar xmlns="http://relaxng.org/ns/structure/1.0" ns="http://www.iana.org/assignments">
  <include href="{}"/>
  <start>
    <element name="registry">
      <ref name="registryMeta"/>
      <element name="registry">
        <ref name="registryMeta"/>
        <zeroOrMore>
          <element name="record">
            <ref name="recordMeta"/>
            <interleave>
              <element name="value"><text/></element>
              <element name="description"><text/></element>
              <element name="status"><text/></element>
              <optional><element name="successor"><text/></element></optional>
              <optional><element name="controller"><text/></element></optional>
              <zeroOrMore><element name="note"><attribute name="title"/><text/></element></zeroOrMore>
              <ref name="references"/>
            </interleave>
          </element>
        </zeroOrMore>
      </element>
      <ref name="people"/>
    </element>
  </start>
</grammar>
"""


@pytest.fixture
def holder(db: None) -> User:
    return a_person(email="holder@example.org")


@pytest.fixture
def register(holder: User) -> Register:
    return a_register(a_described_namespace(registrant=holder), by=holder)


@pytest.fixture(params=["own schema", "definitions of IANA"])
def valid(request: pytest.FixtureRequest) -> Callable[[str], etree._Element]:
    """A function that validates XML and returns its root."""
    of_iana = IANA_GRAMMAR.format(shared("data/_support/iana-registry.rng").as_uri())
    is_own = request.param == "own schema"
    read = etree.parse(SCHEMA_OF_REGISTERS) if is_own else etree.fromstring(of_iana)
    schema = etree.RelaxNG(read)

    def validate(xml: str) -> etree._Element:
        root = etree.fromstring(xml.encode(), etree.XMLParser(remove_comments=True, remove_pis=True))
        schema.assertValid(root)
        return root

    return validate


def written(register: Register, suffix: str) -> str:
    """The content of a file that has a writer of its own."""
    register.namespace.refresh_from_db()
    (lines,) = [
        each.lines for each in register_files(register) if each.name.endswith(f".{suffix}") and each.lines
    ]
    return "".join(lines())


def import_rows(register: Register, *rows: dict[str, Any]) -> None:
    last = register.namespace.subnamespace_list_versions.last()
    import_subnamespaces(
        register.namespace,
        by=None,
        list_format="jsonl",
        basis="The list of gardens.",
        replaces=last.version if last else 0,
        document="".join(f"{json.dumps(row)}\n" for row in rows),
    )
    register.namespace.refresh_from_db()


def records(xml: str) -> list[dict[str, str]]:
    """The dates and the texts of the records."""
    found = etree.fromstring(xml.encode()).iter(f"{IANA}record")
    return [{**each.attrib, **{child.tag[len(IANA) :]: child.text or "" for child in each}} for each in found]


def page_problems(folder: Path, *pages: str) -> list[str]:
    for number, page in enumerate(pages):
        (folder / f"{number}.html").write_text(page, encoding="utf-8")
    return [each["message"] for each in said_of(folder.iterdir())]


class Reader(HTMLParser):
    """The texts of a page by the elements around them, its attributes with addresses, and the names of its elements."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.tags, self.links, self.texts = set[str](), list[str](), list[str]()
        self.feed(content)
        self.text = " ".join(" ".join(self.texts).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [value or "" for name, value in attrs if name in {"href", "src"}]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_a_record_has_the_entry_in_iana_s_form(
    register: Register, holder: User, valid: Callable[[str], etree._Element]
) -> None:
    register_entry(register, by=holder, label="kew", title="Kew & “Oak”", reference="RFC 8141, Section 5")
    root = valid(written(register, "xml"))
    below = root.find(f"{IANA}registry")
    rule = below.find(f"{IANA}registration_rule")
    assert rule.text == "First Come First Served ("
    assert dict(rule[0].attrib) == {"type": "rfc", "data": "rfc8126", "section": "4.4"}
    assert root.find(f"{IANA}title").text == OPENED["title"]
    assert [each.text for each in below.findall(f"{IANA}note")] == [
        register.terms.meaning,
        OPENED["guidance"],
    ]
    (record,) = below.findall(f"{IANA}record")
    today = timezone.now().date().isoformat()
    assert dict(record.attrib) == {"date": today}
    assert root.find(f"{IANA}created").text == root.find(f"{IANA}updated").text == today
    reference = record.find(f"{IANA}xref")
    assert dict(reference.attrib) == {"type": "rfc", "data": "rfc8141", "section": "5"}
    members = {each.tag[len(IANA) :]: each.text for each in record if each is not reference}
    assert members == {"value": "kew", "description": "Kew & “Oak”", "status": "active"}


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ({"reference": "RFC 8126"}, "rfc:rfc8126"),
        ({"reference": "RFC8126"}, "rfc:rfc8126"),
        ({"reference": "BCP 26, Section 4.10"}, "rfc:bcp26;section=4.10"),
        ({"reference": "https://example.org/a?b=c&d#e"}, "uri:https://example.org/a?b=c&d#e"),
        (
            {"reference": "Plan of 2020", "url": "https://example.org/plan"},
            "uri:https://example.org/plan[Plan of 2020]",
        ),
        ({"reference": "RFC 0"}, "text:[RFC 0]"),
        ({"reference": "See RFC 8126"}, "text:[See RFC 8126]"),
        ({"reference": "https://example.org/<b> two"}, "text:[https://example.org/<b> two]"),
        ({"reference": "javascript:alert(1)"}, "text:[javascript:alert(1)]"),
        (
            {"reference": "Plan", "url": 'https://example.org/"%zz'},
            'text:[Plan: https://example.org/"%zz]',
        ),
        ({}, "None"),
    ],
    ids=str,
)
def test_rfcs_and_addresses_are_references_and_the_rest_is_text(
    stated: dict[str, str], expected: str
) -> None:
    assert str(reference_of(stated)) == expected


@pytest.fixture
def hostile(holder: User) -> Register:
    guidance = f"{HOSTILE}\n\n{'One label for each garden. ' * 150}\nhttps://example.org/?a=1&b=2"
    namespace = a_described_namespace(registrant=holder)
    register = a_register(namespace, by=holder, title=HOSTILE, guidance=guidance)
    register_entry(register, by=holder, label="a%3Cb%3E", title=HOSTILE, reference=f"{HOSTILE[:40]} RFC 1")
    import_rows(
        register,
        {"prefix": "oak", "title": f"\ufffe{'ש' * 290}", "holder": HOSTILE, "reference": HOSTILE[-40:]},
    )
    return register


def test_hostile_texts_are_texts_in_xml(hostile: Register, valid: Callable[[str], etree._Element]) -> None:
    root = valid(written(hostile, "xml"))
    assert root.find(f"{IANA}title").text == HOSTILE
    listed = [each.text for each in root.iter(f"{IANA}description")]
    assert listed[1:] == [HOSTILE, f"\ufffd{'ש' * 290}"]
    assert [each.text for each in root.iter(f"{IANA}controller")] == [HOSTILE]


def test_hostile_texts_are_texts_on_the_page(hostile: Register, tmp_path: Path) -> None:
    page = written(hostile, "html")
    seen = Reader(page)
    assert "script" not in seen.tags
    assert seen.text.count(HOSTILE) == 5  # in the head, the heading, the guidance, a title and a holder
    assert not {each for each in seen.links if not each.startswith(("http://", "https://"))}
    assert [each for each in page_problems(tmp_path, page) if "U+fffe" not in each] == []


def test_the_page_is_one_file_that_needs_no_other(register: Register, holder: User, tmp_path: Path) -> None:
    register_entry(register, by=holder, label="kew", title="Kew", reference="https://example.org/kew")
    register_entry(register, by=holder, label="oak", title="Oak", reference="A book")
    page = written(register, "html")
    assert page_problems(tmp_path, page) == []
    assert '<html lang="en">' in page
    seen, version = Reader(page), register.namespace.subnamespace_list_versions.last()
    assert seen.tags.isdisjoint({"script", "img", "iframe", "form", "object"})
    assert page.count("<link ") == page.count('<link rel="canonical" ') == 1
    assert "url(" not in page
    assert "@import" not in page
    for text in ("first come first served", register.terms.meaning, OPENED["guidance"], "A book"):
        assert text in seen.text
    assert version is not None
    assert version.digest in seen.text
    assert "held by the registrant of urn:example-trees" in seen.text
    assert {
        "https://example.org/kew",
        "http://localhost:8000/namespaces/example-trees/register/",
        "http://localhost:8000/namespaces/example-trees/subnamespaces/?prefix=kew",
    } <= set(seen.links)


def test_the_organisation_that_holds_it_is_named_and_no_person(db: None) -> None:
    person = a_person(email="someone@example.org")
    organisation = an_organisation(by=person, name="Board of gardens")
    namespace = a_described_namespace(registrant=person)
    Namespace.objects.update(registrant=None, organisation=organisation)
    namespace.refresh_from_db()
    register = a_register(namespace, by=person)
    a_request(register, by=a_person(email="another@example.org"))
    for suffix in ("html", "xml"):
        content = written(register, suffix)
        assert "Board of gardens" in content
        assert "kew" in content
        assert "@" not in content.replace("@media", "")


def test_a_retired_entry_says_so_with_the_day(
    register: Register, holder: User, valid: Callable[[str], etree._Element]
) -> None:
    register_entry(register, by=holder, label="kew", title="Kew")
    register_entry(register, by=holder, label="oak", title="Oak")
    today = timezone.now().date()
    with time_machine.travel(timezone.now() + timedelta(days=3)):
        import_rows(register, {"prefix": "kew", "title": "Kew", "status": "retired", "successor": "oak"})
    valid(written(register, "xml"))
    retired, other = records(written(register, "xml"))
    changed_on = (today + timedelta(days=3)).isoformat()
    assert retired["date"] == today.isoformat()
    assert retired["updated"] == changed_on
    assert (retired["status"], retired["successor"]) == ("retired", "oak")
    assert (other["status"], "updated" in other) == ("active", False)
    seen = Reader(written(register, "html")).text
    assert f"retired; use oak {today} , changed {changed_on}" in seen


def test_an_empty_register_has_no_record(register: Register, valid: Callable[[str], etree._Element]) -> None:
    valid(written(register, "xml"))
    assert records(written(register, "xml")) == []


def test_the_page_of_an_empty_register_says_so(register: Register, tmp_path: Path) -> None:
    page = written(register, "html")
    assert "Nothing is registered." in page
    assert "<table" not in page
    assert page_problems(tmp_path, page) == []


def test_a_register_that_takes_nothing_says_why(
    register: Register, holder: User, administrator: User, valid: Callable[[str], etree._Element]
) -> None:
    register_entry(register, by=holder, label="kew", title="Kew")
    texts = {name: OPENED[name] for name in ("title", "guidance")}
    change_register(register, by=holder, policy="closed", replaces=1, **texts)
    suspend_register(register, by=administrator, reason="Order 17 of a court.")
    deprecate(Namespace.objects.get(), by=administrator, statement="It is replaced.")
    xml, page = written(register, "xml"), Reader(written(register, "html")).text
    valid(xml)
    for text in ("Order 17 of a court.", "is deprecated", "The register is closed."):
        assert text in xml
        assert text in page
    assert "<registration_rule>Closed (" in xml
    assert [each["value"] for each in records(xml)] == ["kew"]


@pytest.mark.parametrize("suffix", [each.suffix for each in FORMS if each.suffix not in LIST_FILES])
def test_the_number_of_queries_does_not_depend_on_that_of_rows(register: Register, suffix: str) -> None:
    def cost() -> tuple[int, int]:
        register.namespace.refresh_from_db()
        with CaptureQueriesContext(connection) as queries:
            content = written(register, suffix)
        rows = content.count("<tr id=") + content.count("<record")
        assert [each["sql"] for each in queries if "DECLARE" in each["sql"]]
        return rows, len(queries)

    import_rows(register, *({"prefix": f"g{n:04}", "title": f"Garden {n}"} for n in range(10)))
    assert CHUNK > 1000
    few = cost()
    import_rows(register, *({"prefix": f"g{n:04}", "title": f"Garden {n}"} for n in range(10, 1000)))
    assert [few, cost()] == [(10, few[1]), (1000, few[1])]


@pytest.mark.usefixtures("demonstration_database")
def test_the_registers_of_the_demonstration_are_valid_xml(valid: Callable[[str], etree._Element]) -> None:
    found = list(Register.objects.of_namespaces().select_related("namespace"))
    assert len({each.policy for each in found}) > 4
    for each in found:
        valid(written(each, "xml"))


@pytest.mark.usefixtures("demonstration_database")
def test_the_registers_of_the_demonstration_are_valid_pages(tmp_path: Path) -> None:
    found = list(Register.objects.of_namespaces().select_related("namespace"))
    assert found
    assert page_problems(tmp_path, *(written(each, "html") for each in found)) == []


def test_values_of_fields_are_in_both_files(
    register: Register, holder: User, valid: Callable[[str], etree._Element]
) -> None:
    fields = [
        {"label": "Kind of <garden>"},
        {"label": "Visits", "kind": "lines"},
        {"label": "Site", "kind": "url"},
    ]
    register = declare_fields(register, by=holder, fields=fields, replaces=1)
    kind, visits, site = (each.name for each in register.declared)
    values = {kind: "Park & arboretum", visits: "In May\nIn June", site: "https://kew.example/"}
    register_entry(register, by=holder, label="kew", title="Kew Gardens", fields=values)
    import_rows(
        register,
        {
            "prefix": "kew:1",
            "title": "East",
            "fields": {kind: "Meadow"},
            "source": "List",
            "as_of": "2026-01-31",
        },
    )
    page = written(register, "html")
    assert "<br><small>Kind of &lt;garden&gt;: <bdi>Park &amp; arboretum</bdi></small>" in page
    assert "<br><small>Visits: <bdi>In May<br>In June</bdi></small>" in page
    assert '<bdi><a href="https://kew.example/" rel="nofollow ugc">https://kew.example/</a></bdi>' in page
    assert f"<br><small>{kind}: <bdi>Meadow</bdi></small>" in page
    root = valid(written(register, "xml"))
    notes = [
        [(note.get("title"), note.text) for note in record.findall(f"{IANA}note")]
        for record in root.iter(f"{IANA}record")
    ]
    assert notes == [
        [
            ("Kind of <garden>", "Park & arboretum"),
            ("Visits", "In May\nIn June"),
            ("Site", "https://kew.example/"),
        ],
        [(kind, "Meadow")],
    ]
