"""A local copy is kept by events, and contradictions of the log are found. The registry runs in this process."""

import hashlib
import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from django.utils import timezone
from urnregistry import (
    CopyError,
    LocalCopy,
    LogBehind,
    LogChanged,
    LogGap,
    Registry,
    RegistryError,
    UnexpectedResponse,
    WrongSignature,
    cli,
)

from registry.accounts.models import RoleName, User
from registry.audit_log.heads import publish_head
from registry.audit_log.models import ChainHead, Event
from registry.wsgi import django_application
from tests.api.events.random_changes import RandomChanges
from tests.support.factories import a_draft, a_person
from tests.support.signing_key import KEY

Change = Callable[[Any], None]


CommandLine = Callable[[list[str]], int]


class Tampering(httpx.WSGITransport):
    """The registry, with changed JSON in the responses of some addresses."""

    def __init__(self) -> None:
        super().__init__(app=django_application, remote_addr="127.0.0.1")
        self.changes: dict[str, Change] = {}

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = super().handle_request(request)
        change = next(
            (each for path, each in self.changes.items() if re.search(path, request.url.path)), None
        )
        if change is None:
            return response
        body = json.loads(response.read())
        change(body)
        return httpx.Response(response.status_code, json=body)


@pytest.fixture
def transport(db: None, settings: Any) -> Iterator[Tampering]:
    settings.API_READS_A_MINUTE = settings.POSTS_A_DAY = 10**6
    settings.ACTIONS_AN_HOUR = dict.fromkeys(settings.ACTIONS_AN_HOUR, 10**6)
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield Tampering()
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def command_line(transport: Tampering, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """The command `urnregistry`, which asks the registry of the test. It returns the exit status."""
    monkeypatch.setattr(
        cli, "Registry", lambda url, **options: Registry(url, transport=transport, token=None)
    )
    return cli.main


@pytest.fixture
def client(transport: Tampering) -> Iterator[Registry]:
    with Registry("http://localhost", transport=transport) as registry:
        yield registry


@pytest.fixture
def changes(registrant: User, expert: User, administrator: User) -> RandomChanges:
    owners = (registrant, a_person(email="heir@example.org"))
    administrators = (administrator, a_person(email="second@example.org", roles=(RoleName.ADMINISTRATOR,)))
    return RandomChanges(Random(1), owners=owners, expert=expert, administrators=administrators)


@pytest.fixture
def copy(tmp_path: Path, client: Registry, changes: RandomChanges) -> Iterator[LocalCopy]:
    """A copy that has read some events, after which the registry changed."""
    changes.make(3)
    with LocalCopy(tmp_path / "copy.sqlite") as copy:
        client.sync(copy)
        changes.make(3)
        publish_head()
        client.sync(copy)
        changes.make(3)
        yield copy


def content(tmp_path: Path) -> list[str]:
    with sqlite3.connect(tmp_path / "copy.sqlite") as database:
        found = list(database.iterdump())
    database.close()
    return found


@pytest.mark.exhaustive
def test_a_copy_that_is_kept_by_events_equals_a_new_one(
    client: Registry, changes: RandomChanges, tmp_path: Path
) -> None:
    changes.make(20)
    chance = Random(2)
    with LocalCopy(tmp_path / "kept") as kept, LocalCopy(tmp_path / "new") as new:
        assert client.sync(kept).was_filled
        for _ in range(6):
            changes.make(chance.randrange(1, 25))
            assert not client.sync(kept).was_filled
        client.sync(new)
        assert kept.position == new.position == Event.objects.count()
        assert list(kept.namespaces()) == list(new.namespaces())
        assert len(list(kept.namespaces())) > 5
        numbers = [each.number for each in kept.events()]
        assert numbers == [*range(numbers[0], Event.objects.count() + 1)]
        assert len(numbers) > 50
        assert client.verify(kept).events == len(numbers)
        for namespace in kept.namespaces():
            assert client.lookup(namespace.nid).with_source(namespace.source) == namespace


def test_an_empty_registry_can_be_copied(client: Registry, tmp_path: Path) -> None:
    with LocalCopy(tmp_path / "copy.sqlite") as copy:
        with pytest.raises(CopyError, match="Sync it first"):
            client.verify(copy)
        assert client.sync(copy).position == 0
        assert client.sync(copy).events == 0


def test_the_events_of_a_filled_copy_begin_with_the_last_one_of_the_file(
    client: Registry, changes: RandomChanges, tmp_path: Path
) -> None:
    changes.make(10)
    with LocalCopy(tmp_path / "copy.sqlite") as copy:
        client.sync(copy)
        assert [each.number for each in copy.events()] == [Event.objects.count()]
        assert copy.head == (Event.objects.count(), Event.objects.latest("number").digest)


def other_digest(body: Any) -> None:
    for event in body["results"]:
        event["digest"] = event["digest"] and "0" * 64


def other_reason(body: Any) -> None:
    for event in body["results"]:
        event["reason"] = "Something else."


def without_second(body: Any) -> None:
    del body["results"][1:2]


def without_any(body: Any) -> None:
    body["results"] = []


def no_digest(body: Any) -> None:
    for event in body["results"][1:]:
        event |= {"is_public": True, "digest": None}


def head_behind(body: Any) -> None:
    body["number"] = 3


def other_head(body: Any) -> None:
    body["digest"] = "1" * 64


def other_root(body: Any) -> None:
    body["root_hash"] = "AAAA"


CONTRADICTIONS: list[tuple[str, Change, type[RegistryError]]] = [
    ("events/head/$", head_behind, LogBehind),
    ("audit-log/heads/", other_root, LogChanged),
    ("events/$", other_digest, LogChanged),
    ("events/$", other_reason, LogChanged),
    ("events/$", without_any, LogGap),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("path", "change", "error"), CONTRADICTIONS)
def test_a_contradiction_is_an_error_and_leaves_the_copy_as_it_was(
    client: Registry, transport: Tampering, copy: LocalCopy, tmp_path: Path,
    path: str, change: Change, error: type[RegistryError],
) -> None:  # fmt: skip
    transport.changes = {path: change}
    if path != "audit-log/heads/":  # which is read after the events
        before = content(tmp_path)
        with pytest.raises(error):
            client.sync(copy)
        assert content(tmp_path) == before
    with pytest.raises(error):
        client.verify(copy)
    transport.changes = {}
    assert client.sync(copy).position == Event.objects.count()
    client.verify(copy)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("change", "error"), [(without_second, LogGap), (no_digest, UnexpectedResponse)])
