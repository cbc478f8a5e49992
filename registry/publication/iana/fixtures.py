"""Writes the fixtures: data of public registries, without personal data."""

import csv
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from registry.publication.iana.file_reader import read_version
from registry.publication.iana.records import Element, IanaFile, Mixed, Record, Xref
from registry.publication.iana.xml_format import format_xml

IANA_FIXTURE = "iana-urn-namespaces.xml"


def write_fixtures(source: Path, target: Path) -> list[Path]:
    """Write the three fixture files from `iana/urn-namespaces.xml`, `iso-3166-1.csv` and `uri-schemes.csv`."""
    contents = {
        IANA_FIXTURE: format_xml(without_people(read_version(source / "iana" / "urn-namespaces.xml").file)),
        "iso-3166-1-names.txt": _countries(source / "iso-3166-1.csv"),
        "uri-schemes.txt": _column(source / "uri-schemes.csv", "scheme"),
    }
    written = []
    for name, lines in contents.items():
        path = target / name
        path.write_text("".join(lines), encoding="utf-8", newline="\n")
        written.append(path)
    return written


def _column(path: Path, name: str) -> Iterable[str]:
    """Return the first word of each cell, sorted: IANA writes "shttp (OBSOLETE)"."""
    with path.open(encoding="utf-8", newline="") as stream:
        values = sorted({row[name].split()[0].lower() for row in csv.DictReader(stream)})
    return [f"{value}\n" for value in values]


def _countries(path: Path) -> Iterable[str]:
    """Yield both codes and the name of each country."""
    with path.open(encoding="utf-8", newline="") as stream:
        return sorted(f"{row['alpha2']} {row['alpha3']} {row['name']}\n" for row in csv.DictReader(stream))


def without_people(file: IanaFile) -> IanaFile:
    """Return the registry without experts, contacts and references to people."""
    return replace(
        file,
        records=tuple(_without_people(record) for record in file.records),
        formal_head=_without_experts(file.formal_head),
        informal_head=_without_experts(file.informal_head),
        people=(),
    )


def _without_experts(head: tuple[Element, ...]) -> tuple[Element, ...]:
    return tuple(element for element in head if element.tag != "expert")


def _without_people(record: Record) -> Record:
    return replace(
        record,
        references=tuple(xref for xref in record.references if xref.type != "person"),
        template=_without_persons(record.template),
        contact=_without_persons(record.contact),
    )


def _without_persons(mixed: Mixed | None) -> Mixed | None:
    if mixed is None:
        return None
    return tuple(part for part in mixed if isinstance(part, Xref) and part.type != "person")
