"""Export formats: IANA's entries unchanged, and local entries in the same form."""

import csv
import errno
import io
import json
import signal
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from io import StringIO
from pathlib import Path
from threading import Thread

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext
from lxml import etree

from registry.accounts.models import User
from registry.audit_log.models import Event
from registry.core.digests import digest_of
from registry.namespaces.actions.deprecation import deprecate
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Kind, Namespace
from registry.publication.atomic_files import atomic_write
from registry.publication.formats import export_formats
from registry.publication.formats.export_formats import FILES, FORMATS
from registry.publication.iana.file_reader import read_version, read_versions
from registry.publication.iana.importing.importer import import_versions
from registry.publication.iana.importing.template_import import (
    TemplateFile,
    import_templates,
    read_templates,
)
from registry.publication.iana.xml_format import parse_xml
from registry.publication.management.commands.export import POSITION_FILE
from registry.registration_template import format_template
from tests.data import IANA, IANA_HISTORY, IANA_NEWEST
from tests.publication.iana.samples import a_record, a_version, an_informal_record, an_xml
from tests.publication.iana.schema import iana_schema, own_schema, without_white_space
from tests.support.factories import a_namespace, a_profile, a_template, describe
from tests.support.processes import ended, export_and_die, start
from tests.support.services import a_service


def written(name: str) -> bytes:
    return b"".join(FILES[name].write())


@pytest.fixture(params=[own_schema, iana_schema], ids=["own schema", "schema of IANA"])
def valid(request: pytest.FixtureRequest) -> Callable[[bytes], etree._Element]:
    """A function that validates XML and returns its root."""
    schema: etree.RelaxNG = request.param()

    def validate(xml: bytes) -> etree._Element:
        root = etree.fromstring(xml, etree.XMLParser(remove_comments=True, remove_pis=True))
        schema.assertValid(root)
        return root

    return validate


@pytest.fixture
def texts(tmp_path: Path) -> dict[str, TemplateFile]:
    """Templates of a formal and of an informal namespace of IANA, by NID."""
    for nid in ("isbn", "urn-8"):
        text = format_template(a_template(namespace_identifier=nid, syntax="Names are opaque."))
        (tmp_path / nid).write_text(text, encoding="utf-8")
    return {each.nid: each for each in read_templates(tmp_path)}


@pytest.mark.django_db
def test_the_file_of_2026_comes_out_element_for_element(
    valid: Callable[[bytes], etree._Element],
) -> None:
    import_versions(read_versions(IANA_NEWEST))
    original = etree.fromstring(
        IANA_NEWEST.read_bytes(), etree.XMLParser(remove_comments=True, remove_pis=True)
    )
    assert without_white_space(valid(written("urn-namespaces.xml"))) == without_white_space(original)


@pytest.mark.django_db
def test_every_file_comes_out_as_it_went_in_after_all_of_its_history() -> None:
    parser = etree.XMLParser(remove_comments=True, remove_pis=True)
    for path in sorted(IANA_HISTORY.glob("*.xml")):
        import_versions([read_version(path)])
        original = etree.fromstring(path.read_bytes(), parser)
        again = etree.fromstring(written("urn-namespaces.xml"), parser)
        assert without_white_space(again) == without_white_space(original), path.name


@pytest.mark.django_db
def test_the_xml_of_2021_comes_out_as_the_two_csv_files_of_that_day() -> None:
    (path,) = IANA_HISTORY.glob("20210701*.xml")
    import_versions([read_version(path)])
    for name in ("urn-namespaces-1.csv", "urn-namespaces-2.csv"):
        assert written(name) == (IANA / f"2021-07-01.{name}").read_bytes(), name


@pytest.mark.django_db
def test_the_texts_of_ianas_namespaces_leave_ianas_file_as_it_is(
    texts: dict[str, TemplateFile],
) -> None:
    import_versions(read_versions(IANA_NEWEST))
    before = written("urn-namespaces.xml")
    assert [each.is_written for each in import_templates(list(texts.values()))] == [True, True]
    assert written("urn-namespaces.xml") == before


