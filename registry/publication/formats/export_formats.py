"""The table of export formats, which the command, the pages and the API use.

Every file is streamed from the database: memory use does not depend on the number of namespaces, and output
starts at once.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from registry.core.database.connections import database_snapshot
from registry.namespaces.models import Kind, Namespace
from registry.publication.formats.json_files import format_bioregistry, format_json_lines, format_profiles
from registry.publication.formats.naptr_records import format_naptr_records
from registry.publication.formats.published_namespaces import published_head, published_namespaces
from registry.publication.formats.tables import format_html, format_text
from registry.publication.iana.csv_format import format_csv
from registry.publication.iana.records import REGISTRY_ID, Record
from registry.publication.iana.xml_format import PROLOG, write_xml
from registry.subnamespaces.exports import published_files
from registry.subnamespaces.queries import list_of

# Bytes that are collected for one block.
BLOCK = 64 * 1024


@dataclass(frozen=True, slots=True)
class ExportFile:
    """One file of the registry: its name, as in IANA's registry, its media type and its writer."""

    name: str
    media_type: str
    lines: Callable[[], Iterator[str]]

    def write(self) -> Iterator[bytes]:
        """Yield the file in blocks, from one state of the registry. The first line is sent at once."""
        with database_snapshot():
            yield from _blocks(self.lines())


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """One export format, which may consist of several files. `description` states its content."""

    name: str
    description: str
    files: tuple[ExportFile, ...]

    @property
    def media_type(self) -> str:
        return self.files[0].media_type


def _blocks(lines: Iterable[str]) -> Iterator[bytes]:
    waiting: list[str] = []
    size = BLOCK  # The first line is sent at once.
    for line in lines:
        waiting.append(line)
        size += len(line)
        if size >= BLOCK:
            yield "".join(waiting).encode()
            waiting, size = [], 0
    if waiting:
        yield "".join(waiting).encode()


def _records(kind: Kind) -> Iterator[Record]:
    return (entry.record for entry in published_namespaces(kind))


def _xml() -> Iterator[str]:
    yield PROLOG
    yield from write_xml(published_head(), _records(Kind.FORMAL), _records(Kind.INFORMAL))


def _formal_csv() -> Iterator[str]:
    return format_csv(_records(Kind.FORMAL))


def _informal_csv() -> Iterator[str]:
    return format_csv(_records(Kind.INFORMAL))


FORMATS: dict[str, ExportFormat] = {
    each.name: each
    for each in (
        ExportFormat(
            "iana-xml",
            "IANA's XML format, valid by IANA's schema, for exchange between registries of URN namespaces.",
            (ExportFile(f"{REGISTRY_ID}.xml", "application/xml", _xml),),
        ),
        ExportFormat(
            "csv",
            "IANA's CSV format, with one file for formal and one for informal namespaces: NID, template, reference.",
            (
                ExportFile(f"{REGISTRY_ID}-1.csv", "text/csv; charset=utf-8; header=present", _formal_csv),
                ExportFile(f"{REGISTRY_ID}-2.csv", "text/csv; charset=utf-8; header=present", _informal_csv),
            ),
        ),
        ExportFormat(
            "txt",
            "A table as plain text.",
            (ExportFile(f"{REGISTRY_ID}.txt", "text/plain; charset=utf-8", format_text),),
        ),
        ExportFormat(
            "jsonl",
            "One JSON object per line for each namespace, with all versions and their texts, references, "
            "people and dates.",
            (ExportFile(f"{REGISTRY_ID}.jsonl", "application/jsonl", format_json_lines),),
        ),
        ExportFormat(
            "profiles",
            "The profiles of all namespaces: titles, summaries, grammars, examples and sources.",
            (ExportFile("profiles.json", "application/json", format_profiles),),
        ),
        ExportFormat(
            "bioregistry",
            "The namespaces with a profile as prefixes, in the form of the Bioregistry: name, description, pattern, "
            "example and homepage.",
            (ExportFile("bioregistry.json", "application/json", format_bioregistry),),
        ),
        ExportFormat(
            "naptr",
            "NAPTR records for the zone urn.arpa (RFC 3404), which name the services that resolve a URN.",
            (ExportFile("urn.arpa.zone", "text/dns", format_naptr_records),),
        ),
        ExportFormat(
            "html",
            "The whole registry as one self-contained page.",
            (ExportFile(f"{REGISTRY_ID}.html", "text/html; charset=utf-8", format_html),),
        ),
    )
}
FILES: dict[str, ExportFile] = {file.name: file for each in FORMATS.values() for file in each.files}


def subnamespace_files(namespace: Namespace) -> dict[str, ExportFile]:
    """The files of the list of sub-namespaces of a namespace, by name; none without a list."""
    return {
        name: ExportFile(name, each.media_type, partial(each.lines, list_of(namespace)))
        for name, each in published_files(namespace).items()
    }
