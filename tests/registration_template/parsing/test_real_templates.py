"""Real templates: what each of them must be read as.

The table was made by reading the files. `OLD` are the sections that the older form does not have.
"""

import re
from functools import cache
from pathlib import Path

import pytest

from registry.registration_template.formatting import format_template
from registry.registration_template.parsing.parser import ParsedTemplate, parse_template
from registry.registration_template.sections import SECTION_BY_KEY, TEXT_SECTIONS
from tests.support.shared_data import shared

OLD = {"security_and_privacy", "interoperability", "revision_information"}

# File, identifier, version, date as typed, and the sections in which nothing stands.
TEMPLATES: list[tuple[str, str, int | None, str, set[str]]] = [
    ("3406/3gpp.3406.txt", "3gpp", 1, "2007-11-16", OLD),
    ("3406/adid.3406.txt", "adid", 1, "2016-03-22", OLD),
    ("3406/bbf.3406.txt", "bbf", 1, "2016-12-05", OLD),
    ("3406/broadband-forum-org.3406.txt", "broadband-forum-org", 1, "2016-12-05", OLD),
    ("3406/ccsds.3406.txt", "ccsds", 1, "2015-10-19", OLD),
    ("3406/cgi.3406.txt", "cgi", 1, "2007-10-04", OLD),
    ("3406/dgiwg.3406.txt", "dgiwg", 1, "August 2011", OLD),
    ("3406/dslforum-org.3406.txt", "dslforum-org", 1, "2016-12-05", OLD),
    ("3406/ebu.3406.txt", "ebu", 1, "2007-02-20", OLD),
    ("3406/eidr.3406.txt", "eidr", 1, "2014-03-03", OLD),
    ("3406/epcglobal.3406.txt", "epcglobal", 1, "2007-03-06", OLD),
    ("3406/eurosystem.3406.txt", "eurosystem", 1, "2014-02-18", OLD),
    ("3406/fdc.3406.txt", "fdc", 1, "2005-04-25", OLD),
    ("3406/fipa.3406.txt", "fipa", 1, "2002-02-28", OLD),
    ("3406/globus.3406.txt", "globus", 1, "2016-03-18", OLD),
    ("3406/gsma.3406.txt", "gsma", 1, "2014-01-12", OLD),
    ("3406/ieee.3406.txt", "ieee", 1, "2016-12-05", OLD),
    ("3406/ietf.3406.txt", "ietf", 1, "1999-04-22", OLD),
    ("3406/isan.3406.txt", "isan", 1, "2004 11 22", OLD),
    ("3406/iso.3406.txt", "iso", 2, "2007-12-13", OLD),
    ("3406/liberty.3406.txt", "liberty", 1, "2003-04-01", OLD),
    ("3406/mace.3406.txt", "mace", 1, "2003-08-01", OLD),
    ("3406/mpeg.3406.txt", "mpeg", 1, "2001-11-20", OLD),
    ("3406/nato.3406.txt", "nato", 1, "2014-09-11", OLD),
    ("3406/newsml.3406.txt", "newsml", 1, "2000-11-07", OLD),
    ("3406/nfc.3406.txt", "nfc", 1, "2006-05-17", OLD),
    ("3406/oasis.3406.txt", "oasis", 3, "2001-02-05", OLD),
    ("3406/ogc.3406.txt", "ogc", 1, "2007-08-16", OLD),
    ("3406/oid.3406.txt", "oid", 1, "2000-04-30", OLD),
    ("3406/oipf.3406.txt", "oipf", 1, "2012-08-13", OLD),
    ("3406/pin.3406.txt", "pin", 1, "2000-09-30", OLD),
    ("3406/publicid.3406.txt", "publicid", 1, "2001-05-08", OLD),
    ("3406/s1000d.3406.txt", "s1000d", 2, "<2005-03-7, when submitted>", OLD),
    ("3406/schac.3406.txt", "schac", 1, "2011-06-22", OLD),
    ("3406/smpte.3406.txt", "smpte", 2, "2007-07-08", OLD),
    ("3406/swift.3406.txt", "swift", 1, "2001-08-01", OLD),
    ("3406/uci.3406.txt", "uci", 1, "2004-07-xx", OLD),
    ("3406/ucode.3406.txt", "ucode", 1, "2011-12-21", OLD),
    ("3406/urn-2.3406.txt", "urn-2", 1, "5Feb2001", OLD),
    ("3406/urn-3.3406.txt", "urn-3", 2, "2009-01-27", OLD),
    ("3406/urn-5.3406.txt", "urn-5", 2, "2003-05-06", OLD - {"revision_information"}),
    ("3406/urn-6.3406.txt", "urn-6", 2, "2006-03-18", OLD),
    ("3406/uuid.3406.txt", "uuid", None, "2003-10-01", OLD | {"version"}),
    ("3406/web3d.3406.txt", "web3d", 1, "2003-05-06", OLD),
    ("3406/xmpp.3406.txt", "xmpp", 1, "2007-04-27", OLD),
    ("8141/3gpp2.8141.txt", "3gpp2", 1, "2018-06-10", {"revision_information"}),
    ("8141/c2pa.8141.txt", "c2pa", 1, "2025-02-03", set()),
    ("8141/csa.8141.txt", "csa", 1, "2025-04-14", set()),
    ("8141/cta.8141.txt", "cta", 1, "2023-07-31", set()),
    ("8141/doi.8141.txt", "doi", 1, "2023-03-14", {"additional_information"}),
    ("8141/eic.8141.txt", "eic", 1, "2021-12-16", {"revision_information"}),
    ("8141/gdr.8141.txt", "gdr", 1, "2026-03-10", {"revision_information"}),
    ("8141/gdst.8141.txt", "gdst", 1, "2020-04-2", set()),
    ("8141/gvat.8141.txt", "gvat", 1, "2023-05-01", set()),
    ("8141/isbn.8141.txt", "isbn", 2, "2017-06-12", set()),
    ("8141/issn.8141.txt", "issn", 2, "2017-06-22", set()),
    ("8141/itu.8141.txt", "itu", 1, "2018-07-31", set()),
    ("8141/lei.8141.txt", "lei", 1, "2021-12-22", set()),
    ("8141/lex.8141.txt", "lex", 1, "2022-11-15", set()),
    ("8141/mrn.8141.txt", "mrn", 2, "2024-08-26", {"additional_information", "revision_information"}),
    ("8141/nan.8141.txt", "nan", 1, "2023-08-01", set()),
    ("8141/nfi.8141.txt", "nfi", 1, "2025-08-10", {"revision_information"}),
    ("8141/onem2m.8141.txt", "onem2m", 1, "2022-11-14", {"additional_information", "revision_information"}),
    ("8141/pno.8141.txt", "pno", 1, "2024-05-14", set()),
    ("8141/pwid.8141.txt", "pwid", 1, "2022-11-15", set()),
    ("8141/stalwart.8141.txt", "stalwart", 1, "2025-04-14", {"revision_information"}),
    ("8141/thread.8141.txt", "thread", 1, "2024-12-09", set()),
    ("8141/uic.8141.txt", "uic", 1, "2023-06-07", {"additional_information"}),
    ("8141/urn-8.8141.txt", "urn-8", 1, "2025-07-01", set()),
    ("8141/wmo.8141.txt", "wmo", 1, "2025-06-04", {"revision_information"}),
]

