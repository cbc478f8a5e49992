"""The public registry as static files: what is in them, where links lead, and that one change costs one change."""

import json
import re
import signal
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.contrib.auth.decorators import login_not_required
from django.core.management import CommandError, call_command
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import include, path
from django.utils import timezone

from registry.accounts.models import RoleName, User
from registry.api.models import Tally
from registry.api.urls import WRITING
from registry.namespaces import actions as namespace_actions
from registry.namespaces.models import Namespace
from registry.publication import demonstration
from registry.publication.escrow import one_moment, shared_moment
from registry.publication.importing import import_versions
from registry.publication.snapshot import asking, browsing, publishing, workers
from registry.publication.snapshot.batches import render_as_of
from registry.publication.snapshot.manifest import MalformedManifest, Manifest
from registry.publication.snapshot.pages import PUBLISHED
from registry.publication.snapshot.publishing import Wanted, publish
from registry.publication.snapshot.rendering import NotForEverybody, Site
from registry.publication.snapshot.verifying import NoSnapshot, verify
from registry.publication.switching import AnotherRun, current, held
from registry.record.models import Event
from tests.contracts import test_url_table as url_table
from tests.databases import an_empty_database
from tests.factories import a_namespace, a_person
from tests.processes import FORKS, publish_and_die, render_for_ever, start
from tests.publication.samples import a_record, a_version, an_xml

ORIGIN = "http://localhost:8000"
LINK = re.compile(rb'(?:href|src|action)="([^"]*)"')

# Public views whose pages are no part of a snapshot, each with the reason.
ASKED = "its answer depends on what is asked"
DISCUSSED = "cases are under discussion: not every word of it is an event"
FOR_PROGRAMS = "for programs that write"
AGAIN = "the same stands at the address without the format's name"
LIVING = {
    "namespaces:compare": ASKED,
    "inspector:urn": ASKED,
    "registrations:nids": ASKED,
    "registrations:list": DISCUSSED,
    "registrations:detail": DISCUSSED,
    "registrations:compare": ASKED,
    "registrations:template": "goes with its case",
    "api:entrance": "tells of addresses with questions in them",
    "api:namespaces": ASKED,
    "api:namespace-file": AGAIN,
    "api:versions-file": AGAIN,
    "api:version-file": AGAIN,
    "api:template": "the same text stands below the version",
    "api:version-template": "the same text stands with the pages",
    "api:nid": ASKED,
    "api:urns": ASKED,
    "api:urn": ASKED,
    "api:urns-check": ASKED,
    "api:urns-compare": ASKED,
    "api:schema": "its format depends on what is asked; each stands in a file of its own",
    "api:browse": "tries the living API out",
    "api:file": "the same file stands with the pages",
    "api:events": ASKED,
    "api:registration": DISCUSSED,
    "api:rounds": DISCUSSED,
    "api:round": "goes with its case",
    "api:round-template": "goes with its case",
    "api:reviews": "goes with its case",
    "api:registration-events": "goes with its case",
    **{f"api:{pattern.name}": FOR_PROGRAMS for pattern in WRITING if pattern.name},
    "api:registrations": DISCUSSED,
    "api:problems": "what the living API may refuse",
    "api:problem": "what the living API may refuse",
    "metrics": "for whoever shows the token",
}

pytestmark = pytest.mark.usefixtures("real_database")


def people() -> dict[str, User]:
    return {
        "by": a_person(email="registrant@example.org"),
        "expert": a_person(email="expert@example.org", roles=(RoleName.EXPERT,)),
        "administrator": a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,)),
    }


def deprecate(nid: str) -> None:
    administrator = User.objects.get(email="administrator@example.org")
    namespace = Namespace.objects.get(nid=nid)
    namespace_actions.deprecate(namespace, by=administrator, statement="Nobody uses it.")


def files(tree: Path) -> dict[str, bytes]:
    return {
        file.relative_to(tree).as_posix(): file.read_bytes()
        for file in sorted(tree.rglob("*"))
        if file.is_file()
    }


def read(directory: Path, name: str) -> str:
    return (directory / "current" / name).read_text()


def imported(*nids: str, updated: str = "2020-01-01") -> None:
    import_versions([a_version(an_xml(updated=updated, formal="".join(map(a_record, nids))))])


