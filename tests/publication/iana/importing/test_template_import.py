"""The import of templates from a directory."""

import errno
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from registry.accounts.models import User
from registry.audit_log.models import Event
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Namespace, Origin, ProfileVersion, Revision
from registry.publication.iana.file_reader import read_versions
from registry.publication.iana.importing.importer import import_versions
from registry.publication.iana.importing.template_import import (
    TemplateImportResult,
    import_templates,
    read_templates,
)
from registry.publication.iana.records import NothingToRead
from registry.publication.models import OriginalText
from registry.registration_template import RegistrationTemplate, format_template
from tests.data import IANA_NEWEST
from tests.publication.iana.samples import a_record, a_version, an_xml
from tests.support.factories import a_namespace, a_profile, a_template
from tests.support.shared_data import shared

pytestmark = pytest.mark.django_db


@pytest.fixture
def iana(db: None) -> None:
    import_versions([a_version(an_xml(formal=a_record("example-trees") + a_record("example-birds")))])


def put(folder: Path, name: str, template: RegistrationTemplate | None = None) -> None:
    (folder / name).write_text(format_template(template or a_template()), encoding="utf-8")


def imported(folder: Path) -> dict[str, tuple[str, int | None]]:
    return {each.name: (str(each.outcome), each.version) for each in import_templates(read_templates(folder))}


@pytest.mark.parametrize(
    "name", ["example-trees", "example-trees.txt", "example-trees.8141.txt", "example-trees.3406.txt"]
)
def test_a_template_becomes_the_text_of_its_namespace(iana: None, tmp_path: Path, name: str) -> None:
    put(tmp_path, name)
    assert imported(tmp_path) == {name: ("imported", 1)}
    namespace = Namespace.objects.get(nid="example-trees")
    assert namespace.latest is not None
    assert (namespace.latest.version, namespace.latest.origin) == (1, Origin.IANA)
    assert (namespace.holder, namespace.origin) == ("Example Arboretum", Origin.IANA)
    assert OriginalText.objects.get().text == (tmp_path / name).read_text(encoding="utf-8")
    event = Event.objects.get(verb="import_text")
    assert (event.nid, event.text_digest) == ("example-trees", namespace.latest.digest)


def test_a_second_run_changes_nothing(iana: None, tmp_path: Path) -> None:
    put(tmp_path, "example-trees")
    imported(tmp_path)
    events = Event.objects.count()
    assert imported(tmp_path) == {"example-trees": ("unchanged", 1)}
    assert (Event.objects.count(), Revision.objects.count()) == (events, 1)


def test_the_version_is_the_templates_own(iana: None, tmp_path: Path) -> None:
    put(tmp_path, "example-trees.txt", a_template(version=2))
    put(tmp_path, "example-trees", a_template(version=1))
    assert imported(tmp_path) == {"example-trees": ("imported", 1), "example-trees.txt": ("imported", 2)}
    assert Namespace.objects.get(nid="example-trees").version == 2


def test_a_template_without_a_version_is_version_1(iana: None, tmp_path: Path) -> None:
    put(tmp_path, "example-trees", replace(a_template(), version=None))
    assert imported(tmp_path) == {"example-trees": ("imported", 1)}


def test_a_version_never_changes(iana: None, tmp_path: Path) -> None:
    put(tmp_path, "example-trees")
    imported(tmp_path)
    put(tmp_path, "example-trees", a_template(purpose="Something else."))
    assert imported(tmp_path) == {"example-trees": ("differs", 1)}


def test_unassignable_templates_are_reported_and_the_rest_is_imported(iana: None, tmp_path: Path) -> None:
    put(tmp_path, "example-trees")
    put(tmp_path, "example-flowers")
    (tmp_path / "example-birds").write_bytes(b"\xff\xfe\n")
    (tmp_path / "example-birds.txt").write_text("no template at all\n", encoding="utf-8")
    (tmp_path / "README.md").write_text("not read", encoding="utf-8")
    findings = import_templates(read_templates(tmp_path))
    assert {each.name: str(each.outcome) for each in findings} == {
        "example-trees": "imported",
        "example-flowers": "not registered",
        "example-birds": "unreadable",
        "example-birds.txt": "unreadable",
    }
    assert all(each.message for each in findings if each.is_refused)