@pytest.mark.django_db
def test_own_namespaces_are_sorted_among_those_of_iana_and_the_file_is_valid(
    registrant: User, expert: User, administrator: User, valid: Callable[[bytes], etree._Element]
) -> None:
    cast = {"by": registrant, "expert": expert, "administrator": administrator}
    import_versions(
        [
            a_version(
                an_xml(
                    formal=a_record("aaa-iana") + a_record("zzz-iana"), informal=an_informal_record("urn-12")
                )
            )
        ]
    )
    a_namespace(**cast)
    a_namespace(**cast, kind=Kind.INFORMAL)
    root = valid(written("urn-namespaces.xml"))
    names = [name.text for name in root.iter("{*}name")]
    assert names == ["aaa-iana", "example-trees", "zzz-iana", "urn-12", "urn-13"]
    ours = parse_xml(written("urn-namespaces.xml")).records
    formal, informal = (each for each in ours if each.nid in {"example-trees", "urn-13"})
    assert formal.template_column[0].target.endswith("/namespaces/example-trees/versions/1/template.txt")
    assert [xref.display_text for xref in formal.reference_column] == ["Example Arboretum"]
    assert informal.template_column[0].display_text == "urn-13"
    assert informal.template_column[0].target.endswith("/namespaces/urn-13/versions/1/template.txt")
    assert [xref.display_text for xref in informal.reference_column] == ["Example Arboretum"]
    assert formal.date == parse_xml(written("urn-namespaces.xml")).updated


@pytest.mark.django_db
def test_a_registry_that_holds_nothing_is_valid_too(valid: Callable[[bytes], etree._Element]) -> None:
    assert not list(valid(written("urn-namespaces.xml")).iter("{*}record"))
    assert written("urn-namespaces-1.csv") == b"URN Namespace,Template,Reference\r\n"
    assert written("urn-namespaces.jsonl") == b""


@pytest.mark.django_db
def test_entries_removed_by_iana_stay_published_if_they_were_registered_here() -> None:
    first = an_xml(
        updated="2020-01-01", formal=a_record("ad-id") + a_record("example-a") + a_record("example-b")
    )
    import_versions([a_version(first)])
    assert b"ad-id" in written("urn-namespaces-1.csv")
    import_versions([a_version(an_xml(updated="2021-01-01", formal=a_record("example-b")))])
    said = written("urn-namespaces-1.csv").decode().splitlines()
    assert said[1:] == ["example-a,,[RFC8141]", "example-b,,[RFC8141]"]


@pytest.mark.django_db
def test_importing_an_exported_file_changes_nothing(
    registrant: User, expert: User, administrator: User
) -> None:
    import_versions(read_versions(IANA_NEWEST))
    a_namespace(by=registrant, expert=expert, administrator=administrator)
    (report,) = import_versions([a_version(written("urn-namespaces.xml"))])
    assert report.counts == {"conflict": 1}


@pytest.mark.django_db
def test_csv_quotes_only_what_needs_it() -> None:
    label = "Example, Inc."
    xref = (
        f'<record><name>example-a</name><xref type="uri" data="https://example.org/">{label}</xref></record>'
    )
    import_versions([a_version(an_xml(formal=xref + a_record("example-b")))])
    lines = written("urn-namespaces-1.csv").split(b"\r\n")
    assert lines == [
        b"URN Namespace,Template,Reference",
        b'example-a,,"[Example, Inc.]"',
        b"example-b,,[RFC8141]",
        b"",
    ]
    assert next(csv.reader(io.StringIO(lines[1].decode()))) == ["example-a", "", f"[{label}]"]


@pytest.mark.django_db
def test_json_lines_hold_everything(texts: dict[str, TemplateFile]) -> None:
    import_versions(read_versions(IANA_NEWEST))
    import_templates(list(texts.values()))
    lines = {line["nid"]: line for line in map(json.loads, written("urn-namespaces.jsonl").splitlines())}
    assert len(lines) == 105
    assert list(lines) == sorted(lines)
    (version,) = lines["isbn"]["versions"]
    assert (version["original"]["text"], version["original"]["digest"]) == (
        texts["isbn"].text,
        texts["isbn"].digest,
    )
    assert version["origin"] == "iana"
    assert version["sections"]["namespace_identifier"] == "isbn"
    assert version["text"].startswith("Namespace Identifier:")
    assert lines["isbn"]["iana"]["template"][0]["label"] == "isbn-template"
    assert lines["eidr"]["iana"]["updated"] == "2016-09-09"
    (person,) = lines["urn-8"]["people"]
    assert person["id"] == lines["urn-8"]["iana"]["contact"][0]["data"]
    assert lines["urn-8"]["number"] == 8