# What is in it


def test_every_public_view_is_published_or_stays_for_a_reason() -> None:
    public = {
        each.name
        for each in url_table.every_address()
        if each.is_open and each.path and not each.name.startswith("account_")
    }
    assert public - PUBLISHED == set(LIVING)
    assert public >= PUBLISHED


def test_the_whole_registry_is_there(tmp_path: Path) -> None:
    demonstration.set_up()
    publish(tmp_path)
    found = files(tmp_path / "current")
    for namespace in Namespace.objects.all():
        assert f"namespaces/{namespace.nid}/index.html" in found
        assert json.loads(found[f"api/v1/namespaces/{namespace.nid}/index.json"])["nid"] == namespace.nid
    for name in ("index.html", "namespaces/index.html", "404.html", "registry/urn-namespaces.xml"):
        assert name in found
    assert b"urn:example-trees:" in found["namespaces/example-trees/versions/1/template.txt"]
    assert json.loads(found["api/v1/namespaces/example-trees/versions/2/index.json"])["version"] == 2
    assert verify(tmp_path).faults == []


def test_a_page_is_the_sites_own_but_for_its_links(tmp_path: Path, client: Client) -> None:
    imported("example-a")
    publish(tmp_path)
    for address, name in (
        ("/namespaces/example-a/", "namespaces/example-a/index.html"),
        ("/api/v1/namespaces/example-a/", "api/v1/namespaces/example-a/index.json"),
    ):
        living = client.get(address, headers={"host": "localhost:8000"}).content
        published = (tmp_path / "current" / name).read_bytes()
        assert LINK.sub(b"", published) == LINK.sub(b"", living)


def test_every_link_leads_to_a_file_or_to_the_living_site(tmp_path: Path) -> None:
    demonstration.set_up()
    publish(tmp_path)
    found = files(tmp_path / "current")
    followed = 0
    for name, content in found.items():
        if not name.endswith(".html") or name.startswith("registry/urn-"):
            continue
        for address in (link.decode() for link in LINK.findall(content)):
            if address.startswith("/"):
                target = address.partition("#")[0][1:]
                assert (f"{target}index.html" if target == "" or target.endswith("/") else target) in found, (
                    name,
                    address,
                )
                followed += 1
            else:
                assert address.startswith(("#", "http:", "https:", "mailto:")), (name, address)
    assert followed > 1000


def test_forms_lead_to_the_living_site_and_nothing_secret_is_in_a_page(tmp_path: Path) -> None:
    demonstration.set_up()
    publish(tmp_path)
    for name, content in files(tmp_path / "current").items():
        assert b"csrf" not in content.lower() or name.startswith("static/"), name
        for action in re.findall(rb'<form[^>]*action="([^"]*)"', content):
            assert action.startswith(ORIGIN.encode()), name
    assert f'href="{ORIGIN}/accounts/login/"' in read(tmp_path, "index.html")


def test_stylesheets_and_what_they_name_are_there(tmp_path: Path, settings: Any) -> None:
    assets = tmp_path / "assets"
    assets.mkdir()
    (assets / "extra.css").write_text(
        '@import "more.css"; a { background: url(dot.svg) } b { src: url(data:x) }'
    )
    (assets / "more.css").write_text("c { background: url('./dot.svg?#iefix') }")
    (assets / "dot.svg").write_text("<svg/>")
    settings.STATICFILES_DIRS = [assets, *settings.STATICFILES_DIRS]
    from registry.publication.snapshot.assets import AssetMissing, in_full

    assert set(in_full({"/static/extra.css"})) == {"static/extra.css", "static/more.css", "static/dot.svg"}
    with pytest.raises(AssetMissing, match="collectstatic"):
        in_full({"/static/not-there.css"})


def test_two_runs_of_one_registry_are_equal_to_the_byte(tmp_path: Path) -> None:
    demonstration.set_up()
    publish(tmp_path / "a")
    publish(tmp_path / "b")
    assert files(tmp_path / "a" / "current") == files(tmp_path / "b" / "current")