# The line in which each section begins, as `grep -n` finds it; a section's own heading goes before its parts.
STARTS = {
    "8141/3gpp2.8141.txt": [1, 5, 9, 13, 30, 39, 68, 84, 88, 102, 106, 122, None],
    "8141/doi.8141.txt": [3, 5, 7, 9, 59, 116, 216, 237, 251, 270, 315, None, 319],
    "8141/itu.8141.txt": [1, 7, 11, 15, 29, 37, 93, 100, 104, 109, 113, 121, 125],
    "8141/nan.8141.txt": [3, 5, 7, 9, 17, 86, 35, 207, 228, 241, 251, 259, 255],
    "8141/onem2m.8141.txt": [3, 7, 11, 15, 33, 45, 52, 81, 77, 88, 93, None, None],
    "8141/pno.8141.txt": [3, 5, 7, 9, 27, 64, 76, 82, 89, 93, 98, 103, 105],
    "3406/ccsds.3406.txt": [3, 7, 7, 13, 123, 35, 69, None, None, 88, 63, 115, None],
    "3406/eurosystem.3406.txt": [6, 12, 12, 18, 8, 38, 68, None, None, 93, 46, 102, None],
    "3406/gsma.3406.txt": [3, 7, 9, 11, 179, 27, 104, None, None, 152, 99, 173, None],
    "3406/urn-6.3406.txt": [3, 8, 9, 11, 205, 20, 117, None, None, 167, 50, 198, None],
}


