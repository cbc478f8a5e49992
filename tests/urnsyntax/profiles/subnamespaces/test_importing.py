"""Reading official lists: what is taken from CSV and from IANA's XML, what is refused, and how a list is read again."""

import pytest

from urnsyntax.profiles.subnamespaces.importing import (
    InvalidListFile,
    difference,
    read_csv,
    read_iana,
    refreshed,
)

OAUTH = """<?xml version="1.0" encoding="UTF-8"?>
<registry xmlns="http://www.iana.org/assignments" id="oauth-parameters">
  <title>OAuth Parameters</title>
  <updated>2026-08-03</updated>
  <registry id="parameters">
    <title>OAuth Parameters</title>
    <record><name>client_id</name></record>
  </registry>
  <registry id="uri">
    <title>OAuth URI</title>
    <note>Contact: Robin Example</note>
    {records}
  </registry>
  <people><person id="Robin_Example"><name>Robin Example</name></person></people>
</registry>"""


def read(records, nid="ietf", **more):
    return read_iana(OAUTH.format(records=records).encode(), nid, **more)


def record(urn="urn:ietf:params:oauth:ckt", more=""):
    return f"<record><urn>{urn}</urn><name>COSE Key Thumbprint URI</name>{more}</record>"


SOURCE = {"source": "IANA: OAuth Parameters, OAuth URI", "as_of": "2026-08-03"}
CKT = {"prefix": "params:oauth:ckt", "title": "COSE Key Thumbprint URI"}


def test_a_record_of_iana_becomes_a_row():
    more = """<controller><xref type="person" data="Robin_Example"/></controller>
      <notes>Ask Robin Example.</notes><xref type="rfc" data="rfc9679">RFC9679, Section 4</xref>
      <xref type="person" data="Robin_Example"/><xref type="draft" data="RFC-ietf-oauth-example-01"/>
      <xref type="uri" data="https://example.org/spec">Example specification</xref>"""
    reference = "RFC 9679, Section 4; RFC-ietf-oauth-example-01; Example specification"
    (row,) = read(record(more=more))
    assert row == CKT | {"reference": reference, "url": "https://example.org/spec"} | SOURCE
    assert "Robin" not in str(row)


def test_the_day_of_the_copy_can_be_given():
    assert read(record(), as_of="2026-08-22")[0]["as_of"] == "2026-08-22"


@pytest.mark.parametrize(
    ("urn", "nid", "prefix"),
    [
        ("urn:ietf:params:jmap:error:", "ietf", "params:jmap:error"),
        ("URN:IETF:params:oauth:x", "ietf", "params:oauth:x"),
        ("urn:ietf:params:x:&lt;a country code&gt;", "ietf", "params:x"),
        ("urn:3gpp:roi-sent", "3gpp", "roi-sent"),
        ("urn:gdr:params:xml:ns:variant-1.0", "ietf", None),
        ("http://xmlns.example.org/epp/idn-1.0", "ietf", None),
        ("urn:ietf:", "ietf", None),
        ("N/A", "ietf", None),
        ("", "ietf", None),
    ],
)
def test_only_names_of_the_namespace_are_read(urn, nid, prefix):
    assert [row["prefix"] for row in read(record(urn), nid)] == ([prefix] if prefix else [])


@pytest.mark.parametrize(
    ("urn", "more", "status"),
    [
        ("urn:ietf:params:x", "", "active"),
        ("urn:ietf:params:x (DEPRECATED)", "", "deprecated"),
        ("urn:ietf:params:x (OBSOLETE)", "", "retired"),
        ("urn:ietf:params:x", "<notes>OBSOLETE. See RFC 1.</notes>", "retired"),
        ("urn:ietf:params:x", "<notes>The obsolete form is another.</notes>", "active"),
        ("urn:ietf:params:x", "<deprecated>TRUE</deprecated>", "deprecated"),
        ("urn:ietf:params:x", "<deprecated>FALSE</deprecated>", "active"),
    ],
)
def test_marks_of_iana_become_a_status(urn, more, status):
    (row,) = read(record(urn, more))
    assert (row["prefix"], row.get("status", "active")) == ("params:x", status)


def test_a_sentence_is_no_title():
    (row,) = read(f"<record><urn>urn:ietf:params:x:y</urn><name>{'A long one. ' * 8}</name></record>")
    assert row["title"] == "y"


def test_a_version_alone_is_no_title():
    xml = """<registry id="netconf-capability-urns"><title>C</title><registry id="netconf-capability-urns-1">
      <record><identifier>urn:ietf:params:netconf:capability:candidate:1.0</identifier></record></registry></registry>"""
    assert [row["title"] for row in read_iana(xml.encode(), "ietf")] == ["candidate 1.0"]