def test_an_empty_registry_can_be_published(tmp_path: Path) -> None:
    publish(tmp_path)
    assert verify(tmp_path).faults == []
    assert "No namespaces" in read(tmp_path, "browse/first/index.html")


def test_a_restored_registry_is_published_equally(tmp_path: Path) -> None:
    demonstration.set_up()
    publish(tmp_path / "a")
    call_command("escrow", str(tmp_path / "escrow"), stdout=StringIO())
    with an_empty_database():
        call_command("escrow", "--restore", str(tmp_path / "escrow"), stdout=StringIO())
        publish(tmp_path / "b")
    assert files(tmp_path / "a" / "current") == files(tmp_path / "b" / "current")


# Pages that are not for everybody


@login_not_required
def with_a_cookie(request: HttpRequest) -> HttpResponse:
    response = HttpResponse("hello")
    response.set_cookie("who", "you")
    return response


@login_not_required
def with_a_token(request: HttpRequest) -> HttpResponse:
    return HttpResponse('<input name="csrfmiddlewaretoken" value="x">')


urlpatterns = [
    path("cookie/", with_a_cookie),
    path("token/", with_a_token),
    path("", include("registry.urls")),
]


@override_settings(ROOT_URLCONF=__name__)
@pytest.mark.parametrize("address", ["/cookie/", "/token/", "/nowhere/", "/mine/"])
def test_a_page_that_is_not_the_same_for_everybody_is_refused(address: str) -> None:
    with pytest.raises(NotForEverybody, match=address):
        Site(file_at=lambda *_: "", elsewhere=lambda *_: "").get(address)


def test_nothing_is_published_with_debug_on(tmp_path: Path, settings: Any) -> None:
    settings.DEBUG = True
    with pytest.raises(NotForEverybody, match="DEBUG"):
        publish(tmp_path)
    assert current(tmp_path) == ""


# One change


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
        "namespaces/feed.atom",
        "namespaces/example-trees/feed.atom",
        "namespaces/example-trees/index.html",
        "namespaces/example-trees/versions/1/index.html",
        "api/v1/namespaces/example-trees/index.json",
        "namespaces/index.html",
        "browse/first/index.html",
    }
    assert "Nobody uses it." in after["namespaces/example-trees/index.html"].decode()
    assert verify(tmp_path).faults == []


def test_increments_end_where_a_whole_run_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The heart of it: whatever happens, the increments' tree is the tree that a first run would write."""
    monkeypatch.setattr(browsing, "LANDMARK", "0")  # one NID in sixteen, so that pages begin and split
    cast = people()
    nids = [f"example-{number}" for number in range(60)]
    publish(tmp_path / "grown")
    for count, step in enumerate(
        (
            lambda: imported(*nids[:20]),
            lambda: imported(*nids[:40], updated="2020-02-01"),
            lambda: a_namespace(**cast),
            lambda: deprecate("example-trees"),
            lambda: imported(*nids, updated="2020-03-01"),
            lambda: deprecate("example-7"),
        )
    ):
        step()
        assert not publish(tmp_path / "grown").is_whole
        publish(tmp_path / f"fresh-{count}")
        assert files(tmp_path / "grown" / "current") == files(tmp_path / f"fresh-{count}" / "current")
    assert len(list(browsing.every_page())) > 2


def test_what_has_not_changed_keeps_its_file(tmp_path: Path) -> None:
    imported("example-a", "example-b")
    publish(tmp_path)
    page = "namespaces/example-a/index.html"
    before = (tmp_path / "current" / page).stat()
    imported("example-a", "example-b", "example-c", updated="2020-02-01")
    publish(tmp_path)
    publish(tmp_path, Wanted(is_whole=True))
    after = (tmp_path / "current" / page).stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_without_a_change_nothing_is_written(tmp_path: Path) -> None:
    imported("example-a")
    publish(tmp_path)
    name = current(tmp_path)
    assert not publish(tmp_path).has_changes
    assert current(tmp_path) == name


def test_readers_see_the_other_tree_after_a_change_and_the_first_after_the_next(tmp_path: Path) -> None:
    people()
    imported("example-a", "example-b")
    publish(tmp_path)
    seen = [current(tmp_path)]
    for nid in ("example-a", "example-b"):
        deprecate(nid)
        publish(tmp_path)
        seen.append(current(tmp_path))
        assert files(tmp_path / "one") == files(tmp_path / "two")
    assert seen == ["one", "two", "one"]


