"""IANA's XML: round trips of eleven years of files, and rejection of malformed files with the position."""

from collections import Counter
from pathlib import Path

import pytest
from lxml import etree

from registry.publication.iana.records import IanaFile, MalformedFile, Xref
from registry.publication.iana.xml_format import format_xml, parse_xml
from tests.data import IANA_HISTORY, IANA_NEWEST
from tests.publication.iana.samples import DATED, a_record, an_informal_record, an_xml
from tests.publication.iana.schema import iana_schema, without_white_space


def every_file() -> list[Path]:
    return [*sorted(IANA_HISTORY.glob("*.xml")), IANA_NEWEST]


def written(file: IanaFile) -> bytes:
    return "".join(format_xml(file)).encode()


def test_every_file_of_eleven_years_is_written_as_it_was_read() -> None:
    parser = etree.XMLParser(remove_comments=True, remove_pis=True)
    for path in every_file():
        read = etree.fromstring(path.read_bytes(), parser)
        again = etree.fromstring(written(parse_xml(path.read_bytes())), parser)
        assert without_white_space(again) == without_white_space(read), path.name


def test_what_is_written_validates_against_ianas_own_schema() -> None:
    newest = every_file()[-1]
    iana_schema().assertValid(etree.fromstring(written(parse_xml(newest.read_bytes()))))


def test_the_file_of_2026_has_97_formal_and_8_informal_namespaces() -> None:
    file = parse_xml(IANA_NEWEST.read_bytes())
    assert file.updated == "2026-07-28"
    assert Counter(record.is_formal for record in file.records) == {True: 97, False: 8}
    assert len(file.people) == 10


def test_dates_of_both_precisions_are_kept() -> None:
    record = parse_xml(an_xml(formal=f"{DATED}<name>example-a</name></record>")).records[0]
    assert (record.date, record.updated) == ("2018-06-19", "2019-08")


def test_the_same_tags_mean_other_columns_in_an_informal_record() -> None:
    formal, informal = parse_xml(
        an_xml(formal=a_record("example-a", template=True), informal=an_informal_record("urn-3"))
    ).records
    assert [xref.display_text for xref in formal.template_column] == ["example-a-template"]
    assert [xref.display_text for xref in formal.reference_column] == ["RFC8141"]
    assert [xref.display_text for xref in informal.template_column] == ["urn-3"]
    assert [xref.display_text for xref in informal.reference_column] == ["Example_Person"]


def test_before_2017_one_list_of_an_informal_record_held_template_and_reference() -> None:
    record = parse_xml(
        an_xml(
            informal='<record><name>urn-7</name><xref type="rfc" data="rfc6050"/>'
            '<xref type="uri" data="https://example.org/t">urn-7</xref></record>'
        )
    ).records[0]
    assert [xref.display_text for xref in record.template_column] == ["urn-7"]
    assert [xref.display_text for xref in record.reference_column] == ["RFC6050"]


@pytest.mark.parametrize(
    ("xref", "words", "url"),
    [
        (Xref("rfc", "rfc5279"), "RFC5279", "https://www.rfc-editor.org/rfc/rfc5279"),
        (
            Xref("rfc", "rfc8141", "", (("section", "6"),)),
            "RFC8141",
            "https://www.rfc-editor.org/rfc/rfc8141#section-6",
        ),
        (Xref("rfc", "bcp66"), "BCP66", "https://www.rfc-editor.org/info/bcp66"),
        (Xref("rfc-errata", "3188"), "RFC Errata 3188", "https://www.rfc-editor.org/errata/eid3188"),
        (
            Xref("draft", "RFC-ietf-core-dev-urn-11"),
            "RFC-ietf-core-dev-urn-11",
            "https://datatracker.ietf.org/doc/html/draft-ietf-core-dev-urn-11",
        ),
        (
            Xref("draft", "RFC-draft-mahesh-etsi-urn-05"),
            "RFC-draft-mahesh-etsi-urn-05",
            "https://datatracker.ietf.org/doc/html/draft-mahesh-etsi-urn-05",
        ),
        (
            Xref("draft", "draft-urn-ddi-00"),
            "draft-urn-ddi-00",
            "https://datatracker.ietf.org/doc/html/draft-urn-ddi-00",
        ),
        (Xref("person", "Example_Person", "person@example.org"), "Example_Person", ""),
        (Xref("uri", "https://example.org/", "Example Body"), "Example Body", "https://example.org/"),
        (Xref("uri", "javascript:alert(1)", "Example Body"), "Example Body", ""),
        (Xref("uri", "mailto:expert&example.org"), "mailto:expert&example.org", ""),
        (Xref("text", "", "somebody"), "somebody", ""),
    ],
)
def test_a_reference_has_the_label_of_iana_and_links_to_its_page(xref: Xref, words: str, url: str) -> None:
    assert (xref.display_text, xref.url) == (words, url)
    assert Xref.from_json(xref.to_json()) == xref