def test_the_last_record_of_a_name_counts():
    both = record(more='<xref type="rfc" data="rfc1"/>') + record(more='<xref type="rfc" data="rfc2"/>')
    assert [row["reference"] for row in read(both)] == ["RFC 2"]


BOMB = '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><registry id="params">&b;</registry>'


@pytest.mark.parametrize(
    ("xml", "reason"),
    [
        (BOMB.encode(), "Line 1: The file declares a document type"),
        (b'<!DOCTYPE r SYSTEM "file:///etc/passwd"><r/>', "Line 1: The file declares a document type"),
        (OAUTH[:300].encode(), "The XML is not well-formed"),
        (b"", "The XML is not well-formed (no element found)"),
        *(
            (
                f'<?xml version="1.0" encoding="{encoding}"?><r/>'.encode(),
                "Line 1: The encoding that the file declares cannot be read",
            )
            for encoding in ("rot13", "unknown", "big5", "idna")
        ),
        (b"<record><name>a</name></record>", "The registry “” of IANA is not known."),
        (b'<registry id="ports"/>', "The registry “ports” of IANA is not known."),
        pytest.param(b" " * (32 * 1024 * 1024 + 1), "The file has 33,554,433 octets.", id="too large"),
    ],
)
def test_hostile_and_other_xml_is_refused(xml, reason):
    with pytest.raises(InvalidListFile) as refusal:
        read_iana(xml, "ietf")
    assert reason in str(refusal.value)


ROW = {"prefix": "de:bvb", "title": "Bavarian library network", "source": "Example", "as_of": "2026-08-22"}


def test_csv_is_read_by_its_header():
    text = '\ufeffstatus,prefix,title,source\r\n,de:bvb, Bavarian library network ,Other\r\nretired,de:x,"X, Y",\r\n'
    assert read_csv(text, source="Example", as_of="2026-08-22") == [
        ROW | {"source": "Other"},
        {"prefix": "de:x", "title": "X, Y", "status": "retired", "source": "Example", "as_of": "2026-08-22"},
    ]


def test_objects_in_csv_are_json():
    text = 'prefix,title,names\r\nde:x,X,"{""pattern"": ""[0-9]+""}"\r\nde:y,Y,\r\n'
    assert [each.get("names") for each in read_csv(text)] == [{"pattern": "[0-9]+"}, None]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "Line 1: A column is missing or repeated."),
        ("prefix,holder\n", "Line 1: A column is missing or repeated."),
        ("prefix,title,title\n", "Line 1: A column is missing or repeated."),
        ("prefix,title,mail\n", "Line 1: The column “mail” is unknown. Use some of: prefix, title, holder"),
        ("prefix,title\na,b\nc\n", "Line 3: The row has 1 columns, the header 2."),
        ("prefix,title\na,\n", "Line 2: The prefix or the title is missing."),
        ('prefix,title\na,"b', "Line 2: This is not CSV"),
        (
            "prefix,title,names\na,b,{\n",
            "Line 2: The value of “names” is not JSON. Write it as in JSON Lines.",
        ),
    ],
)
def test_other_csv_is_refused(text, reason):
    with pytest.raises(InvalidListFile) as refusal:
        read_csv(text)
    assert str(refusal.value).startswith(reason)


def row(prefix, title="A", source="S", **more):
    return {"prefix": prefix, "title": title, "source": source, "as_of": "2026-01-01"} | more


def test_a_difference_has_what_is_added_changed_and_gone():
    old = [row("a"), row("b"), row("C")]
    new = [row("a", "B"), row("c", as_of="2026-02-02"), row("d")]
    found = difference(old, new)
    assert found.added == (row("d"),)
    assert found.gone == (row("b"),)
    # The spelling of a prefix is a change; the day on which the list was read is none.
    assert found.changed == ((row("a"), row("a", "B")), (row("C"), row("c", as_of="2026-02-02")))
    assert difference(old, [each | {"as_of": "2026-02-02"} for each in old]) == ((), (), ())
    assert difference(old, [row("c")], normalize=str).added == (row("c"),)


UNSOURCED = {"prefix": "without", "title": "A row with the source of its level"}


def test_a_list_that_is_read_again_keeps_what_was_curated():
    old = [
        row("a", "Our title", holder="H", status="deprecated"),
        row("gone"),
        row("kept", source="RFC 1"),
        row("of both", source="RFC 1"),
        UNSOURCED,
    ]
    again = [row("a", "A", as_of="2026-02-02"), row("of both"), row("B")]
    assert refreshed(old, again) == [
        row("B"),
        row("a", "Our title", holder="H", as_of="2026-02-02"),
        row("gone", status="retired"),
        row("kept", source="RFC 1"),
        row("of both", source="RFC 1"),
        UNSOURCED,
    ]