def test_an_unreadable_file_is_reported(iana: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "example-trees")
    put(tmp_path, "example-birds")
    as_it_is = Path.open

    def opened(path: Path, *how: Any) -> Any:
        if path.name == "example-birds":
            raise PermissionError(errno.EACCES, "Permission denied")
        return as_it_is(path, *how)

    monkeypatch.setattr(Path, "open", opened)
    told = {each.name: each for each in import_templates(read_templates(tmp_path))}
    assert told["example-birds"].message == "the file can't be read: Permission denied."
    assert told["example-trees"].is_written


def contradictions(folder: Path) -> dict[str, int]:
    return {each.name: len(each.contradictions) for each in import_templates(read_templates(folder))}


@pytest.mark.parametrize("grammar", ["[a-z]+", "[0-9]+:[0-9]+"])
def test_a_text_that_contradicts_the_profile_is_imported_and_reported(
    iana: None, tmp_path: Path, grammar: str
) -> None:
    namespace = Namespace.objects.get(nid="example-trees")
    examples, counterexamples = (("a", "b", "c"), ("1", "2", "3"))
    if "[0-9]" in grammar:
        examples, counterexamples = ("1:1", "2:2", "3:3"), ("a", "b", "c")
    profile = a_profile(pattern=grammar, examples=examples, counterexamples=counterexamples)
    set_profile(namespace, by=None, profile=profile, basis="The files.", replaces=0)
    put(tmp_path, "example-trees", a_template(syntax="As in urn:example-trees:12:4711."))
    put(tmp_path, "example-birds", a_template(syntax="As in urn:example-birds:12:4711."))
    expected = int(grammar == "[a-z]+")
    results = import_templates(read_templates(tmp_path))
    assert {each.name: (each.is_written, len(each.contradictions)) for each in results} == {
        "example-trees": (True, expected),
        "example-birds": (True, 0),
    }
    assert contradictions(tmp_path) == {"example-trees": expected, "example-birds": 0}  # unchanged
    assert ProfileVersion.objects.get().value == profile


def test_only_the_current_version_can_contradict_the_profile(iana: None, tmp_path: Path) -> None:
    namespace = Namespace.objects.get(nid="example-trees")
    set_profile(namespace, by=None, profile=a_profile(), basis="The files.", replaces=0)
    put(tmp_path, "example-trees", a_template(syntax="As in urn:example-trees:twelve:x."))
    put(tmp_path, "example-trees.txt", a_template(version=2, syntax="As in urn:example-trees:12:4711."))
    assert contradictions(tmp_path) == {"example-trees": 0, "example-trees.txt": 0}
    put(tmp_path, "example-trees.8141.txt", a_template(version=3, syntax="As in urn:example-trees:a:b."))
    [last] = [each for each in import_templates(read_templates(tmp_path)) if each.contradictions]
    assert (last.name, last.version) == ("example-trees.8141.txt", 3)
    assert last.contradictions[0].startswith("The registration contains urn:example-trees:a:b, but: ")


def test_a_local_text_is_not_changed(
    tmp_path: Path, registrant: User, expert: User, administrator: User
) -> None:
    ours = a_namespace(by=registrant, expert=expert, administrator=administrator)
    put(tmp_path, ours.nid, a_template(version=2))
    assert imported(tmp_path) == {ours.nid: ("conflict", 2)}


def test_a_namespace_revised_here_is_not_overwritten_by_iana(iana: None, registrant: User) -> None:
    from registry.namespaces.actions import registration

    namespace = Namespace.objects.get(nid="example-trees")
    registration.register_revision(namespace, a_template(version=2))
    before = Namespace.objects.values().get(nid="example-trees")
    newer = an_xml(
        updated="2021-01-01", formal=a_record("example-trees", rfc="rfc1") + a_record("example-birds")
    )
    (report,) = import_versions([a_version(newer)])
    assert [(str(each.outcome), each.nid) for each in report.findings] == [("conflict", "example-trees")]
    assert Namespace.objects.values().get(nid="example-trees") == before


def test_a_folder_without_templates_is_misuse(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(NothingToRead):
            read_templates(folder)


def test_every_real_template_becomes_a_text_once() -> None:
    folder = shared("data/templates")
    import_versions(read_versions(IANA_NEWEST))

    def refused() -> list[TemplateImportResult]:
        return [each for each in import_templates(read_templates(folder)) if each.is_refused]

    assert refused() == []
    count = len([*folder.glob("8141/*.txt"), *folder.glob("3406/*.txt")])
    assert Revision.objects.filter(origin=Origin.IANA).count() == count
    assert Namespace.objects.get(nid="isbn").version == 2
    assert refused() == []
    assert Revision.objects.count() == count