def test_new_events_that_do_not_follow_are_not_read(
    client: Registry, transport: Tampering, copy: LocalCopy, tmp_path: Path, change: Change, error: Any
) -> None:
    transport.changes = {"events/$": change}
    before = content(tmp_path)
    with pytest.raises(error):
        client.sync(copy)
    assert content(tmp_path) == before


def test_the_newest_event_must_have_the_digest_of_the_head(
    client: Registry, transport: Tampering, copy: LocalCopy, administrator: User
) -> None:
    a_public_event(administrator)
    position = copy.position
    transport.changes = {"events/head/$": other_head}
    with pytest.raises(LogChanged, match="head of the log"):
        client.sync(copy)
    assert copy.position == position


@pytest.mark.exhaustive
def test_a_head_that_was_seen_must_stay(client: Registry, transport: Tampering, copy: LocalCopy) -> None:
    client.sync(copy)
    transport.changes = {"events/head/$": other_head}
    with pytest.raises(LogChanged, match="another digest"):
        client.sync(copy)


def a_public_event(administrator: User) -> None:
    from registry.namespaces.actions.deprecation import deprecate
    from tests.support.factories import an_imported_namespace

    namespace = an_imported_namespace(nid="isbn")
    deprecate(namespace, by=administrator, statement="Use another one.")


def test_a_signed_head_with_another_root_is_found(
    client: Registry, transport: Tampering, copy: LocalCopy, changes: RandomChanges, tmp_path: Path
) -> None:
    publish_head()
    client.sync(copy)
    before = content(tmp_path)
    a_draft(by=changes.owners[0])  # an event, and no signed head
    transport.changes = {"heads/latest/$": other_root}
    with pytest.raises(LogChanged, match="another root hash"):
        client.sync(copy)
    assert content(tmp_path) == before


@pytest.mark.exhaustive
def test_older_signed_heads_are_read_by_verify_alone(
    client: Registry, transport: Tampering, copy: LocalCopy
) -> None:
    transport.changes = {"heads/[0-9]+/$": other_root}
    client.sync(copy)
    with pytest.raises(LogChanged, match="another root hash"):
        client.verify(copy)


@pytest.mark.exhaustive
def test_one_process_at_a_time_writes_to_a_copy(client: Registry, copy: LocalCopy, tmp_path: Path) -> None:
    with LocalCopy(tmp_path / "copy.sqlite") as other:
        client.sync(other)
        with pytest.raises(CopyError, match="Another process"):
            copy.append(5, list(copy.events())[:1], [])
    with sqlite3.connect(tmp_path / "copy.sqlite") as busy:
        busy.execute("BEGIN IMMEDIATE")
        copy._database.execute("PRAGMA busy_timeout = 1")
        with pytest.raises(CopyError, match="locked"):
            copy.note_head(1, "")
    busy.close()


