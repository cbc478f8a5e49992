"""Incremental publishing: only changed pages are rendered, and the result equals that of a whole run."""

from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from registry.audit_log.heads import publish_head
from registry.audit_log.models import Event
from registry.core.models import Counter
from registry.publication.atomic_files import current_folder
from registry.publication.snapshot import pages, publisher
from registry.publication.snapshot.manifest import verify
from registry.publication.snapshot.publisher import PublishOptions, publish
from tests.publication.snapshot.registries import deprecate, files, imported, people, read
from tests.support.factories import a_namespace, describe

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("db")]


def test_a_change_renders_its_own_pages_alone(tmp_path: Path) -> None:
    a_namespace(**people())
    imported("example-a", "example-b")
    publish(tmp_path)
    before = files(tmp_path / "current")
    deprecate("example-trees")
    done = publish(tmp_path)
    assert not done.is_whole
    assert done.namespaces == 1
    after = files(tmp_path / "current")
    changed = {name for name in after if after[name] != before.get(name) and not name.startswith("manifest")}
    assert {name for name in changed if not name.startswith("registry/urn-")} <= {
        "index.html",
        "registry/profiles.json",  # names the event that it is true of
        "audit-log/index.html",
        "namespaces/feed.atom",
        "namespaces/example-trees/feed.atom",
        "namespaces/example-trees/index.html",
        "namespaces/example-trees/versions/1/index.html",
        "api/v1/namespaces/example-trees/index.json",
        "namespaces/index.html",
        "browse/first/index.html",
    }
    assert "It is not used." in after["namespaces/example-trees/index.html"].decode()
    assert verify(tmp_path).faults == []


@pytest.mark.exhaustive
def test_a_new_signed_head_is_published_without_a_new_event(tmp_path: Path) -> None:
    imported("example-a")
    publish(tmp_path)
    assert not (tmp_path / "current" / "audit-log" / "checkpoint.txt").exists()
    head = publish_head()
    assert head is not None
    assert publish(tmp_path).has_changes
    written = files(tmp_path / "current")
    assert written["audit-log/checkpoint.txt"].decode() == head.note
    assert head.note in written["audit-log/index.html"].decode()
    assert b'href="/audit-log/checkpoint.txt"' in written["audit-log/index.html"]
    assert not publish(tmp_path).has_changes
    assert verify(tmp_path).faults == []


SIXTY = [f"example-{number}" for number in range(60)]
# With a landmark in each third, as pages begin and split there: 0, 24 and 56.
NINE = [f"example-{number}" for number in (0, 7, 2, 24, 3, 4, 56, 5, 6)]


