"""The data in fixtures/: complete, written by one command, and without personal data."""

import re
from collections import Counter
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command

from registry.namespaces.confusables import countries, identifier_systems, trademarks, uri_schemes
from registry.publication.iana.file_reader import read_version
from registry.publication.iana.fixtures import IANA_FIXTURE, without_people, write_fixtures
from registry.publication.iana.records import NothingToRead
from registry.publication.iana.xml_format import format_xml, parse_xml
from tests.data import IANA_NEWEST
from tests.support.shared_data import shared

FIXTURES = settings.BASE_DIR / "fixtures"


def test_the_fixture_holds_every_namespace_with_its_kind_and_dates() -> None:
    file = parse_xml((FIXTURES / IANA_FIXTURE).read_bytes())
    assert file.updated == "2026-07-28"
    assert Counter(record.is_formal for record in file.records) == {True: 97, False: 8}
    original = parse_xml(IANA_NEWEST.read_bytes())
    facts = [(record.nid, record.is_formal, record.date, record.updated) for record in original.records]
    assert [(record.nid, record.is_formal, record.date, record.updated) for record in file.records] == facts


def test_the_fixture_is_the_file_of_iana_without_people() -> None:
    text = (FIXTURES / IANA_FIXTURE).read_text(encoding="utf-8")
    assert not re.search(r'type="person"|<person|<expert|mailto|@', text)
    original = read_version(IANA_NEWEST).file
    assert text == "".join(format_xml(without_people(original)))
    assert len(original.people) == 10
    for person in original.people:
        name = person.children[0].text
        assert name not in text
        assert person.attribute("id") not in text


def test_every_address_in_the_cases_is_an_example() -> None:
    for path in (FIXTURES / "cases").glob("*.txt"):
        text = path.read_text(encoding="utf-8")
        assert re.findall(r"[\w.-]+@[\w.-]+", text)
        assert all(address.endswith("@example.org") for address in re.findall(r"[\w.-]+@[\w.-]+", text)), path
        assert all("example.org" in url for url in re.findall(r"https?://\S+", text)), path


def test_the_command_writes_the_fixtures_that_are_there(tmp_path: Path) -> None:
    """This compares whole lists of others, of which the fixtures have some columns."""
    call_command("write_fixtures", str(shared("data")), "--to", str(tmp_path))
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (FIXTURES / path.name).read_bytes(), path.name
    assert len(list(tmp_path.iterdir())) == 3


def test_the_command_writes_sorted_facts(tmp_path: Path) -> None:
    (tmp_path / "iana").mkdir()
    (tmp_path / "iana" / "urn-namespaces.xml").write_bytes(IANA_NEWEST.read_bytes())
    (tmp_path / "uri-schemes.csv").write_text("scheme,note\nshttp (OBSOLETE),\nAAA,a\n", encoding="utf-8")
    (tmp_path / "iso-3166-1.csv").write_text(
        'name,alpha2,alpha3\nFrance,FR,FRA\n"Bolivia, Plurinational State of",BO,BOL\n', encoding="utf-8"
    )
    call_command("write_fixtures", str(tmp_path), "--to", str(tmp_path))
    written = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    assert written[IANA_FIXTURE] == (FIXTURES / IANA_FIXTURE).read_bytes()
    assert written["uri-schemes.txt"] == b"aaa\nshttp\n"
    assert written["iso-3166-1-names.txt"] == b"BO BOL Bolivia, Plurinational State of\nFR FRA France\n"


def test_fixtures_from_a_folder_without_data_are_refused(tmp_path: Path) -> None:
    with pytest.raises(NothingToRead, match="No such file"):
        write_fixtures(tmp_path, tmp_path)


def test_country_codes_are_in_upper_case_and_schemes_in_lower_case() -> None:
    alpha3 = [code for code in countries() if len(code) == 3]
    assert {"ABW", "FRA", "ZWE"} <= set(alpha3)
    assert {"http", "urn", "aaa"} <= uri_schemes()
    assert len(alpha3) == 249
    for code in alpha3:
        assert re.fullmatch("[A-Z]{3}", code)
    for word in uri_schemes():
        assert re.fullmatch("[a-z][a-z0-9+.-]*", word)


def test_each_identifier_system_is_a_fact_with_its_source_and_has_no_namespace() -> None:
    registered = {record.nid for record in parse_xml((FIXTURES / IANA_FIXTURE).read_bytes()).records}
    assert identifier_systems().keys() >= {
        "orcid",
        "hdl",
        "handle",
        "ror",
        "arxiv",
        "wikidata",
        "e164",
        "iban",
    }
    for name, system in identifier_systems().items():
        assert re.fullmatch("[a-z0-9]{3,32}", name)
        assert name not in registered
        assert re.fullmatch(r"\S.*\S \(\S.*\S\), https://\S+", system), name


@pytest.mark.parametrize("file", ["identifier-systems.txt", "well-known-trademarks.txt"])
def test_a_list_by_hand_is_sorted_and_names_its_source(file: str) -> None:
    lines = (FIXTURES / file).read_text("utf-8").splitlines()
    names = [line.partition(" ")[0] for line in lines if not line.startswith("#")]
    assert names == sorted(set(names))
    assert "https://" in "".join(lines)
    assert trademarks() >= {"cocacola", "nike"}
