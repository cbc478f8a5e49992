"""A replica answers public reads; never one that has to contain an event which the replica does not have."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import close_old_connections, connections, transaction
from django.test import Client

from registry.audit_log import consistency
from registry.audit_log.checks import check_replica
from registry.audit_log.log import append
from registry.audit_log.models import LogPosition
from tests.support.factories import an_imported_namespace
from tests.support.replication import Server, a_replica, a_standby, statements_on

pytestmark = [pytest.mark.exhaustive, pytest.mark.processes, pytest.mark.slow]

KNOWN, LATE = "/api/v1/namespaces/isbn/", "/api/v1/namespaces/late/"


@pytest.fixture
def held_back(folder: Path, primary: Server) -> Iterator[Server]:
    """A replica that gets everything, and applies nothing for an hour."""
    with a_standby(folder / "b", primary, recovery_min_apply_delay="1h") as server, a_replica(server):
        yield server


def an_event() -> int:
    """Register a namespace, and return the number of an event after it."""
    an_imported_namespace("late")
    with transaction.atomic():
        return append("example", by=None).number


def status(path: str, sequence: int | str | None = None) -> int:
    close_old_connections()  # as at the start of each request of a server
    headers = {} if sequence is None else {consistency.HEADER: str(sequence)}
    return Client(raise_request_exception=False).get(path, headers=headers).status_code


def test_a_replica_answers_public_reads_alone(primary: Server, standby: Server) -> None:
    sequence = an_event()
    standby.catch_up_with(primary)
    with a_replica(standby):
        with statements_on("default") as on_primary, statements_on("replica") as on_replica:
            for path in ("/namespaces/isbn/", "/namespaces/", LATE):
                assert status(path, sequence) == 200
        # The primary stores the response for the fast lookup.
        assert [each for each in on_primary if "namespaces_store_lookup" not in each] == []
        assert len(on_replica) > 6
        with statements_on("default") as on_primary:
            assert status("/api/v1/namespaces/?q=late", 0) == 200
        assert any("core_counter" in each for each in on_primary)  # rate limits are counted there
        assert not any("namespaces_namespace" in each for each in on_primary)
        with statements_on("replica") as on_replica:
            assert Client(headers={"Cookie": "sessionid=unknown"}).get("/namespaces/").status_code == 200
            assert status("/accounts/login/") == 200
            assert status(LATE) == 200
        assert on_replica == []
        standby.crash()
        assert status(LATE, 0) == 200  # the primary takes over within the request


def test_a_replica_that_is_held_back_is_never_read_for_what_it_lacks(
    monkeypatch: pytest.MonkeyPatch, primary: Server, held_back: Server
) -> None:
    sequence = an_event()
    held_back.receive_from(primary)  # a replica that has replayed all that it received is current
    assert (status(LATE, 0), status(LATE, sequence)) == (200, 200)
    with monkeypatch.context() as patch:
        patch.setattr(consistency, "STATE", "SELECT number, %s > 0 FROM audit_log_chainhead")
        # It now passes for current: the sequence alone decides.
        assert status(LATE, 0) == 404
        assert status(LATE) == 200  # the API may answer with something older only if it is asked to
        assert status(KNOWN, sequence - 1) == 200
        assert status(LATE, sequence) == 200
        assert status(LATE, "not a number") == 200
    primary.crash()
    assert status(KNOWN, 0) == 200
    assert status("/namespaces/isbn/") == 200
    assert status(KNOWN, sequence) == 503
    assert status(LATE, sequence) == 503


def test_a_transaction_is_not_left(primary: Server, held_back: Server) -> None:
    with transaction.atomic():
        sequence = LogPosition.current().number
        with statements_on("replica") as on_replica:
            assert Client().get(KNOWN, headers={consistency.HEADER: str(sequence)}).status_code == 200
    assert on_replica == []


def test_the_doctor_tells_of_a_replica_that_is_away(primary: Server, standby: Server) -> None:
    assert check_replica() == []
    standby.catch_up_with(primary)
    with a_replica(standby):
        assert check_replica() == []
        standby.crash()
        connections["replica"].close()
        (finding,) = check_replica()
        assert finding.id == "audit_log.W002"
        assert finding.msg.startswith("The replica of DATABASE_REPLICA_URL can't be read: ")


def test_the_doctor_tells_of_a_replica_that_is_behind(primary: Server, held_back: Server) -> None:
    an_event()
    held_back.receive_from(primary)
    (finding,) = check_replica()
    assert finding.id == "audit_log.W003"
