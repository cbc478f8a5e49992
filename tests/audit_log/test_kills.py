"""A process that is killed at any step between events, tiles, the head, cosignatures and time stamps.

A real process gets SIGKILL before each of its statements and commits. After each kill a stranger proves what is published.
"""

import base64
import itertools
import signal
from collections.abc import Callable
from typing import Any

import pytest
from cryptography import x509
from django.test import Client
from rfc3161_client import VerifierBuilder, decode_timestamp_response

from registry.audit_log.attestations import ask_each
from registry.audit_log.heads import publish_head
from registry.audit_log.models import ChainHead, Cosignature, SignedHead, TileHash, Timestamp
from registry.audit_log.signing_keys import trusted_keys
from registry.audit_log.tasks import publish_hourly_head
from registry.audit_log.timestamps import authorities
from registry.audit_log.verification import verify
from registry.audit_log.witnesses import witnesses
from tests.audit_log.test_proofs import accepts, proof_in
from tests.audit_log.test_tiles import StrangersTree, mth, write_events
from tests.audit_log.test_timestamps import Stamping, stamping
from tests.audit_log.test_witnesses import Running, cosigned, run
from tests.support.databases import a_filled_database, a_fresh_database
from tests.support.https_servers import Authority, authority, dns
from tests.support.processes import ended, start, write_the_log_and_die

__all__ = ["authority", "dns", "run", "stamping"]

pytestmark = [pytest.mark.exhaustive, pytest.mark.processes, pytest.mark.slow]

BEFORE, NEW = 200, 313  # events: the new ones complete two tiles, and begin another
# What the tables have after kills, in the order of the steps: events, tiles, heads, cosignatures and time stamps.
STAGES = [
    (BEFORE, 0, 1, 0, 0),
    (BEFORE + NEW, 0, 1, 0, 0),
    (BEFORE + NEW, 1, 1, 0, 0),
    (BEFORE + NEW, 2, 1, 0, 0),
    (BEFORE + NEW, 2, 2, 0, 0),
    (BEFORE + NEW, 2, 2, 1, 0),
    (BEFORE + NEW, 2, 2, 2, 0),
    (BEFORE + NEW, 2, 2, 2, 1),
    (BEFORE + NEW, 2, 2, 2, 2),
]


def stage() -> tuple[int, ...]:
    rows = (each.objects.count() for each in (TileHash, SignedHead, Cosignature, Timestamp))
    return (ChainHead.objects.get().number, *rows)


def check_that_a_stranger_proves_all(client: Client, witness: Running, root: Authority) -> None:
    """Everything that is published: the tiles of the newest head, each head, proofs, cosignatures and time stamps."""
    tree = StrangersTree(client)
    tree.check()
    hashes = tree.hashes(0)
    for head in client.get("/api/v1/audit-log/heads/").json()["results"]:
        assert base64.b64encode(mth(hashes[: head["size"]])).decode() == head["root_hash"]
        note = client.get(f"/audit-log/heads/{head['size']}/note.txt").content
        for each in head["timestamps"]:
            reply = decode_timestamp_response(client.get(each["url"]).content)
            roots = x509.load_pem_x509_certificates(root.ca.read_bytes())
            assert VerifierBuilder(roots=roots).build().verify_message(reply, note)
    for number in {1, BEFORE, tree.size}:
        proof = proof_in(client, number)
        assert accepts(proof)
        cosigned(proof.partition("\n\n")[2], witness.key.verifier)  # raises InvalidSignature
    assert len(cosigned(tree.fetch("checkpoint").decode(), witness.key.verifier)) <= 1


def check_that_the_next_run_completes(client: Client, witness: Running, root: Authority) -> None:
    publish_hourly_head(timestamp=0)
    ask_each([*witnesses(), *authorities()])
    events, tiles, *_ = stage()
    head = SignedHead.objects.get(size=events)
    assert (head.timestamps.count(), head.cosignatures.count()) == (1, 1)
    assert tiles == events // 256
    check_that_a_stranger_proves_all(client, witness, root)
    assert witness.contradictions == []
    assert verify(keys=trusted_keys()).faults == []


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.soak)])
def test_a_kill_before_any_statement_publishes_nothing_that_cannot_be_proven(
    every: int,
    the_test_database: None,
    django_db_blocker: Any,
    client: Client,
    run: Callable[[str], Running],
    stamping: Stamping,
    authority: Authority,
    settings: Any,
) -> None:
    """All is proven after the first kill of each stage, and after one in `every`."""

    def fill() -> None:
        write_events(BEFORE)
        publish_head()

    stages = []
    with django_db_blocker.unblock(), a_filled_database(fill) as begun:
        for step in itertools.count():
            witness = run(f"witness-{step}.example")
            settings.LOG_WITNESSES = witness.setting
            others = {
                name: getattr(settings, name) for name in ("LOG_WITNESSES", "LOG_TIMESTAMP_AUTHORITIES")
            }
            with a_fresh_database(begun):
                status = ended(start(write_the_log_and_die, step, NEW, others, str(authority.ca)))
                is_looked_at = step % every == 0 or stage() not in stages or status == 0
                stages.append(stage())
                if is_looked_at:
                    check_that_a_stranger_proves_all(client, witness, authority)
                if status == 0:
                    break
                assert status == -signal.SIGKILL
                if is_looked_at:
                    check_that_the_next_run_completes(client, witness, authority)
    assert list(dict.fromkeys(stages)) == STAGES
    assert len(stages) > 30, "too few steps were counted"
