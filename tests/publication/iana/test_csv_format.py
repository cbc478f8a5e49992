"""IANA's CSV files: three columns of labels, agreeing with the XML of the same day."""

import pytest

from registry.publication.iana.csv_format import parse_csv
from registry.publication.iana.records import MalformedFile, Xref
from registry.publication.iana.xml_format import parse_xml
from tests.data import IANA, IANA_HISTORY

HEADER = b"URN Namespace,Template,Reference\r\n"


def test_csv_and_xml_files_of_the_same_day_agree() -> None:
    (path,) = IANA_HISTORY.glob("20210701*.xml")
    xml = parse_xml(path.read_bytes())
    for number, is_formal in (("1", True), ("2", False)):
        content = (IANA / f"2021-07-01.urn-namespaces-{number}.csv").read_bytes()
        file = parse_csv(content, updated="2021-07-01")
        expected = [record for record in xml.records if record.is_formal is is_formal]
        for record, known in zip(file.records, expected, strict=True):
            assert record.name == known.name
            for column in ("template_column", "reference_column"):
                labels = [xref.display_text for xref in getattr(record, column)]
                assert labels == [xref.display_text for xref in getattr(known, column)], record.name


def test_a_recognisable_label_becomes_a_reference() -> None:
    rows = (
        HEADER
        + b"example-a,[example-a-template],[RFC8141][RFC Errata 3188][draft-urn-ddi-00][Somebody (Inc.)]\r\n"
    )
    record = parse_csv(rows, updated="").records[0]
    assert record.template == (
        Xref("uri", "https://www.iana.org/assignments/urn-formal/example-a", "example-a-template"),
    )
    assert record.references == (
        Xref("rfc", "rfc8141"),
        Xref("rfc-errata", "3188"),
        Xref("draft", "draft-urn-ddi-00"),
        Xref("text", "", "Somebody (Inc.)"),
    )


def test_the_two_columns_of_2015_are_read() -> None:
    record = parse_csv(b"URN Namespace,Reference\r\nisbn,[RFC3187]\r\n", updated="").records[0]
    assert record.references == (Xref("rfc", "rfc3187"),)


def test_a_byte_order_mark_and_bare_newlines_do_no_harm() -> None:
    content = b"\xef\xbb\xbfURN Namespace,Template,Reference\nisbn,,[RFC3187]\n"
    assert parse_csv(content, updated="").records[0].name == "isbn"


@pytest.mark.parametrize(
    ("content", "words", "line"),
    [
        (b"", "header", 1),
        (b"nid,template,reference\r\n", "header", 1),
        (b"<?xml version='1.0'?>\n<registry/>", "header", 1),
        (b"URN Namespace,Template,Reference\n\n", "0 columns", 2),
        (HEADER + b"isbn,,[RFC3187]\r\nissn,", "2 columns", 3),
        (HEADER + b"isbn,,[RFC3187]\r\nissn,,[RFC30", "list of [labels]", 3),
        (HEADER + b"isbn,,RFC3187\r\n", "list of [labels]", 2),
        (HEADER + b'isbn,,"[RFC3187]\n[RFC1]"\r\n', "list of [labels]", 3),
        (HEADER + b'isbn,,"[RFC3187]', "not CSV", 2),
        (HEADER + b'isbn,,"[RFC3187]"x\r\n', "not CSV", 2),
        (HEADER + b"isbn,," + b"[RFC3187]" * 20_000, "not CSV", 2),
        (HEADER + b",,[RFC3187]\r\n", "not a NID", 2),
        (HEADER + b'"isbn\n",,[RFC3187]\r\n', "not a NID", 3),
        (HEADER + "isbn,,[a\x9b2J]\r\n".encode(), "is not a list of", 2),
        (HEADER + "ısbn,,[RFC3187]\r\n".encode(), "not a NID", 2),
        (HEADER + "isbn٣,,[RFC3187]\r\n".encode(), "not a NID", 2),
        (HEADER + b"e" * 33 + b",,[RFC3187]\r\n", "not a NID", 2),
        (HEADER + b"isbn,,[RFC3187]\r\nISBN,,[RFC3187]\r\n", "line 2", 3),
        (HEADER + b"isbn,,[RFC3187]\r\nissn,,[\xff]\r\n", "UTF-8", 3),
    ],
)
def test_a_malformed_csv_is_refused_with_its_line(content: bytes, words: str, line: int) -> None:
    with pytest.raises(MalformedFile) as refusal:
        parse_csv(content, updated="")
    assert words in str(refusal.value)
    assert refusal.value.line == line
