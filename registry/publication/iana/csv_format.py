"""IANA's CSV format: three columns of bracketed labels.

The format has no dates, URLs or people. Labels of RFCs, errata and drafts are converted back to references;
other labels remain text.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from typing import IO

from registry.publication.iana.imported_records import ImportedRecords
from registry.publication.iana.records import IanaFile, MalformedFile, Record, Xref
from registry.publication.iana.xml_format import check_name
from urnsyntax.nid import NIDKind, classify

# The limit must exceed the longest field that is accepted (128 kB).
MAX_LINE = 256 * 1024
HEADER = ["URN Namespace", "Template", "Reference"]
HEADER_OF_2015 = ["URN Namespace", "Reference"]
CELL_PATTERN = re.compile(r"(?:\[[^\x00-\x1f\x7f-\x9f]+\])?")
TEMPLATE_FOLDERS = {
    True: "https://www.iana.org/assignments/urn-formal/",
    False: "https://www.iana.org/assignments/urn-informal/",
}


def parse_csv(content: IO[bytes] | bytes, *, updated: str) -> IanaFile:
    """Parse one list. The file has no date, so the caller passes `updated` ("" if unknown)."""
    stream = io.BytesIO(content) if isinstance(content, bytes) else content
    imported = ImportedRecords()
    for record in _records(_lines(stream)):
        imported.add(record)
    return IanaFile(updated=updated, records=imported.validated(), is_partial=True)


def _lines(stream: IO[bytes]) -> Iterator[str]:
    """Yield the lines as text with their line endings. A byte order mark before the first is skipped."""
    number = 0
    while content := stream.readline(MAX_LINE + 1):
        number += 1
        if len(content) > MAX_LINE:
            raise MalformedFile(f"the line is longer than {MAX_LINE:,} bytes.", line=number)
        try:
            line = content.decode()
        except UnicodeDecodeError as fault:
            raise MalformedFile("the line is not valid UTF-8.", line=number) from fault
        yield line.removeprefix("\ufeff") if number == 1 else line


def _records(lines: Iterator[str]) -> Iterator[Record]:
    rows = csv.reader(lines, strict=True)
    try:
        header = next(rows, [])
        if header not in (HEADER, HEADER_OF_2015):
            raise MalformedFile(f"the header is “{','.join(header)[:60]}”, not “{','.join(HEADER)}”.", line=1)
        for row in rows:
            if len(row) != len(header):
                raise MalformedFile(
                    f"the row has {len(row)} columns, the header {len(header)}. The file may be truncated.",
                    line=rows.line_num,
                )
            yield _parse_row(row[0], "" if len(row) < len(HEADER) else row[1], row[-1], rows.line_num)
    except csv.Error as fault:
        raise MalformedFile(f"the file is not CSV ({fault}).", line=rows.line_num) from fault


def _parse_row(name: str, template: str, reference: str, line: int) -> Record:
    is_formal = classify(name).kind != NIDKind.INFORMAL
    check_name(name, is_formal=is_formal, line=line)
    templates = tuple(
        _template(label, name, is_formal=is_formal) for label in _labels(template, "Template", line)
    )
    references = tuple(_reference(label) for label in _labels(reference, "Reference", line))
    if is_formal:
        return Record(name, True, references=references, template=templates or None, line=line)
    return Record(name, False, references=templates, contact=references, line=line)


def _labels(cell: str, column: str, line: int) -> list[str]:
    """Return the labels of a cell such as `[RFC5328][RFC7354]`."""
    if not CELL_PATTERN.fullmatch(cell):
        raise MalformedFile(f"“{cell[:60]}” in column {column} is not a list of [labels].", line=line)
    return cell[1:-1].split("][") if cell else []


def _template(label: str, name: str, *, is_formal: bool) -> Xref:
    """Return the reference for a template label, whose URL has a fixed form."""
    if label == (f"{name}-template" if is_formal else name):
        return Xref("uri", TEMPLATE_FOLDERS[is_formal] + name, label)
    return Xref("text", "", label)


def _reference(label: str) -> Xref:
    if re.fullmatch(r"(RFC|BCP|STD)[0-9]+", label):
        return Xref("rfc", label.lower())
    if erratum := re.fullmatch(r"RFC Errata ([0-9]+)", label):
        return Xref("rfc-errata", erratum[1])
    if re.fullmatch(r"(draft|RFC)(-[a-zA-Z0-9]+)+", label):
        return Xref("draft", label)
    return Xref("text", "", label)


class _Line:
    """A file object for csv.writer that keeps the last line written."""

    text = ""

    def write(self, text: str) -> None:
        self.text = text


def format_csv(records: Iterable[Record]) -> Iterator[str]:
    """Yield the lines of one list in IANA's form: CRLF, concatenated labels in brackets, minimal quoting."""
    line = _Line()
    rows = csv.writer(line)
    rows.writerow(HEADER)
    yield line.text
    for record in records:
        rows.writerow(
            [record.name, bracketed_labels(record.template_column), bracketed_labels(record.reference_column)]
        )
        yield line.text


def bracketed_labels(column: Iterable[Xref]) -> str:
    """Return the references of one column in the form `[RFC5328][RFC7354]`."""
    return "".join(f"[{xref.display_text}]" for xref in column)