@pytest.mark.django_db
def test_deprecation_is_shown_in_formats_that_support_it(
    administrator: User, valid: Callable[[bytes], etree._Element]
) -> None:
    import_versions([a_version(an_xml(formal=a_record("example-a") + a_record("example-b")))])
    old, new = (Namespace.objects.get(nid=nid) for nid in ("example-a", "example-b"))
    deprecate(old, by=administrator, statement="It is not used.", successor=new)
    for name in ("urn-namespaces.txt", "urn-namespaces.html"):
        assert "; use example-b)" in written(name).decode()
    line = json.loads(written("urn-namespaces.jsonl").splitlines()[0])
    assert line["deprecation"]["statement"] == "It is not used."
    assert line["deprecation"]["successor"] == "example-b"
    assert line["versions_of_profile"] == []
    valid(written("urn-namespaces.xml"))


@pytest.mark.django_db
def test_every_version_of_the_profile_is_in_the_lines(administrator: User) -> None:
    import_versions([a_version(an_xml(formal=a_record("example-a")))])
    namespace = Namespace.objects.get(nid="example-a")
    profile = a_profile("example-a")
    set_profile(namespace, by=administrator, profile=profile, basis="Syntax.", replaces=0)
    set_profile(namespace, by=administrator, profile=None, basis="It was wrong.", replaces=1)
    (line,) = map(json.loads, written("urn-namespaces.jsonl").splitlines())
    first, second = line["versions_of_profile"]
    assert datetime.fromisoformat(first.pop("set_at")) < datetime.fromisoformat(second.pop("set_at"))
    content = profile.to_dict()
    assert first == {"version": 1, "content": content, "digest": digest_of(content), "basis": "Syntax."}
    assert second == {"version": 2, "content": None, "digest": digest_of(None), "basis": "It was wrong."}


@pytest.mark.django_db
def test_the_text_table_has_its_columns_one_below_the_other() -> None:
    import_versions(read_versions(IANA_NEWEST))
    lines = written("urn-namespaces.txt").decode().splitlines()
    assert "Last updated: 2026-07-28" in lines
    header = next(line for line in lines if line.startswith("URN Namespace "))
    rows = {line.split()[0]: line for line in lines if line.strip()}
    assert rows["eidr"][header.index("Registered") :].startswith("2014-06-02  2016-09-09")
    assert rows["isbn"].index("[isbn-template]") == header.index("Template")
    assert rows["dvb"].index("[RFC5328][RFC7354]") == header.index("Reference")
    assert not any(line != line.rstrip() for line in lines)


@pytest.mark.django_db
def test_the_page_needs_no_other_file_and_shows_no_markup_of_others() -> None:
    label = "&lt;script&gt;alert(1)&lt;/script&gt;"
    xref = (
        f'<record><name>example-a</name><xref type="uri" data="javascript:alert(1)">{label}</xref></record>'
    )
    import_versions([a_version(an_xml(formal=xref))])
    page = written("urn-namespaces.html").decode()
    assert label in page
    assert "<script" not in page
    assert 'href="javascript' not in page
    assert not any(part in page for part in ("src=", "<link", "@import", "url("))


@pytest.mark.django_db
def test_the_first_block_is_written_before_the_registry_is_read() -> None:
    for name, file in FILES.items():
        if name.endswith(".jsonl"):
            continue  # it has no head
        blocks = file.write()
        with CaptureQueriesContext(connection) as queries:
            next(blocks)
        assert len(queries) == 0, name
        blocks.close()


