"""The audit of a whole registry by the Python client, and the commands of the guide for auditors."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.conf import settings
from urnregistry import (
    HeadContradicted,
    LogBehind,
    LogChanged,
    LogGap,
    Problem,
    ProofRefused,
    Registry,
    Trust,
    UnexpectedResponse,
)

from registry.accounts.models import User
from registry.audit_log.heads import publish_head
from registry.audit_log.models import SignedHead
from registry.namespaces.models import Namespace
from tests.audit_log.test_tiles import write_events
from tests.clients.test_monitoring import Altering, other_bit
from tests.clients.test_sync import CommandLine, Tampering, command_line, transport
from tests.subnamespaces.conftest import Import, gardens, import_list
from tests.support.databases import a_fresh_database
from tests.support.factories import a_draft, a_namespace
from tests.support.servers import a_free_port, serving
from tests.support.signing_key import KEY
from tests.support.tampering import as_owner, as_the_previous_release, rewrite_log

__all__ = ["command_line", "gardens", "import_list", "transport"]

URL = "http://localhost:8000"
TRUST = Trust((str(KEY.verifier),))


@pytest.fixture
def trees(registrant: User, expert: User, administrator: User) -> Namespace:
    """A namespace and a private draft, 300 events, and a head."""
    a_draft(by=registrant, namespace_identifier="secret-garden")
    namespace = a_namespace(by=registrant, expert=expert, administrator=administrator)
    write_events(300)
    publish_head()
    return namespace


@pytest.fixture
def registry(transport: Tampering, trees: Namespace) -> Registry:
    return Registry(URL, transport=transport)


def head() -> SignedHead:
    found = SignedHead.objects.last()
    assert found is not None
    return found


def test_all_that_the_registry_publishes_agrees_with_its_head(registry: Registry) -> None:
    kept, told = head(), list[tuple[int, int]]()
    write_events(300)
    publish_head()
    done = registry.audit(TRUST, kept=kept.note, tell=lambda *numbers: told.append(numbers))
    assert (done.head.size, done.versions, done.later) == (head().size, 1, 0)
    assert 600 < done.public_events < done.head.size
    assert done.events_without_leaf == 0
    assert told[-1] == (done.head.size, done.head.size)


def test_what_was_registered_after_the_head_is_for_the_next_one(
    registry: Registry, registrant: User, expert: User, administrator: User
) -> None:
    a_namespace(
        by=registrant, expert=expert, administrator=administrator, namespace_identifier="example-birds"
    )
    kept = head()
    as_owner(
        f"DELETE FROM audit_log_signedhead WHERE size = {kept.size}"
    )  # the head that registered it is not there yet
    done = registry.audit(TRUST)
    assert (done.versions, done.later) == (1, 1)


def test_events_of_the_previous_release_are_compared_by_their_digests(
    transport: Tampering, trees: Namespace
) -> None:
    as_owner("DELETE FROM audit_log_signedhead; DELETE FROM audit_log_tilehash")
    as_the_previous_release()
    before = publish_head()
    assert before is not None
    write_events(3)
    publish_head()
    done = Registry(URL, transport=transport).audit(TRUST, kept=before.note)
    assert (done.events_without_leaf, done.versions) == (before.size, 1)


def changed_event(body: dict[str, Any]) -> None:
    next(each for each in body["results"] if each["verb"] == "assign").update(reason="Another")


def another_leaf(body: dict[str, Any]) -> None:
    body["results"][1]["leaf"] = body["results"][0]["leaf"]


def without_an_event(body: dict[str, Any]) -> None:
    del body["results"][3]


@pytest.mark.parametrize(
    ("change", "fault", "sentence"),
    [
        (changed_event, LogChanged, "says something else"),
        (another_leaf, LogChanged, "not the one in the tiles"),
        (without_an_event, LogGap, "Event 4 is missing"),
    ],
)
def test_an_event_that_differs_from_its_leaf_is_noticed(
    change: Callable[[Any], None],
    fault: type[Exception],
    sentence: str,
    registry: Registry,
    transport: Tampering,
) -> None:
    transport.changes["/events/$"] = change
    with pytest.raises(fault, match=sentence):
        registry.audit(TRUST)


ALTERED: dict[str, tuple[str, Callable[[bytes], bytes], str]] = {
    "a text": (
        "/urn-namespaces.jsonl",
        lambda octets: octets.replace(b'"syntax":"', b'"syntax":"Another. '),
        "Version 1 of “example-trees”: The text has the digest",
    ),
    "its plain form": (
        "/urn-namespaces.jsonl",
        lambda octets: octets.replace(b"\\nSyntax:", b"\\nSyntax: "),
        "From the section “Syntax” on",
    ),
    "the digest too": (
        "/urn-namespaces.jsonl",
        lambda octets: octets.replace(b"example-trees", b"example-birds"),
        "of “example-birds”",
    ),
    "no text": ("/urn-namespaces.jsonl", lambda _: b"", "does not publish the text that event"),
    "the leaves": ("/tile/entries/000", other_bit, "not the one in the tiles"),
}


@pytest.mark.parametrize(("ending", "change", "sentence"), ALTERED.values(), ids=ALTERED.keys())
def test_a_changed_file_is_noticed(
    ending: str, change: Callable[[bytes], bytes], sentence: str, transport: Tampering, trees: Namespace
) -> None:
    registry = Registry(URL, transport=Altering(transport, ending, change))
    with pytest.raises(LogChanged, match=sentence):
        registry.audit(TRUST)


@pytest.fixture
def listed(import_list: Import) -> None:
    """A list whose versions add, change, and change again, and a head."""
    import_list()
    import_list('{"prefix": "Elm", "title": "Elm"}\n{"prefix": "kew", "title": "Kew"}')
    import_list('{"prefix": "kew", "title": "Kew Gardens"}')
    publish_head()


def test_lists_of_subnamespaces_are_compared(transport: Tampering, listed: None, import_list: Import) -> None:
    registry = Registry(URL, transport=transport)
    assert (registry.audit(TRUST).lists, registry.audit(TRUST).later) == (3, 0)
    import_list('{"prefix": "oak", "title": "Oaks"}')
    done = registry.audit(TRUST)
    assert (done.lists, done.later) == (3, 1)

    def changed_before(octets: bytes) -> bytes:
        """The list changes after the first file was read, and before the second one."""
        import_list('{"prefix": "ash", "title": "Ash"}')
        return octets

    changing = Altering(transport, "/example-gardens.jsonl", changed_before)
    done = Registry(URL, transport=changing).audit(TRUST)
    assert (done.lists, done.later) == (3, 2)


def test_a_list_that_no_event_registered_is_noticed(transport: Tampering, import_list: Import) -> None:
    import_list()
    publish_head()
    registry = Registry(URL, transport=transport)
    assert registry.audit(TRUST).lists == 1
    as_owner("DELETE FROM audit_log_signedhead; DELETE FROM audit_log_tilehash")
    rewrite_log("UPDATE audit_log_event SET text_digest = '' WHERE verb = 'import_subnamespaces'")
    publish_head()
    with pytest.raises(LogChanged, match="No event registered version 1 of the list"):
        registry.audit(TRUST)


def test_only_a_list_that_the_log_does_not_have_may_be_missing(transport: Tampering, listed: None) -> None:
    def without_list(request: httpx.Request) -> httpx.Response:
        is_list = request.url.path.endswith("/example-gardens.jsonl")
        return httpx.Response(404) if is_list else transport.handle_request(request)

    with pytest.raises(Problem) as refused:
        Registry(URL, transport=httpx.MockTransport(without_list)).audit(TRUST)
    assert refused.value.status == 404


CHANGED_LISTS: dict[str, tuple[str, Callable[[bytes], bytes], str]] = {
    "a title": (
        "/example-gardens.jsonl",
        lambda octets: octets.replace(b"Kew Gardens", b"Kew Palace"),
        "“kew” is not in the list of sub-namespaces of “example-gardens” as its versions set it",
    ),
    "an older list": (
        "/example-gardens.jsonl",
        lambda octets: octets.replace(b"Kew Gardens", b"Kew"),
        "“kew” is not in the list",
    ),
    "an entry more": (
        "/example-gardens.jsonl",
        lambda octets: octets + b'{"prefix":"yew","title":"Yew"}\n',
        "“yew” is not in the list",
    ),
    "an entry twice": ("/example-gardens.jsonl", lambda octets: octets * 2, "“Elm” is not in the list"),
    "an entry less": (
        "/example-gardens.jsonl",
        lambda octets: octets.partition(b"\n")[2],
        "“Elm” is missing in the list",
    ),
    "what a version set": (
        "-versions.jsonl",
        lambda octets: octets.replace(b'"title":"Kew"', b'"title":"Kew Palace"'),
        "No event registered version 2 of the list of sub-namespaces of “example-gardens” as it is now",
    ),
    "the order": (
        "-versions.jsonl",
        lambda octets: b"".join(sorted(octets.splitlines(keepends=True), reverse=True)),
        "No event registered version 1",
    ),
    "no last version": (
        "-versions.jsonl",
        lambda octets: b"".join(octets.splitlines(keepends=True)[:-1]),
        "does not publish the text that event",
    ),
    "no versions": ("-versions.jsonl", lambda _: b"", "does not publish the text that event"),
}


@pytest.mark.parametrize(("ending", "change", "sentence"), CHANGED_LISTS.values(), ids=CHANGED_LISTS.keys())
def test_a_changed_list_is_noticed(
    ending: str,
    change: Callable[[bytes], bytes],
    sentence: str,
    transport: Tampering,
    listed: None,
) -> None:
    registry = Registry(URL, transport=Altering(transport, ending, change))
    with pytest.raises(LogChanged, match=sentence):
        registry.audit(TRUST)


@pytest.mark.parametrize(
    ("ending", "line"),
    [
        ("/example-gardens-versions.jsonl", b"{"),
        ("/example-gardens-versions.jsonl", b"[]"),
        ("/example-gardens-versions.jsonl", b'{"version": 1}'),
        ("/example-gardens-versions.jsonl", b'{"version": -1, "content": {}}'),
        ("/example-gardens.jsonl", b"{"),
        ("/example-gardens.jsonl", b"[]"),
    ],
)
def test_a_malformed_list_is_named(ending: str, line: bytes, transport: Tampering, listed: None) -> None:
    registry = Registry(URL, transport=Altering(transport, ending, lambda _: line))
    with pytest.raises(UnexpectedResponse, match=f"{re.escape(ending)} is not in the form"):
        registry.audit(TRUST)


def test_a_rewriting_by_the_owner_of_the_database_is_noticed(registry: Registry) -> None:
    kept = head()
    with pytest.raises(ProofRefused, match="no valid signature"):
        registry.audit(Trust())
    as_owner("DELETE FROM audit_log_signedhead; DELETE FROM audit_log_tilehash")
    rewrite_log("UPDATE audit_log_event SET reason = 'Another' WHERE number = 2")
    publish_head()
    registry.audit(TRUST)
    with pytest.raises(HeadContradicted, match=f"does not have the head of {kept.size} events"):
        registry.audit(TRUST, kept=kept.note)


def test_an_older_log_is_noticed(registry: Registry, transport: Tampering) -> None:
    write_events(1)
    newer = publish_head()
    assert newer is not None
    as_owner(f"DELETE FROM audit_log_signedhead WHERE size = {newer.size}")
    with pytest.raises(LogBehind, match="but one of"):
        registry.audit(TRUST, kept=newer.note)


def test_the_command_says_what_agrees(
    command_line: CommandLine,
    transport: Tampering,
    trees: Namespace,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "head.txt").write_text(head().note, encoding="utf-8")
    command = ["audit", "--url", URL, "--key", str(KEY.verifier), "--head", str(tmp_path / "head.txt")]
    assert command_line(command) == 0
    output = capsys.readouterr()
    assert "and continues the kept one" in output.out
    assert f"{head().size} of {head().size} events compared" in output.err
    assert command_line([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["versions"] == 1
    transport.changes["/events/$"] = changed_event
    assert command_line(command) == 1
    assert "The registry contradicts its log." in capsys.readouterr().err


@pytest.mark.exhaustive
@pytest.mark.processes
def test_the_guide_audits_a_registry_in_ten_commands(
    the_demonstration: str, django_db_blocker: Any, tmp_path: Path
) -> None:
    text = Path(settings.BASE_DIR, "docs/audit-log.md").read_text("utf-8")
    guide = re.search(r"## The whole registry in ten commands\n.*?```sh\n(.*?)```", text, re.DOTALL)
    assert guide
    install, *commands = guide[1].replace("\\\n", "").splitlines()
    assert (install, len(commands)) == ("pip install 'urnregistry[signatures]'", 9)
    (tmp_path / "urnregistry").write_text(f'#!/bin/sh\nexec {sys.executable} -m urnregistry "$@"\n')
    (tmp_path / "urnregistry").chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    with django_db_blocker.unblock(), a_fresh_database(the_demonstration):
        publish_head()
        port = a_free_port()
        script = "\n".join(["set -e", *commands])
        script = script.replace(
            "https://registry.example.org NID=example-trees", f"http://127.0.0.1:{port} NID=example-trees"
        )
        script = script.replace("registry.example.org/audit-log+1c0a…+A…", str(KEY.verifier))
        with serving(port, API_READS_A_MINUTE="100000"):
            done = subprocess.run(
                ["sh", "-c", script],
                env=os.environ | {"PATH": path, "PYTHONPATH": str(Path(settings.BASE_DIR, "clients/python"))},
                cwd=tmp_path,
                capture_output=True,
                text=True,
                check=False,
                timeout=300,
            )
    assert done.returncode == 0, done.stdout + done.stderr
    for sentence in ("agree with their leaves", "is its text", "is genuine"):
        assert sentence in done.stdout