def _read(name: str) -> str:
    return shared(f"data/templates/{name}").read_bytes().decode()


@cache
def _parsed(name: str) -> ParsedTemplate:
    return parse_template(_read(name))


def test_every_template_is_in_the_table() -> None:
    folder = shared("data/templates")
    assert {name for name, *_ in TEMPLATES} == {
        str(path.relative_to(folder)) for path in folder.glob("*/*.txt")
    }


@pytest.mark.parametrize(
    ("name", "nid", "version", "date", "missing"), TEMPLATES, ids=[name for name, *_ in TEMPLATES]
)
def test_the_template_is_parsed_as_the_table_expects(
    name: str, nid: str, version: int | None, date: str, missing: set[str]
) -> None:
    parsed = _parsed(name)
    template = parsed.template
    assert (template.namespace_identifier, template.version, template.date) == (nid, version, date)
    assert parsed.form == Path(name).parent.name
    assert {key for key in SECTION_BY_KEY if not template.is_filled(key)} == missing


@pytest.mark.parametrize("name", STARTS)
def test_sections_begin_at_their_headings(name: str) -> None:
    lines = _parsed(name).lines
    assert [lines.get(key) for key in SECTION_BY_KEY] == STARTS[name]


@pytest.mark.parametrize("name", [name for name, *_ in TEMPLATES])
def test_nothing_of_a_template_is_lost(name: str) -> None:
    text, parsed = _read(name), _parsed(name)
    template = parsed.template
    texts = _squeeze(
        "\n".join([*(getattr(template, key) for key in TEXT_SECTIONS), template.registrant.other])
    )
    words = _words(format_template(template))
    reported = {line.line for line in parsed.unplaced}
    for number, line in enumerate(re.split("\r\n|\n", text.removeprefix("\ufeff")), start=1):
        if number in reported or _squeeze(line) in texts:
            continue
        is_heading = number in parsed.lines.values()
        assert is_heading or _section_of(number, parsed) in HEAD, f"line {number}: {line}"
        lost = _words(line) - words - LABELS
        assert not lost, f"line {number}: {lost}"


def _section_of(number: int, parsed: ParsedTemplate) -> str:
    return max((start, key) for key, start in parsed.lines.items() if start <= number)[1]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", [name for name, *_ in TEMPLATES])
def test_a_template_once_written_stays_as_it_is(name: str) -> None:
    template = _parsed(name).template
    written = format_template(template)
    again = parse_template(written)
    assert again.template == template
    assert again.unplaced == ()
    assert format_template(again.template) == written


@pytest.mark.parametrize("name", [name for name, *_ in TEMPLATES])
def test_a_written_template_is_72_columns_wide(name: str) -> None:
    for line in format_template(_parsed(name).template).split("\n"):
        assert len(line) <= 72 or not re.search(r"[^ ] [^ ]", line.strip()), line


def _squeeze(text: str) -> str:
    return " ".join(text.split())


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


HEAD = {"namespace_identifier", "version", "date", "registrant"}
# Words of headings and labels, which the canonical form says in its own words; and numbers of sections.
LABELS = _words(
    """
    Namespace ID NamespaceID Registration Information Declared registrant of the namespace Version number
    Declaration of syntactic structure structures part NSS Relevant ancillary Process for
    identifier Change History
    Name Affiliation Standards Designated contacts Registering Role Email E-mail Tel ph Work
    Contact(s) To be assigned Request the string is requested of IANA 0 1 2 3 4 5 6 7 8 9
    """
)