@pytest.mark.sampled(9)
@pytest.mark.parametrize("name", FILES)
def test_a_file_has_one_consistent_state_despite_concurrent_changes(
    real_database: None, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(export_formats, "BLOCK", 1)
    import_versions([a_version(an_xml(formal=a_record("example-a") + a_record("example-b")))])
    describe("example-a", services=[a_service("example-a")])
    before = b"".join(FILES[name].write())
    blocks = FILES[name].write()
    begun = [block for _, block in zip(range(5), blocks, strict=False)]
    newer = an_xml(
        updated="2021-01-01",
        formal=a_record("example-a", rfc="rfc1") + a_record("example-c"),
        informal=an_informal_record("urn-1"),
    )

    def change() -> None:
        import_versions([a_version(newer)])
        describe("example-c", services=[a_service("example-c")])
        connections.close_all()

    another = Thread(target=change, daemon=True)
    another.start()
    another.join(60)
    assert b"".join([*begun, *blocks]) == before
    assert b"example-c" in b"".join(FILES[name].write()) or name == "urn-namespaces-2.csv"
    assert not connection.in_atomic_block


def test_an_unfinished_download_releases_the_database_connection(real_database: None) -> None:
    blocks = FILES["urn-namespaces.xml"].write()
    next(blocks)
    assert connection.in_atomic_block
    blocks.close()
    assert not connection.in_atomic_block


@pytest.mark.django_db
def test_every_format_has_a_name_a_sentence_and_files() -> None:
    for name, form in FORMATS.items():
        assert form.name == name
        assert form.description.endswith(".")
        assert form.files
    assert len(FILES) == sum(len(form.files) for form in FORMATS.values())


def export(*arguments: object) -> str:
    out = StringIO()
    call_command("export", *map(str, arguments), stdout=out, stderr=out)
    return out.getvalue()


@pytest.mark.django_db
def test_the_command_writes_the_requested_formats(tmp_path: Path) -> None:
    import_versions(read_versions(IANA_NEWEST))
    said = export("--format", "iana-xml", "--format", "csv", tmp_path / "new")
    names = {path.name for path in (tmp_path / "new").iterdir()}
    assert names == {"urn-namespaces.xml", "urn-namespaces-1.csv", "urn-namespaces-2.csv", POSITION_FILE}
    assert said.count("Wrote ") == 4
    assert (tmp_path / "new" / POSITION_FILE).read_text() == f"{Event.objects.count()}\n"
    for name in names - {POSITION_FILE}:
        assert (tmp_path / "new" / name).read_bytes() == written(name)


@pytest.mark.django_db
def test_the_command_writes_all_formats_when_none_is_named(tmp_path: Path) -> None:
    export(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {*FILES, POSITION_FILE}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("step", ["os.fsync", "registry.publication.formats.export_formats.write_xml"])
def test_a_killed_run_leaves_the_old_file_whole_and_the_next_run_clears_up(
    real_database: None, tmp_path: Path, step: str
) -> None:
    """It is killed before the disk holds the first file, or within it."""
    export(tmp_path)
    before = (tmp_path / "urn-namespaces.xml").read_bytes()
    import_versions([a_version(an_xml(formal=a_record("example-a")))])
    assert ended(start(export_and_die, step, str(tmp_path))) == -signal.SIGKILL
    assert (tmp_path / "urn-namespaces.xml").read_bytes() == before
    export(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {*FILES, POSITION_FILE}
    assert b"example-a" in (tmp_path / "urn-namespaces.xml").read_bytes() == written("urn-namespaces.xml")


@pytest.mark.django_db
def test_two_runs_do_not_write_one_file(tmp_path: Path) -> None:
    path = tmp_path / "urn-namespaces.txt"
    with atomic_write(path) as file:
        file.write(b"the first")
        with pytest.raises(CommandError, match="another run is writing to this directory"):
            export("--format", "txt", tmp_path)
    assert path.read_bytes() == b"the first"
    export("--format", "txt", tmp_path)
    assert {each.name for each in tmp_path.iterdir()} == {path.name, POSITION_FILE}


def test_a_file_that_could_not_be_written_leaves_nothing(tmp_path: Path) -> None:
    with suppress(OSError), atomic_write(tmp_path / "file") as file:
        file.write(b"a half")
        raise OSError(errno.ENOSPC, "full")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.django_db
def test_the_command_reports_an_unwritable_directory(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CommandError) as refusal:
        export("--format", "txt", tmp_path / "file")
    assert refusal.value.returncode == 1
    assert "file" in str(refusal.value)


@pytest.mark.django_db
def test_the_command_knows_its_formats(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="invalid choice: 'xlsx'"):
        export("--format", "xlsx", tmp_path)