def test_other_software_renders_everything_again_and_removes_what_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported("example-a")
    publish(tmp_path)
    monkeypatch.setattr(publishing, "fingerprint", lambda: "another")
    monkeypatch.setattr(publishing, "FILES", {})
    done = publish(tmp_path)
    assert done.is_whole
    assert done.counts.removed == 6
    assert not (tmp_path / "current" / "registry" / "urn-namespaces.xml").exists()
    assert verify(tmp_path).faults == []


def test_the_fingerprint_is_that_of_templates_and_origin(settings: Any) -> None:
    before = publishing.fingerprint()
    assert publishing.fingerprint() == before
    settings.PUBLIC_ORIGIN = "https://registry.example.org"
    assert publishing.fingerprint() != before


def test_a_snapshot_of_another_registry_is_replaced_as_a_whole(tmp_path: Path) -> None:
    imported("example-a", "example-b")
    publish(tmp_path)
    with an_empty_database():
        imported("example-c")
        done = publish(tmp_path)
    assert done.is_whole
    assert not (tmp_path / "current" / "namespaces" / "example-a").exists()


def test_what_the_registry_asks_itself_is_counted_for_nobody(tmp_path: Path) -> None:
    imported("example-a")
    publish(tmp_path)
    assert not Tally.objects.exists()


def test_no_client_passes_for_the_registry_itself(client: Client) -> None:
    for name in (asking.MARK, asking.MARK.upper(), asking.MARK.replace("_", "-")):
        client.get("/api/v1/", headers={name: "1"})
    assert Tally.objects.get().spent == 3


def test_several_processes_render_what_one_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    demonstration.set_up()
    publish(tmp_path / "one")
    monkeypatch.setattr(publishing, "WORTH_PROCESSES", 1)
    done = publish(tmp_path / "two", Wanted(jobs=2))
    assert done.namespaces == Namespace.objects.count()
    assert files(tmp_path / "one" / "current") == files(tmp_path / "two" / "current")
    deprecate("example-trees")
    assert publish(tmp_path / "two", Wanted(jobs=2)).namespaces == 1
    publish(tmp_path / "one")
    assert files(tmp_path / "one" / "current") == files(tmp_path / "two" / "current")


def test_what_several_processes_render_is_of_one_moment() -> None:
    """What is registered after the moment is seen by none of them."""
    imported("example-a")
    with one_moment():
        moment = shared_moment()
        with ThreadPoolExecutor(1) as elsewhere:
            elsewhere.submit(_import_and_leave, "example-a", "example-b").result()
        batches = [[("example-a", [])], [("example-b", [])]]
        answers = workers.in_processes(partial(render_as_of, moment), batches, 2)
        assert next(answers).namespaces == 1
        with pytest.raises(NotForEverybody, match="/namespaces/example-b/ is answered with 404"):
            next(answers)


def _import_and_leave(*nids: str) -> None:
    imported(*nids, updated="2020-02-01")
    connection.close()


def test_processes_end_with_the_one_that_began_them() -> None:
    """Killed, it can't tell them."""
    hears, says = FORKS.Pipe(duplex=False)
    process = start(render_for_ever, says)
    says.close()
    children = [hears.recv() for _ in range(2)]
    process.kill()
    process.join()
    assert len(set(children)) == 2
    assert hears.poll(30)
    with pytest.raises(EOFError):  # nobody is left who could say anything
        hears.recv()


def test_a_large_registrys_files_wait_until_somebody_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported("example-a")
    publish(tmp_path)
    monkeypatch.setattr(publishing, "SMALL", 0)
    imported("example-a", "example-b", updated="2020-02-01")
    done = publish(tmp_path)
    assert done.manifest.forms.number < done.manifest.head.number == Event.objects.count()
    assert "example-b" not in read(tmp_path, "registry/urn-namespaces.xml")
    done = publish(tmp_path, Wanted(with_forms=True))
    assert done.manifest.forms == done.manifest.head
    assert "example-b" in read(tmp_path, "registry/urn-namespaces.xml")
    assert verify(tmp_path).faults == []


