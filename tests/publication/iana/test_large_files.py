"""Large files: streamed in bounded memory."""

import gc
import json
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.audit_log.log import verified
from registry.namespaces.models import Namespace, Revision
from registry.publication.formats.export_formats import FILES
from registry.publication.iana import xml_format
from registry.publication.iana.file_reader import read_version, read_versions
from registry.publication.iana.imported_records import DiskBackedList
from registry.publication.iana.importing import importer
from registry.publication.iana.importing.importer import import_versions
from registry.publication.iana.importing.report import (
    ImportFinding,
    ImportFindings,
    ImportOutcome,
    ImportReport,
)
from registry.publication.iana.records import MalformedFile
from registry.publication.iana.xml_format import parse_xml
from registry.publication.models import IanaRecord
from tests.data import IANA_HISTORY
from tests.publication.iana.samples import a_record, a_version, an_informal_record, an_xml

PAGES = "Names of examples, one line after the other.\n" * 200


def many(count: int, *, updated: str = "2020-01-01") -> bytes:
    return an_xml(
        updated=updated,
        formal="\n".join(a_record(f"example-{number:06}", template=True) for number in range(count)),
        informal="\n".join(an_informal_record(f"urn-{number + 1}") for number in range(count // 10)),
    )


def peak_of(act: Callable[[], object]) -> int:
    """The most memory that is in use at a time. What earlier tests left is frozen: cycles are collected less often
    in a process that has more of them.
    """
    gc.collect()
    gc.freeze()
    tracemalloc.start()
    try:
        act()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        gc.unfreeze()


@pytest.mark.exhaustive
@pytest.mark.slow
def test_what_a_file_takes_in_memory_does_not_grow_with_its_entries(tmp_path: Path) -> None:
    few, lots = tmp_path / "few.xml", tmp_path / "lots.xml"
    few.write_bytes(many(500))
    lots.write_bytes(many(2_500))
    read_version(few)
    assert peak_of(lambda: read_version(lots)) < peak_of(lambda: read_version(few)) + 2 * 1024**2


@pytest.mark.soak
@pytest.mark.django_db
def test_an_import_and_the_files_written_do_not_grow_either(tmp_path: Path) -> None:
    path = tmp_path / "urn-namespaces.xml"
    path.write_bytes(many(1_500))
    versions = read_versions(path)
    few = many(200)
    import_versions([a_version(few)])
    for file in FILES.values():
        # The first ever asks for the addresses of all pages, and so for all that shows them.
        assert [*file.write()], file.name
    small = peak_of(lambda: import_versions([a_version(many(500, updated="2020-01-02"))]))
    assert peak_of(lambda: import_versions(versions)) < small + 4 * 1024**2
    texts = (Revision(namespace=each, version=1, content={}, text=PAGES) for each in Namespace.objects.all())
    Revision.objects.bulk_create(texts)
    for file in FILES.values():
        assert peak_of(lambda: [len(block) for block in file.write()]) < 4 * 1024**2, file.name  # noqa: B023


@pytest.mark.exhaustive
@pytest.mark.slow
def test_the_json_report_needs_bounded_memory() -> None:
    def told(count: int) -> Callable[[], object]:
        findings = ImportFindings()
        for number in range(count):
            findings.append(
                ImportFinding(
                    ImportOutcome.ADDED, f"example-{number:06}", {"references": ("", "rfc:rfc8141")}
                )
            )
        report = ImportReport("urn-namespaces.xml", "0" * 64, "2020-01-01", count, 0, findings, head={})
        assert json.loads("".join(report.to_json()))["findings"][-1]["nid"] == f"example-{count - 1:06}"
        return lambda: [len(piece) for piece in report.to_json()]

    few, lots = told(3_000), told(15_000)
    assert peak_of(lots) < peak_of(few) + 1024**2


@pytest.mark.django_db
def test_batches_meet_without_a_seam(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is added, changed, renamed, vanished or back is the same, however few are taken at once."""
    files = [
        many(30),
        many(20, updated="2021-01-01"),
        many(30, updated="2022-01-01").replace(b"rfc8141", b"rfc3406"),
    ]
    versions = [*map(a_version, files), *read_versions(IANA_HISTORY)[:3]]
    told = []
    for size in (2000, 7):
        monkeypatch.setattr(importer, "BATCH", size)
        monkeypatch.setattr(importer, "BATCH", size)
        with importer.import_transaction(is_dry=True):
            reports = ["".join(each.to_json()) for each in import_versions(versions)]
            told.append((reports, list(facts())))
            assert len(list(verified())) > 100
    assert told[0] == told[1]


def facts() -> Iterator[dict[str, object]]:
    fields = (
        "nid",
        "namespace__nid",
        "kind",
        "position",
        "as_of",
        "removed_on",
        "references",
        "template",
        "contact",
    )
    yield from IanaRecord.objects.order_by("nid").values(*fields)
    yield from Namespace.objects.order_by("nid").values(
        "nid", "number", "registered_on", "references", "template_url"
    )


def test_a_tag_that_never_ends_is_not_waited_for() -> None:
    endless = b'<registry xmlns="http://www.iana.org/assignments" id="' + b"a" * 4 * 1024**2
    with pytest.raises(MalformedFile, match="is longer than 1 MB"):
        parse_xml(endless)


def test_data_outside_the_entries_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml_format, "MAX_KEPT", 1024**2)
    xrefs = '<xref type="text">a</xref>' * 20_000
    for content in (
        an_xml(head="<note>a</note>" * 20_000),
        an_xml(head=f"<note>{'a' * 1024**2}</note>"),
        an_xml(formal=f"<record><name>example-a</name>{xrefs}</record>"),
        an_xml(people='<person id="a"/>' * 20_000),
    ):
        with pytest.raises(MalformedFile, match="is larger than 1 MB"):
            parse_xml(content)
    assert len(parse_xml(many(2_000)).records) == 2_200


def test_a_duplicate_nid_is_found_among_many() -> None:
    content = many(500).replace(b"<name>example-000499<", b"<name>EXAMPLE-000003<")
    with pytest.raises(MalformedFile, match="“EXAMPLE-000003” is already listed in line 8") as refusal:
        parse_xml(content)
    assert refusal.value.line == 504


@given(st.lists(st.text() | st.integers() | st.none()), st.integers(0, 5))
def test_disk_backed_list_round_trip(values: list[object], begun: int) -> None:
    stored: DiskBackedList[object] = DiskBackedList(dump=lambda value: value, load=lambda value: value)
    for value in values:
        stored.append(value)
    reader = iter(stored)
    first = list(islice(reader, begun))
    stored.append("one more")
    assert list(stored) == [*values, "one more"]
    assert len(stored) == len(values) + 1
    assert stored == [*values, "one more"]
    assert stored != values
    assert [*first, *reader][: len(values)] == values
    assert stored[-1] == "one more"
    assert stored[1:3] == [*values, "one more"][1:3]
