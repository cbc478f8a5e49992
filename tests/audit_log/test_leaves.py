"""Leaves that others can compute: what is in them, what is hidden, and the change from the format before.

What a stranger computes is written here from the texts alone: RFC 8785, RFC 6962 and docs/audit-log.md.
"""

import hashlib
import json
from dataclasses import replace
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from registry.accounts.erasure import erase_person
from registry.accounts.models import RoleName, User
from registry.accounts.personal_data import find_person
from registry.accounts.roles import grant_role
from registry.audit_log import log
from registry.audit_log.heads import publish_head
from registry.audit_log.leaves import LONGEST_LEAF, LONGEST_MEMBER, LeafTooLong, commitment, leaf_of
from registry.audit_log.models import BrokenAuditLog, ChainHead, Event, PersonalData
from registry.audit_log.verification import verify
from registry.cases import publicity
from registry.core.canonical_json import canonical
from registry.events import events as api_events
from registry.events.events import EventSerializer
from registry.namespaces.models import Namespace
from tests.audit_log.test_log import verify as verify_command
from tests.support.factories import a_draft, a_namespace
from tests.support.tampering import as_owner, as_the_previous_release, rewrite_log

ALL = ",".join(EventSerializer().fields)


def everything(client: Client) -> list[dict[str, Any]]:
    """All events, as the API publishes them."""
    found: list[dict[str, Any]] = []
    page = client.get(f"/api/v1/events/?since=0&page_size=500&fields={ALL}").json()
    while page["results"]:
        found += page["results"]
        page = client.get(page["next"]).json()
    return found