def test_a_large_registrys_files_follow_when_they_lag(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported("example-a")
    publish(tmp_path)
    monkeypatch.setattr(publishing, "SMALL", 0)
    imported("example-a", "example-b", updated="2020-02-01")
    publish(tmp_path)
    with time_machine.travel(timezone.now() + publishing.FORMS_LAG / 2):
        assert not publish(tmp_path).has_changes
    with time_machine.travel(timezone.now() + publishing.FORMS_LAG * 2):
        done = publish(tmp_path)
        assert done.manifest.forms == done.manifest.head
        assert "example-b" in read(tmp_path, "registry/urn-namespaces.xml")
        assert not publish(tmp_path).has_changes


# Kills


STEPS = [
    "registry.publication.snapshot.writing.settle",
    "registry.publication.snapshot.trees.switch",
    "registry.publication.snapshot.trees.sync",
    "registry.publication.snapshot.writing.format_part",
    "registry.publication.snapshot.writing.write",
]


@pytest.mark.parametrize("step", STEPS)
def test_a_run_that_is_killed_leaves_readers_the_old_registry_whole(tmp_path: Path, step: str) -> None:
    people()
    imported("example-a", "example-b")
    publish(tmp_path / "it")
    before = files(tmp_path / "it" / "current")
    deprecate("example-a")
    process = start(publish_and_die, step, 0, str(tmp_path / "it"))
    process.join(timeout=60)
    assert process.exitcode == -signal.SIGKILL
    assert files(tmp_path / "it" / "current") == before
    assert verify(tmp_path / "it").faults == []
    publish(tmp_path / "it")
    check_it_is_as_if_nothing_had_happened(tmp_path)


@pytest.mark.parametrize("calls", [1, 2, 3, 5, 8, 13])
def test_a_run_killed_in_the_middle_of_its_writing_is_mended_by_the_next(tmp_path: Path, calls: int) -> None:
    people()
    imported("example-a", "example-b")
    publish(tmp_path / "it")
    deprecate("example-a")
    process = start(
        publish_and_die, "registry.publication.snapshot.writing.write", calls, str(tmp_path / "it")
    )
    process.join(timeout=60)
    assert process.exitcode == -signal.SIGKILL
    assert verify(tmp_path / "it").faults == []
    deprecate("example-b")
    publish(tmp_path / "it")
    check_it_is_as_if_nothing_had_happened(tmp_path)


@pytest.mark.parametrize("calls", [0, 1, 20])
def test_a_first_run_that_is_killed_publishes_nothing_and_the_next_begins_anew(
    tmp_path: Path, calls: int
) -> None:
    imported("example-a", "example-b")
    process = start(
        publish_and_die, "registry.publication.snapshot.writing.write", calls, str(tmp_path / "it")
    )
    process.join(timeout=60)
    assert process.exitcode == -signal.SIGKILL
    with pytest.raises(NoSnapshot):
        verify(tmp_path / "it")
    publish(tmp_path / "it")
    check_it_is_as_if_nothing_had_happened(tmp_path)


def check_it_is_as_if_nothing_had_happened(folder: Path) -> None:
    """The tree that readers see, and the one for the next run, are what a first run writes."""
    publish(folder / "fresh")
    expected = files(folder / "fresh" / "current")
    assert files(folder / "it" / "one") == files(folder / "it" / "two") == expected


def test_two_runs_do_not_write_into_one_directory(tmp_path: Path) -> None:
    publish(tmp_path)
    with held(tmp_path, marker=".snapshot"), pytest.raises(AnotherRun):
        publish(tmp_path)


# Verifying


@pytest.fixture
def a_snapshot(real_database: None, tmp_path: Path) -> Path:
    imported("example-a", "example-b")
    publish(tmp_path / "public")
    return tmp_path / "public"


def spoil(directory: Path, name: str, content: bytes) -> None:
    """As somebody who writes beside the registry: not through a name that both trees share."""
    path = directory / "current" / name
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("namespaces/example-a/index.html", b"", "changed"),
        ("namespaces/example-a/index.html", b"something else\n", "changed"),
        ("namespaces/example-c/index.html", b"new", "surplus"),
        (".hidden", b"", "surplus"),
        ("manifest/zz.sha256", b"", "surplus"),
        ("manifest/00.sha256", b"\n", "manifest"),
        ("manifest.json", b"{}\n", "manifest"),
        ("manifest.json", b"", "manifest"),
    ],
)
def test_what_was_changed_is_found(a_snapshot: Path, name: str, content: bytes, kind: str) -> None:
    spoil(a_snapshot, name, content)
    found = verify(a_snapshot)
    assert (kind, name) in [(fault.kind, fault.path) for fault in found.faults]


