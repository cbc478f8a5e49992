"""The monitor of the Python client: it tells what is new, and notices each rewriting of what it saw."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.db import transaction as database_transaction
from urnregistry import LogBehind, LogChanged, Policy, ProofRefused, Registry, UnexpectedResponse, cli
from urnregistry.monitoring import HeadContradicted, Trust, Watched
from urnregistry.witness import WitnessKey

from registry.accounts.models import User
from registry.audit_log import log
from registry.audit_log.heads import publish_head
from registry.audit_log.models import Cosignature, Event, SignedHead
from tests.audit_log.test_tiles import write_events
from tests.audit_log.test_witnesses import FORGET_EVERYTHING
from tests.clients.test_sync import CommandLine, Tampering, command_line, transport
from tests.support.signing_key import KEY
from tests.support.tampering import as_owner, as_the_previous_release, rewrite_log

__all__ = ["command_line", "transport"]

URL = "http://localhost:8000"
TRUST = Trust((str(KEY.verifier),))
WITNESS = WitnessKey("witness.example.org", bytes(32))
Monitor = Callable[..., Watched]


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def monitor(transport: Tampering, pauses: list[float]) -> Monitor:
    registry = Registry(URL, transport=transport, sleep=pauses.append)
    return lambda kept, trust=TRUST, **options: registry.monitor(kept, trust, **options)


def a_head(events: int) -> SignedHead:
    write_events(events)
    head = publish_head()
    assert head is not None
    return head


def test_each_new_event_is_told_and_proven(monitor: Monitor) -> None:
    first = monitor(a_head(1).note)
    assert (first.new_events, first.events) == (0, ())
    kept = first.note
    total = 1
    for events in (1, 2, 254, 255, 256, 300, 513):
        a_head(events)
        found = monitor(kept)
        total += events
        assert (found.head.size, found.new_events) == (total, events)
        assert [each.number for each in found.events] == [*range(total - events + 1, total + 1)]
        kept = found.note
    assert monitor(kept).events == ()
    assert monitor(None).new_events == 0


def test_events_of_some_namespaces_are_told_alone(monitor: Monitor) -> None:
    kept = a_head(3).note
    a_head(20)
    found = monitor(kept, nids=["EXAMPLE-7", "example-19"])
    assert [str(each).partition(" at ")[0] for each in found.events] == [
        "event 11: import of “example-7”",
        "event 23: import of “example-19”",
    ]
    assert found.new_events == 20


def test_events_that_a_person_made_are_told(
    monitor: Monitor, transport: Tampering, registrant: User, expert: User
) -> None:
    head = a_head(3)
    kept, first = head.note, head.size + 1
    with database_transaction.atomic():
        for person in (registrant, expert, registrant):
            log.append("import", by=person, nid="example-trees")
    a_head(1)
    assert [each.number for each in monitor(kept, persons=[str(registrant)]).events] == [first, first + 2]
    found = monitor(kept, persons=[str(expert)], nids=["example-0"])
    assert [(each.number, each.nid) for each in found.events] == [
        (first + 1, "example-trees"),
        (first + 3, "example-0"),
    ]
    assert monitor(kept, persons=["Nobody"]).events == ()

    def named_wrongly(body: dict[str, Any]) -> None:
        body["results"][0]["actor"] = str(expert)

    transport.changes["/events/$"] = named_wrongly
    with pytest.raises(LogChanged, match=f"made event {first}, and its leaf does not"):
        monitor(kept, persons=[str(expert)])

    def not_named(body: dict[str, Any]) -> None:
        body["results"][0].update(actor=str(expert), actor_salt=None)

    transport.changes["/events/$"] = not_named
    assert [each.number for each in monitor(kept, persons=[str(registrant)]).events] == [first, first + 2]


def test_events_of_the_previous_release_are_checked_as_well(monitor: Monitor) -> None:
    write_events(300)
    as_the_previous_release()
    kept = publish_head()
    assert kept is not None
    a_head(4)
    assert [each.number for each in monitor(kept.note).events] == [301, 302, 303, 304, 305]


def test_an_event_that_the_log_does_not_explain_may_be_about_any_namespace(monitor: Monitor) -> None:
    """Code of an earlier release writes it, or someone who has its key."""
    write_events(1)
    as_the_previous_release()
    kept = publish_head()
    assert kept is not None
    write_events(2)
    as_the_previous_release()
    publish_head()
    found = monitor(kept.note, nids=["isbn"])
    assert [str(each) for each in found.events] == [
        f"event {each.number}: of format 1, so the log does not say what it is about" for each in found.events
    ]
    assert found.events


REWRITINGS: dict[str, str] = {
    "an event before the head that was kept": "UPDATE audit_log_event SET nid = 'another' WHERE number = 2",
    "the last event of that head": "UPDATE audit_log_event SET nid = 'another' WHERE number = 300",
}


@pytest.mark.parametrize("statement", REWRITINGS.values(), ids=REWRITINGS.keys())
def test_a_rewriting_by_the_owner_of_the_database_is_noticed(statement: str, monitor: Monitor) -> None:
    """With triggers off, the chain is computed anew, and a new head is signed."""
    kept = a_head(300).note
    as_owner("DELETE FROM audit_log_signedhead; DELETE FROM audit_log_tilehash")
    rewrite_log(statement)
    newest = a_head(10)
    with pytest.raises(
        HeadContradicted, match="The tiles of the log do not have the head of 300 events"
    ) as raised:
        monitor(kept)
    assert raised.value.note == newest.note


def fork(events: int) -> SignedHead:
    as_owner(FORGET_EVERYTHING)
    with database_transaction.atomic():
        log.append_all([Event(verb="import", nid="another")])
    return a_head(events - 1)


@pytest.mark.parametrize(
    ("events", "fault", "sentence"),
    [
        (6, HeadContradicted, "has signed another head of 6 events"),
        (9, HeadContradicted, "do not have the head of 6 events"),
        (5, LogBehind, "has 5 events, but one of 6 was kept"),
    ],
)
def test_another_view_of_the_log_is_noticed(
    events: int, fault: type[Exception], sentence: str, monitor: Monitor
) -> None:
    kept = a_head(6).note
    fork(events)
    with pytest.raises(fault, match=sentence):
        monitor(kept)


class Altering(httpx.BaseTransport):
    """The registry, with other octets at some addresses."""

    def __init__(self, below: httpx.BaseTransport, ending: str, change: Callable[[bytes], bytes]) -> None:
        self.below, self.ending, self.change = below, ending, change

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = self.below.handle_request(request)
        if not request.url.path.endswith(self.ending):
            return response
        headers = {name: response.headers[name] for name in ("log-position",) if name in response.headers}
        return httpx.Response(response.status_code, headers=headers, content=self.change(response.read()))


def other_bit(octets: bytes) -> bytes:
    return octets[:-5] + bytes([octets[-5] ^ 1]) + octets[-4:]


ALTERED: dict[str, tuple[str, Callable[[bytes], bytes], type[Exception]]] = {
    "a tile": ("/tile/0/001.p/44", other_bit, LogChanged),
    "a higher tile": ("/tile/1/000.p/1", other_bit, LogChanged),
    "a short tile": ("/tile/1/000.p/1", lambda octets: octets[:-1], UnexpectedResponse),
    "a leaf": (
        "/tile/entries/001.p/54",
        lambda octets: octets.replace(b"example-3", b"example-4"),
        LogChanged,
    ),
    "a leaf less": ("/tile/entries/001.p/54", lambda octets: octets[:300], UnexpectedResponse),
    "no leaf": ("/tile/entries/001.p/54", lambda _: b"", UnexpectedResponse),
    "the head": ("/checkpoint", other_bit, ProofRefused),
    "no head": ("/checkpoint", lambda _: b"\xff", UnexpectedResponse),
}


@pytest.mark.parametrize(("ending", "change", "fault"), ALTERED.values(), ids=ALTERED.keys())
def test_a_changed_file_is_refused(
    ending: str, change: Callable[[bytes], bytes], fault: type[Exception], transport: Tampering
) -> None:
    kept = a_head(300).note
    a_head(10)
    with Registry(URL, transport=Altering(transport, ending, change)) as registry, pytest.raises(fault):
        registry.monitor(kept, TRUST)


def test_a_mirror_may_have_full_tiles_alone(transport: Tampering) -> None:
    """It may have been renewed after its head was read, too."""
    kept = a_head(100).note
    newest = a_head(200)
    a_head(212)

    class Mirror(httpx.BaseTransport):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            if request.url.path.endswith("/checkpoint"):
                return httpx.Response(200, text=newest.note)
            if request.url.path.endswith(("/tile/0/000.p/100", "/tile/entries/001.p/44")):
                return httpx.Response(404)
            return transport.handle_request(request)

    with Registry(URL, transport=Mirror()) as registry:
        assert registry.monitor(kept, TRUST).new_events == 200


def cosign(head: SignedHead) -> None:
    text = head.note.rpartition("\n\n")[0] + "\n"
    line = WITNESS.cosign(text, 1).removesuffix("\n")
    Cosignature.objects.create(head=head, key=WITNESS.verifier, line=line, at=head.published_at)


def test_the_monitor_waits_for_cosignatures_and_then_says_that_they_are_missing(
    monitor: Monitor, pauses: list[float]
) -> None:
    """A registry that shows another log to this monitor has no cosignatures for it."""
    policy = Policy.parse(f"log {KEY.verifier}\nwitness w {WITNESS.verifier}\nquorum w\n")
    trust = Trust(policy=policy)
    head = a_head(3)
    with pytest.raises(ProofRefused, match="Others may see another log"):
        monitor(None, trust, patience=60)
    assert pauses == [30, 30]
    cosign(head)
    kept = monitor(None, trust).note
    write_events(1)
    assert publish_head()
    with pytest.raises(ProofRefused, match="Others may see another log"):
        monitor(kept, trust, patience=0)
    other = fork(4)
    with pytest.raises(HeadContradicted, match="do not have the head of 3 events") as raised:
        monitor(kept, trust, patience=0)
    assert raised.value.note == other.note, "it is evidence, though no witness cosigned it"
    assert pauses == [30, 30]


def test_the_command_keeps_the_head_and_the_evidence(
    command_line: CommandLine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "head.txt"
    command = ["monitor", str(file), "--url", URL, "--key", str(KEY.verifier)]
    first = a_head(3)
    assert command_line(command) == 0
    assert f"The head of {first.size} events of " in (said := capsys.readouterr().out)
    assert "the first one that is kept" in said
    assert [cli._counted(number, "event") for number in (0, 1, 2)] == ["0 events", "1 event", "2 events"]
    assert file.read_text(encoding="utf-8") == first.note
    second = a_head(5)
    assert command_line([*command, "--json", "--nid", "example-1"]) == 0
    event, head = map(json.loads, capsys.readouterr().out.splitlines())
    assert (event["event"]["nid"], head) == ("example-1", {"origin": KEY.name, "size": 8, "new_events": 5})
    assert file.read_text(encoding="utf-8") == second.note
    other = fork(8)
    assert command_line(command) == 1
    assert "Keep it and the head before, and tell others." in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == second.note
    refused = tmp_path / "head.txt.refused"
    assert refused.read_text(encoding="utf-8") == other.note
    shorter = fork(7)
    assert command_line(command) == 1
    assert "The newest head is now in" in capsys.readouterr().err
    assert (file.read_text(encoding="utf-8"), refused.read_text(encoding="utf-8")) == (
        second.note,
        shorter.note,
    )


def test_the_command_says_that_it_waits_and_keeps_a_head_without_cosignatures(
    transport: Tampering, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        cli,
        "Registry",
        lambda url, **options: Registry(url, transport=transport, sleep=lambda seconds: None),
    )
    policy, file = tmp_path / "policy.txt", tmp_path / "head.txt"
    policy.write_text(f"log {KEY.verifier}\nwitness w {WITNESS.verifier}\nquorum w\n", encoding="utf-8")
    head = a_head(3)
    for command in (["monitor", str(file)], ["audit", "--head", str(file)]):
        assert cli.main([*command, "--url", URL, "--policy", str(policy), "--wait", "90"]) == 1
        said = capsys.readouterr().err
        assert said.count("waiting for them, at most 90 seconds") == 1
        refused = tmp_path / "head.txt.refused"
        assert refused.read_text(encoding="utf-8") == head.note
        refused.unlink()
        assert not (command[0] == "monitor" and file.exists())
        file.write_text(head.note, encoding="utf-8")


def test_the_folder_of_the_head_is_looked_at_before_a_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["monitor", str(tmp_path / "missing" / "head.txt"), "--url", "http://127.0.0.1:9"]
    assert cli.main([*command, "--key", str(KEY.verifier)]) == 2
    captured = capsys.readouterr()
    assert (captured.out, "it is no folder that you can write to" in captured.err) == ("", True)


def test_what_could_not_be_told_is_told_again(
    command_line: CommandLine,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = tmp_path / "head.txt"
    command = ["monitor", str(file), "--url", URL, "--key", str(KEY.verifier)]
    first = a_head(3)
    assert command_line(command) == 0
    a_head(2)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(cli, "_print", fail)
        assert command_line(command) == 2
    assert file.read_text(encoding="utf-8") == first.note
    capsys.readouterr()
    assert command_line(command) == 0
    assert capsys.readouterr().out.count("event ") == 2


def test_a_file_without_a_head_is_not_a_first_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "head.txt").write_bytes(b"")
    command = [
        "monitor",
        str(tmp_path / "head.txt"),
        "--url",
        "http://127.0.0.1:9",
        "--key",
        str(KEY.verifier),
    ]
    for each in (command, ["audit", "--head", *command[1:]]):  # no request is sent
        assert cli.main(each) == 2
        assert "has no head of this log" in capsys.readouterr().err


@pytest.mark.parametrize("nid", ["not a nid!", "urn:isbn", "a", ""])
def test_what_is_no_nid_is_watched_in_vain(
    nid: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["monitor", str(tmp_path / "head.txt"), "--url", URL, "--key", str(KEY.verifier), "--nid", nid]
    assert cli.main(command) == 2
    assert f"“{nid}” is no NID" in capsys.readouterr().err


@pytest.mark.parametrize("seconds", ["nan", "inf", "-1", "ten"])
def test_a_wait_is_a_number_of_seconds(seconds: str) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["monitor", "head.txt", "--url", URL, "--key", str(KEY.verifier), f"--wait={seconds}"])
    assert ended.value.code == 2


def test_the_command_needs_something_to_trust(tmp_path: Path) -> None:
    for arguments in ([], ["--key", "nonsense"], ["--policy", str(tmp_path / "missing")]):
        try:
            status = cli.main(
                ["monitor", str(tmp_path / "head.txt"), "--url", "http://127.0.0.1:9", *arguments]
            )
        except SystemExit as ended:
            status = int(str(ended.code))
        assert status == 2