@pytest.mark.exhaustive
@pytest.mark.parametrize("nids", [NINE, pytest.param(SIXTY, marks=pytest.mark.soak)], ids=len)
def test_increments_end_where_a_whole_run_ends(
    nids: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After any sequence of changes, the incremental tree equals the tree of a first run."""
    monkeypatch.setattr(pages, "LANDMARK_PREFIX", "0")  # one NID in sixteen
    cast = people()
    third = len(nids) // 3
    publish(tmp_path / "grown")
    for count, step in enumerate(
        (
            lambda: imported(*nids[:third]),
            lambda: imported(*nids[: 2 * third], updated="2020-02-01"),
            lambda: a_namespace(**cast),
            lambda: deprecate("example-trees"),
            lambda: imported(*nids, updated="2020-03-01"),
            lambda: deprecate("example-7"),
            lambda: describe("example-2", title="Two trees"),
        )
    ):
        step()
        assert not publish(tmp_path / "grown").is_whole
        publish(tmp_path / f"fresh-{count}")
        assert files(tmp_path / "grown" / "current") == files(tmp_path / f"fresh-{count}" / "current")
    assert len(list(pages.NAMESPACES.pages())) > 2


@pytest.mark.exhaustive
def test_the_list_shows_the_titles_of_new_profiles(tmp_path: Path) -> None:
    imported("example-a", "example-b")
    publish(tmp_path)
    assert "Two trees" not in read(tmp_path, "browse/first/index.html")
    describe("example-b", title="Two trees")
    publish(tmp_path)
    assert "<strong>Two trees</strong>" in read(tmp_path, "browse/first/index.html")


@pytest.mark.exhaustive
def test_what_has_not_changed_keeps_its_file(tmp_path: Path) -> None:
    imported("example-a", "example-b")
    publish(tmp_path)
    page = "namespaces/example-a/index.html"
    before = (tmp_path / "current" / page).stat()
    imported("example-a", "example-b", "example-c", updated="2020-02-01")
    publish(tmp_path)
    publish(tmp_path, PublishOptions(is_whole=True))
    after = (tmp_path / "current" / page).stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_without_a_change_nothing_is_written(tmp_path: Path) -> None:
    imported("example-a")
    publish(tmp_path)
    name = current_folder(tmp_path)
    assert not publish(tmp_path).has_changes
    assert current_folder(tmp_path) == name


@pytest.mark.exhaustive
def test_readers_see_the_other_tree_after_a_change_and_the_first_after_the_next(tmp_path: Path) -> None:
    people()
    imported("example-a", "example-b")
    publish(tmp_path)
    seen = [current_folder(tmp_path)]
    for nid in ("example-a", "example-b"):
        deprecate(nid)
        publish(tmp_path)
        seen.append(current_folder(tmp_path))
        assert files(tmp_path / "one") == files(tmp_path / "two")
    assert seen == ["one", "two", "one"]


def test_other_software_renders_everything_again_and_removes_what_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported("example-a")
    publish(tmp_path)
    monkeypatch.setattr(publisher, "fingerprint", lambda: "another")
    monkeypatch.setattr(publisher, "FILES", {})
    done = publish(tmp_path)
    assert done.is_whole
    assert done.counts.removed == 9
    assert not (tmp_path / "current" / "registry" / "urn-namespaces.xml").exists()
    assert verify(tmp_path).faults == []


def test_the_fingerprint_is_that_of_templates_and_origin(settings: Any) -> None:
    before = publisher.fingerprint()
    assert publisher.fingerprint() == before
    settings.PUBLIC_ORIGIN = "https://registry.example.org"
    assert publisher.fingerprint() != before


def test_internal_requests_are_not_throttled(tmp_path: Path) -> None:
    imported("example-a")
    publish(tmp_path)
    assert not Counter.objects.exists()


def test_no_client_passes_for_the_registry_itself(client: Client) -> None:
    for name in ("is_snapshot", "is-snapshot", "X-Is-Snapshot"):
        client.get("/api/v1/", headers={name: "1"})
    assert Counter.objects.get().spent == 3


@pytest.mark.exhaustive
def test_files_of_a_large_registry_are_written_on_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported("example-a")
    publish(tmp_path)
    monkeypatch.setattr(publisher, "SMALL_REGISTRY", 0)
    imported("example-a", "example-b", updated="2020-02-01")
    done = publish(tmp_path)
    assert done.manifest.exports.number < done.manifest.head.number == Event.objects.count()
    assert "example-b" not in read(tmp_path, "registry/urn-namespaces.xml")
    done = publish(tmp_path, PublishOptions(with_exports=True))
    assert done.manifest.exports == done.manifest.head
    assert "example-b" in read(tmp_path, "registry/urn-namespaces.xml")
    assert verify(tmp_path).faults == []


@pytest.mark.exhaustive
def test_a_large_registrys_files_follow_when_they_lag(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported("example-a")
    publish(tmp_path)
    monkeypatch.setattr(publisher, "SMALL_REGISTRY", 0)
    imported("example-a", "example-b", updated="2020-02-01")
    publish(tmp_path)
    with time_machine.travel(timezone.now() + publisher.FORMS_LAG / 2):
        assert not publish(tmp_path).has_changes
    with time_machine.travel(timezone.now() + publisher.FORMS_LAG * 2):
        done = publish(tmp_path)
        assert done.manifest.exports == done.manifest.head
        assert "example-b" in read(tmp_path, "registry/urn-namespaces.xml")
        assert not publish(tmp_path).has_changes