def test_what_is_missing_is_found_also_beside_what_is_too_many(a_snapshot: Path) -> None:
    (a_snapshot / "current" / "namespaces" / "example-a" / "index.html").unlink()
    spoil(a_snapshot, "index.htm", b"")
    assert [(fault.kind, fault.path) for fault in verify(a_snapshot).faults] == [
        ("missing", "namespaces/example-a/index.html"),
        ("surplus", "index.htm"),
    ]


def test_a_part_of_the_manifest_that_is_missing_is_found(a_snapshot: Path) -> None:
    (a_snapshot / "current" / "manifest" / "00.sha256").unlink()
    assert ("missing", "manifest/00.sha256") in [
        (fault.kind, fault.path) for fault in verify(a_snapshot).faults
    ]


def test_a_head_that_is_not_of_this_record_is_found(a_snapshot: Path) -> None:
    with an_empty_database():
        assert [fault.kind for fault in verify(a_snapshot).faults] == ["record"]


def test_a_copy_of_the_tree_is_verified_too(a_snapshot: Path) -> None:
    assert verify(a_snapshot / "one").faults == []
    assert verify(a_snapshot / "current").files > 10


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.update(root="0" * 64),
        lambda content: content["head"].update(number=7),
        lambda content: content.pop("root"),
        lambda content: content.pop("parts"),
        lambda content: content["parts"]["00"].update(files=7),
        lambda content: content.update(more=1),
        lambda content: content["parts"].update({"../x": {"sha256": "", "files": 0}}),
        lambda content: content.update(head=[]),
    ],
)
def test_a_manifest_that_was_changed_is_refused(a_snapshot: Path, change: Any) -> None:
    content = json.loads(read(a_snapshot, "manifest.json"))
    change(content)
    with pytest.raises(MalformedManifest):
        Manifest.from_bytes(json.dumps(content).encode())


# The command


def run(*arguments: object) -> str:
    out = StringIO()
    call_command("publish", *map(str, arguments), stdout=out, stderr=out)
    return out.getvalue()


def test_the_command_says_what_it_did(tmp_path: Path) -> None:
    imported("example-a")
    assert run(tmp_path).startswith("Published as of event 2: ")
    assert run(tmp_path) == "Nothing has changed since event 2.\n"
    assert "All is as it was published." in run("--verify", tmp_path)
    answer = json.loads(run("--whole", "--json", tmp_path))
    assert (answer["whole"], answer["written"], answer["removed"]) == (True, 0, 0)
    assert json.loads(run("--verify", "--json", tmp_path))["whole"]


def test_its_exit_codes_mean_something(tmp_path: Path, a_snapshot: Path) -> None:
    spoil(a_snapshot, "index.html", b"")
    out = StringIO()
    with pytest.raises(SystemExit) as leaving:
        call_command("publish", "--verify", "--json", str(a_snapshot), stdout=out)
    assert leaving.value.code == 1
    assert json.loads(out.getvalue())["first_faults"][0]["path"] == "index.html"
    (tmp_path / "file").write_text("")
    for arguments in (
        ["--verify", tmp_path / "nowhere"],
        [tmp_path / "file"],
        [tmp_path],
        ["--verify", "--whole", "x"],
    ):
        with pytest.raises(CommandError) as refusal:
            run(*arguments)
        assert refusal.value.returncode == 2, arguments


@pytest.mark.parametrize("number", ["", "0", "-1", "1\n", "²", "two", "1.0"])
def test_a_number_of_processes_is_a_number(tmp_path: Path, number: str) -> None:
    with pytest.raises(CommandError, match="is no number of processes"):
        run(f"--jobs={number}", tmp_path)