BOMB = (
    b'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>'
    b'<registry xmlns="http://www.iana.org/assignments" id="urn-namespaces">&b;</registry>'
)
WHOLE = an_xml(formal=a_record("example-a"))

MALFORMED = [
    ("empty", b"", "not well-formed", 1),
    ("text", b"isbn,,[RFC3187]\n", "not well-formed", 1),
    ("cut off", WHOLE[:300], "not well-formed", 6),
    ("cut off before the last tag", WHOLE[:-13], "not well-formed", 10),
    ("something after the end", WHOLE + b"<more/>", "not well-formed", 12),
    ("an entity bomb", BOMB, "document type", 1),
    ("an outside entity", b'<!DOCTYPE r SYSTEM "file:///etc/passwd"><r/>', "document type", 1),
    (
        "an entity in a parameter",
        b'<!DOCTYPE r [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]><r/>',
        "document type",
        1,
    ),
    (
        "nesting without an end",
        WHOLE[:220].partition(b"<registry id")[0] + b"<note>" * 100_000,
        "nested more",
        4,
    ),
    ("attributes without an end", b"<registry " + b'a="" ' * 1_000_000, "is longer than 1 MB", 1),
    (
        "processing instructions without an end",
        b"<registry>"[:-1] + b" xmlns='http://www.iana.org/assignments'>" + b"<?a?>" * 1_000_000,
        "is longer than 1 MB",
        1,
    ),
    (
        "another file",
        b"<registry xmlns='http://www.iana.org/assignments'><x:include xmlns:x='http://www.w3.org/2001/XInclude' href='/etc/passwd'/>",
        "<include> is not in the XML namespace",
        1,
    ),
    *(
        (f"the encoding {name}", f"<?xml version='1.0' encoding='{name}'?><a/>".encode(), "encoding", 1)
        for name in (
            "UTF-7",
            "idna",
            "zlib_codec",
            "rot13",
            "cp037",
            "undefined",
        )
    ),
    ("HTML", b"<html><body/></html>", "namespace", 1),
    ("another namespace", WHOLE.replace(b"iana.org/assignments", b"example.org/"), "namespace", 2),
    ("another registry", WHOLE.replace(b'id="urn-namespaces"', b'id="uri-schemes"'), "uri-schemes", 2),
    ("another root", b'<people xmlns="http://www.iana.org/assignments"/>', "root element is <people>", 1),
    ("a list missing", WHOLE.replace(b"urn-namespaces-2", b"urn-namespaces-1"), "not expected", 7),
    ("no date", WHOLE.replace(b"<updated>2020-01-01</updated>", b""), "<updated>", 2),
    ("a date to the month", an_xml(updated="2020-01"), "<updated>", 3),
    ("a date that is none", an_xml(updated="2020-02-30"), "<updated>", 3),
    ("a date in other digits", an_xml(updated="２０２０-01-01"), "<updated>", 3),
    (
        "a record's date",
        an_xml(formal='<record date="2018-13"><name>example-a</name></record>'),
        "is not a date",
        5,
    ),
    (
        "a record's year",
        an_xml(formal='<record date="2018"><name>example-a</name></record>'),
        "is not a date",
        5,
    ),
    ("an unknown attribute", an_xml(formal='<record id="x"><name>example-a</name></record>'), '"id"', 5),
    ("an unknown element", an_xml(formal="<record><name>example-a</name><b/></record>"), "<b>", 5),
    ("stray text", an_xml(formal="<record>example-a</record>"), "“example-a”", 5),
    ("no name", an_xml(formal="<record/>"), "0 elements <name>", 5),
    (
        "two names",
        an_xml(formal="<record><name>example-a</name><name>example-b</name></record>"),
        "2 elements",
        5,
    ),
    ("an empty name", an_xml(formal="<record><name/></record>"), "not a NID", 5),
    ("a NID with a letter outside ASCII", an_xml(formal=a_record("exämple")), "not a NID", 5),
    ("a NID with a digit outside ASCII", an_xml(formal=a_record("example١")), "not a NID", 5),
    ("a NID of 33 characters", an_xml(formal=a_record("e" * 33)), "not a NID", 5),
    ("a NID that ends with a hyphen", an_xml(formal=a_record("example-")), "not a NID", 5),
    ("a NID twice", an_xml(formal=a_record("example-a") + "\n" + a_record("EXAMPLE-A")), "line 5", 6),
    ("an informal one among the formal", an_xml(formal=a_record("urn-7")), "the NID is informal", 5),
    ("a formal one among the informal", an_xml(informal=a_record("example-a")), "the NID is formal", 8),
    ("a number beyond counting", an_xml(informal=a_record("urn-9999999999")), "too large", 8),
    ("a reference of no type", an_xml(formal="<record><name>example-a</name><xref/></record>"), 'type ""', 5),
    ("an RFC without a number", an_xml(formal=a_record("example-a", rfc="rfc")), 'data="rfc"', 5),
    ("an RFC with a line break", an_xml(formal=a_record("example-a", rfc="rfc1&#10;")), "is not valid in", 5),
    ("an RFC with other digits", an_xml(formal=a_record("example-a", rfc="rfc１")), "is not valid in", 5),
    (
        "something in a reference",
        an_xml(formal='<record><name>example-a</name><xref type="text"><xref type="text"/></xref></record>'),
        "only text",
        5,
    ),
    ("an unknown element in the head", an_xml(head="<heading>a</heading>"), "<heading> is not allowed", 3),
    ("an unknown element in a list", an_xml(formal="<recrod/>"), "<recrod> is not allowed", 5),
    ("person without an id", an_xml(people="<person><name>a</name></person>"), "has an id", 10),
    ("body in place of a person", an_xml(people='<body id="a"/>'), "<body> is not allowed", 10),
    ("a person's age", an_xml(people='<person id="a"><age/></person>'), "<age> is not allowed", 10),
    (
        "an erratum without a number",
        an_xml(formal='<record><name>example-a</name><xref type="rfc-errata" data="0"/></record>'),
        "is not valid in",
        5,
    ),
    ("nested too deep", an_xml(head="<note>" * 20 + "</note>" * 20), "deep", 3),
]


@pytest.mark.parametrize(
    ("content", "words", "line"), [row[1:] for row in MALFORMED], ids=[row[0] for row in MALFORMED]
)
def test_a_malformed_file_is_refused_with_its_place(content: bytes, words: str, line: int) -> None:
    with pytest.raises(MalformedFile) as refusal:
        parse_xml(content)
    assert words in str(refusal.value)
    assert refusal.value.line == line


def test_a_trailing_newline_in_a_name_is_white_space() -> None:
    assert parse_xml(an_xml(formal=a_record("example-a\n"))).records[0].name == "example-a"


def test_a_no_break_space_is_not_white_space() -> None:
    head = parse_xml(an_xml(head="<note> a\u00a0\n  b </note>")).head
    assert head[0].text == "a\u00a0 b"


def test_parsing_time_is_linear_in_the_number_of_references() -> None:
    note = parse_xml(an_xml(head=f"<note>{'&amp;' * 300_000}</note>")).head[0]
    assert note.text == "&" * 300_000