def test_signatures_are_checked_with_the_keys_that_were_noted(client: Registry, copy: LocalCopy) -> None:
    key = str(KEY.verifier)
    assert client.verify(copy, [key]).signatures == len(copy.signed_heads) > 0
    size, (root_hash, note) = copy.signed_heads.popitem()
    other = str(type(KEY)("localhost:8000/audit-log", bytes(32)).verifier)
    with pytest.raises(WrongSignature):
        client.verify(copy, [other])
    with pytest.raises(ValueError, match="verifier key"):
        client.verify(copy, [key[:-5] + "AAAA="])
    from urnregistry.syncing import verify_note

    verify_note(note, size, root_hash, [other, key])
    for wrong in (note.replace(str(size), str(size + 1), 1), note.replace("\n\n", "\n"), ""):
        with pytest.raises(WrongSignature):
            verify_note(wrong, size, root_hash, [key])
    with pytest.raises(WrongSignature):
        verify_note(note, size + 1, root_hash, [key])


def without_leaf(body: Any) -> None:
    for event in body["results"]:
        del event["leaf"], event["actor_salt"]


def no_leaf(body: Any) -> None:
    for event in body["results"]:
        event["leaf"] = None


def other_detail(body: Any) -> None:
    for event in body["results"]:
        if event["is_public"]:
            event["details"] = {"more": "Something else."}


def changed_in_leaf(name: str, value: Any) -> Change:
    """Another value of a member, but not in the leaf."""

    def change(body: Any) -> None:
        for event in body["results"]:
            if event["is_public"]:
                event[name] = value

    return change


def other_previous(body: Any) -> None:
    """The first event of the page continues another log, and its digest fits."""
    event = body["results"][0]
    leaf = json.loads(event["leaf"]) | {"previous": "1" * 64}
    event["leaf"] = json.dumps(leaf, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    if event["is_public"]:
        event["digest"] = hashlib.sha256(b"\0" + event["leaf"].encode()).hexdigest()


def test_a_copy_of_a_client_that_knew_no_leaves_is_continued(
    client: Registry, transport: Tampering, changes: RandomChanges, tmp_path: Path
) -> None:
    changes.make(8)
    with LocalCopy(tmp_path / "copy.sqlite") as copy:
        transport.changes = {"events/$": without_leaf}
        client.sync(copy)
        changes.make(8)
        client.sync(copy)
        assert not any("leaf" in event.members for event in copy.events())
        transport.changes = {}
        changes.make(8)
        assert client.sync(copy).position == Event.objects.count()
        assert any(event.leaf for event in copy.events())
        assert client.verify(copy).events > 8


def test_a_person_may_change_their_name(client: Registry, copy: LocalCopy, changes: RandomChanges) -> None:
    client.sync(copy)
    for person in changes.owners:
        person.name = f"Another {person.pk}"
        person.save()
    changes.make(3)
    client.sync(copy)
    client.verify(copy)


@pytest.mark.parametrize(
    "change",
    [
        no_leaf,
        other_detail,
        other_previous,
        changed_in_leaf("at", "2020-01-01T00:00:00Z"),
        changed_in_leaf("from_state", "another"),
        changed_in_leaf("to_state", "another"),
        changed_in_leaf("reason", "Another."),
        changed_in_leaf("text_digest", "0" * 64),
    ],
)
def test_new_events_say_what_their_leaves_say(
    client: Registry,
    transport: Tampering,
    copy: LocalCopy,
    administrator: User,
    tmp_path: Path,
    change: Change,
) -> None:
    client.sync(copy)
    a_public_event(administrator)
    before = content(tmp_path)
    transport.changes = {"events/$": of_new_events(copy, change)}
    with pytest.raises(LogChanged):
        client.sync(copy)
    assert content(tmp_path) == before
    transport.changes = {}
    client.sync(copy)


def of_new_events(copy: LocalCopy, change: Change) -> Change:
    """The change of events that the copy does not have."""
    position = copy.position or 0

    def change_new(body: Any) -> None:
        if body["results"][0]["number"] > position:
            change(body)

    return change_new


def test_a_log_that_code_of_an_earlier_release_continued_is_read_on(
    client: Registry, copy: LocalCopy, administrator: User
) -> None:
    client.sync(copy)
    with transaction.atomic():
        head = ChainHead.objects.get()
        event = Event(
            number=head.number + 1, verb="import", nid="isbn", previous=head.digest, at=timezone.now()
        )
        event.digest = event.computed_digest()
        event.save(force_insert=True)
        ChainHead.objects.update(number=event.number, digest=event.digest)
    with pytest.raises(LogChanged, match="has no leaf, although"):
        client.sync(copy)
    a_public_event(administrator)
    assert client.sync(copy).position == Event.objects.count()
    client.verify(copy)


def test_a_copy_of_another_registry_is_refused(transport: Tampering, copy: LocalCopy, tmp_path: Path) -> None:
    before = content(tmp_path)
    with Registry("http://127.0.0.1", transport=transport) as other, pytest.raises(CopyError, match="not of"):
        other.sync(copy)
    assert content(tmp_path) == before