def recomputed(events: list[dict[str, Any]]) -> int:
    """Compute each event from what the API publishes; return how many are public."""
    before, public = "0" * 64, 0
    for event in events:
        leaf = json.loads(event["leaf"])
        written = json.dumps(leaf, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        assert written == event["leaf"]
        assert (leaf["number"], leaf["previous"], leaf["is_public"]) == (
            event["number"],
            before,
            event["is_public"],
        )
        before = hashlib.sha256(b"\0" + event["leaf"].encode()).hexdigest()
        if event["is_public"]:
            public += 1
            compare(event, leaf)
            assert event["digest"] == before
        else:
            assert leaf["hidden"].keys() == {"event"}
    return public


def compare(event: dict[str, Any], leaf: dict[str, Any]) -> None:
    """A public event says what its leaf says, member by member."""
    for name in ("at", "verb", "case", "nid", "from_state", "to_state", "reason", "text_digest"):
        assert leaf[name] == event[name], (event["number"], name)
    assert {name: value for name, value in leaf["details"].items() if value not in ("", None)} == event[
        "details"
    ]
    if event["actor"] is None:
        assert leaf["actor"] is None
    elif event["actor_salt"]:
        shown = json.dumps({"shown": event["actor"]}, separators=(",", ":"), ensure_ascii=False)
        assert leaf["actor"] == hashlib.sha256(f"{event['actor_salt']}{shown}".encode()).hexdigest()


@pytest.fixture
def trees(registrant: User, expert: User, administrator: User) -> Namespace:
    a_draft(by=registrant, namespace_identifier="secret-garden")
    return a_namespace(by=registrant, expert=expert, administrator=administrator)


def test_a_stranger_computes_every_event(client: Client, trees: Namespace) -> None:
    events = everything(client)
    assert 0 < recomputed(events) < len(events) == Event.objects.count()
    assert all(event["actor_salt"] for event in events if event["actor"])


@pytest.mark.exhaustive
@pytest.mark.usefixtures("demonstration_database")
def test_a_stranger_computes_every_event_of_the_demonstration(client: Client) -> None:
    events = everything(client)
    assert 100 < recomputed(events) <= len(events) == Event.objects.count()


def test_a_changed_octet_is_not_that_event(client: Client, trees: Namespace) -> None:
    *_, last = [event for event in everything(client) if event["is_public"]]
    changed = last | {"leaf": last["leaf"].replace('"verb":"', '"verb":"x')}
    assert hashlib.sha256(b"\0" + changed["leaf"].encode()).hexdigest() != last["digest"]


def test_a_public_leaf_hides_the_people_and_private_details(registrant: User, db: None) -> None:
    with transaction.atomic():
        event = log.append(
            "release_namespace", by=registrant, nid="isbn", former="An organisation", person=registrant.pk
        )
    leaf = json.loads(event.leaf)
    public = {name: value for name, value in event.details.items() if name in leaf["details"]}
    assert leaf["details"] == public
    assert "person" not in public
    assert event.salts is not None
    private = {name: value for name, value in event.details.items() if name not in public}
    rest = {"actor": registrant.pk, "identities": event.identities, "details": private}
    assert leaf["hidden"] == {"rest": commitment(event.salts["rest"], rest)}
    assert str(registrant) not in event.leaf.decode()
    assert registrant.email not in event.leaf.decode()


def test_a_public_leaf_does_not_tell_whether_something_is_private(registrant: User, db: None) -> None:
    """Neither the names nor the number of its members depend on private details, or on an actor."""
    with transaction.atomic():
        events = [
            log.append("release_namespace", by=registrant, nid="isbn", former="One", person=registrant.pk),
            log.append("release_namespace", by=registrant, nid="isbn", former="One"),
            log.append("import", by=None, nid="isbn", outcome="added"),
        ]
    assert [json.loads(event.leaf)["hidden"].keys() for event in events] == [{"rest"}] * 3
    assert len({json.loads(event.leaf)["hidden"]["rest"] for event in events}) == 3


def test_a_private_leaf_is_one_commitment(registrant: User, administrator: User) -> None:
    grant_role(registrant, RoleName.EXPERT, by=administrator, reason="Knows trees well.")
    event = Event.objects.get(verb="grant_role", actor=administrator)
    leaf = json.loads(event.leaf)
    assert leaf == {
        "format": 2,
        "number": event.number,
        "previous": event.previous,
        "is_public": False,
        "hidden": {"event": leaf["hidden"]["event"]},
    }


def test_equal_events_have_different_commitments(registrant: User, db: None) -> None:
    with transaction.atomic():
        first, second = (log.append("grant_role", by=registrant, person=registrant.pk) for _ in range(2))
    assert json.loads(first.leaf)["hidden"] != json.loads(second.leaf)["hidden"]


def test_a_name_that_changed_is_not_disclosed(client: Client, trees: Namespace, registrant: User) -> None:
    registrant.name = "Another Name"
    registrant.save()
    events = everything(client)
    own = [event for event in events if event["actor"] == "Another Name"]
    assert own
    assert {event["actor_salt"] for event in own} == {None}
    assert recomputed(events) > 0


def test_after_an_erasure_every_leaf_is_as_before(client: Client, trees: Namespace, registrant: User) -> None:
    before = everything(client)
    assert any(event["actor"] == str(registrant) and event["actor_salt"] for event in before)
    erase_person(find_person(registrant.email), by=None, reason="They left.")
    after = everything(client)
    assert [event["leaf"] for event in after[: len(before)]] == [event["leaf"] for event in before]
    assert recomputed(after) > 0
    registrant.refresh_from_db()
    own = [event for event in after if event["actor"] == str(registrant)]
    assert own
    assert {event["actor_salt"] for event in own} == {None}
    assert not PersonalData.objects.filter(account=registrant).exists()
    assert verify().is_valid


def test_what_is_hidden_has_no_name_and_address_that_an_erasure_would_leave(
    client: Client, trees: Namespace, registrant: User
) -> None:
    """The salts of `rest` and `event` stay: what they hide names people by the keys of their accounts, and by commitments alone."""
    erase_person(find_person(registrant.email), by=None, reason="They left.")
    hidden = [
        canonical([event.actor_id, event.identities, event.details, event.reason])
        for event in Event.objects.all()
    ]
    assert any(str(registrant.pk) in each for each in hidden)
    for text in (registrant.name, registrant.email):
        assert not any(text in each for each in hidden)
    assert recomputed(everything(client)) > 0


def test_a_long_text_is_a_commitment(db: None) -> None:
    reason = "x" * (LONGEST_MEMBER + 1)
    with transaction.atomic():
        event = log.append("import", by=None, nid="isbn", reason=reason)
    leaf = json.loads(event.leaf)
    assert leaf["reason"] is None
    assert event.salts is not None
    assert leaf["hidden"]["reason"] == commitment(event.salts["reason"], reason)
    assert verify().is_valid


def test_a_leaf_that_no_tile_can_hold_is_refused() -> None:
    details = {"message": "x" * LONGEST_LEAF}
    event = Event(number=1, at=timezone.now(), verb="import", details=details, previous="0" * 64)
    event.salts = {"rest": "00", "private_details": []}
    with pytest.raises(LeafTooLong, match="Shorten its reason"):
        leaf_of(event)


# What is public later


def test_what_an_event_published_follows_its_leaf(
    client: Client, trees: Namespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A later version declares fewer public verbs and details, or more: events of format 2 stay as they were written."""
    before = everything(client)
    assert any(event["details"] for event in before)
    narrow = replace(publicity.PUBLIC_EVENTS, of_cases=frozenset(), others=frozenset())
    for rule in (narrow, replace(publicity.PUBLIC_EVENTS, opening="create")):
        monkeypatch.setattr(publicity, "PUBLIC_EVENTS", rule)
        monkeypatch.setattr(api_events, "DETAILS", {})
        assert everything(client) == before
    as_the_previous_release()
    monkeypatch.setattr(publicity, "PUBLIC_EVENTS", narrow)
    assert not any(event["is_public"] for event in everything(client))


# The change of the format


def write(nid: str) -> Event:
    with transaction.atomic():
        return log.append("import", by=None, nid=nid, outcome="added")


def test_a_new_log_begins_with_leaves(db: None) -> None:
    assert (write("one").number, write("two").number) == (1, 2)
    assert {event.format for event in Event.objects.all()} == {2}


def test_the_change_of_the_format_is_an_event_and_old_heads_stay_valid(db: None) -> None:
    write("one")
    write("two")
    as_the_previous_release()
    former = publish_head()
    assert former is not None
    digests = list(Event.objects.values_list("digest", flat=True))
    assert write("three").number == 4
    change = Event.objects.get(number=3)
    assert (change.verb, change.details) == ("change_event_format", {"former_format": 1, "format": 2})
    assert json.loads(change.leaf)["details"] == change.details
    assert list(Event.objects.filter(number__lte=2).values_list("digest", flat=True)) == digests
    later = publish_head()
    assert later is not None
    result = verify()
    assert (result.is_valid, result.published_heads) == (True, 2)
    assert [(each.format, each.first, each.last) for each in result.formats] == [(1, 1, 2), (2, 3, 4)]
    _, text = verify_command()
    assert "events 1 to 2: format 1; events 3 to 4: format 2." in text


def test_the_events_of_format_1_have_no_leaf_in_the_api(client: Client, trees: Namespace) -> None:
    before = everything(client)
    as_the_previous_release()
    write("three")
    events = everything(client)
    shown = [(event["number"], event["verb"]) for event in before if event["is_public"]]
    assert [(event["number"], event["verb"]) for event in events[:-2] if event["is_public"]] == shown
    assert {event["leaf"] for event in events[:-2]} == {None}
    assert all(event["leaf"] for event in events[-2:])


def test_the_change_is_noted_again_after_the_previous_release_wrote(db: None) -> None:
    write("one")
    as_the_previous_release()
    write("two")
    with transaction.atomic():  # as the previous release does
        head = ChainHead.objects.get()
        event = Event(number=head.number + 1, verb="import", nid="three", previous=head.digest)
        event.at = Event.objects.get(number=1).at
        event.digest = event.computed_digest()
        event.save(force_insert=True)
        ChainHead.objects.update(number=event.number, digest=event.digest)
    write("four")
    assert verify().is_valid
    assert [event.format for event in Event.objects.order_by("number")] == [1, 2, 2, 1, 2, 2]


def test_a_change_of_the_format_without_its_event_is_found(db: None) -> None:
    write("one")
    write("two")
    rewrite_log("UPDATE audit_log_event SET salts = NULL WHERE number = 1")
    with pytest.raises(BrokenAuditLog, match="does not say that the format changes"):
        list(log.verified())


TAMPERINGS = {
    "a salt": """UPDATE audit_log_event SET salts = '{"event": "00"}' WHERE number = 2""",
    "the format": "UPDATE audit_log_event SET salts = NULL WHERE number = 2",
    "what is public": 'UPDATE audit_log_event SET salts = salts || \'{"details.outcome": "00"}\' WHERE number = 2',
    "a private detail": 'UPDATE audit_log_event SET salts = salts || \'{"private_details": ["outcome"]}\' WHERE number = 2',
    "a name that is missing": 'UPDATE audit_log_event SET salts = salts || \'{"private_details": ["x"]}\' WHERE number = 2',
    "no salts": "UPDATE audit_log_event SET salts = '{}' WHERE number = 2",
    "a list of salts": "UPDATE audit_log_event SET salts = '[]' WHERE number = 2",
    "a text of details": """UPDATE audit_log_event SET details = '"x"' WHERE number = 2""",
    "a list of people": "UPDATE audit_log_event SET identities = '[1]' WHERE number = 2",
    "an endless number": """UPDATE audit_log_event SET details = '{"outcome": 1e400}' WHERE number = 2""",
    "a number without canonical JSON": """UPDATE audit_log_event SET details = '{"outcome": 9007199254740993}'
        WHERE number = 2""",
    "a leaf that is too long": "UPDATE audit_log_event SET details = "
    "jsonb_build_object('outcome', repeat('x', 70000)) WHERE number = 2",
}


@pytest.mark.parametrize("statement", TAMPERINGS.values(), ids=TAMPERINGS.keys())
def test_a_changed_salt_is_found(statement: str, db: None) -> None:
    write("one")
    write("two")
    as_owner(statement)
    with pytest.raises(BrokenAuditLog, match="Event 2 was changed"):
        list(log.verified())


def test_the_leaf_is_canonical(trees: Namespace) -> None:
    for event in Event.objects.all():
        assert canonical(json.loads(event.leaf)).encode() == event.leaf
