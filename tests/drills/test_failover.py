"""Faults of a cluster under load: no acknowledged event is lost, no lookup fails, and the worker goes on.

The table of the whole drill is in `docs/operations.md`; `python3 run.py test -n 0 -m drill tests/drills/test_failover.py` repeats it.
"""

import signal
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import chain
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from registry.accounts.models import Scope, User
from registry.accounts.tokens import make_token
from registry.devserver.embedded_postgres import ROLE
from registry.namespaces.models import Kind
from tests.drills.cluster import PATIENCE, Cluster, a_cluster
from tests.drills.faults import NEED_A_NETWORK, SHORT, WHOLE, Fault
from tests.drills.load import Load
from tests.support.databases import environment_of_a_process
from tests.support.factories import a_case_in_review
from tests.support.programs import running
from tests.support.replication import a_folder_for_servers
from tests.support.servers import a_free_port, serving
from tests.support.waiting import wait_until

LIMITS = {"API_READS_A_MINUTE": "1000000", "API_WRITES_A_MINUTE": "1000000", "COMMENTS_AN_HOUR": "1000000"}
# Those of a deployment, which tests/conftest.py lifts.
TIMEOUTS = {"LOCK_TIMEOUT": "5", "STATEMENT_TIMEOUT": "20"}
BEAT = "SELECT max(last_heartbeat) > '{}' FROM procrastinate_workers"


@pytest.mark.soak
@pytest.mark.processes
@pytest.mark.slow
def test_a_killed_primary_and_a_switchover_lose_nothing(demonstration_database: None) -> None:
    drill(SHORT)


@pytest.mark.drill
@pytest.mark.timeout(7200)
def test_the_whole_drill(demonstration_database: None, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print(table(*drill(WHOLE)))


def drill(faults: dict[Fault, int]) -> tuple[dict[Fault, list[float]], Load]:
    """Make the faults under load. Returns the longest pause of writes at each, and the load."""
    registrant = User.objects.get(email="registrant@example.org")
    case = a_case_in_review(by=registrant, kind=Kind.INFORMAL).pk
    _, secret = make_token(by=registrant, name="clients", scopes=list(Scope))
    pauses: dict[Fault, list[float]] = {}
    with a_folder_for_servers() as folder, a_cluster(folder) as cluster:
        cluster.fill(connection.settings_dict["NAME"])
        with processes(cluster, folder) as (ports, worker), Load(ports, secret, case) as load:
            for fault in (each for each, times in faults.items() for _ in range(times)):
                if fault in NEED_A_NETWORK and not cluster.nodes[0].host.namespace:
                    continue
                load.goes_on(10)
                began = time.monotonic()
                fault(cluster, load)
                cluster.wait_until_whole()
                load.goes_on()
                pauses.setdefault(fault, []).append(pause := load.longest_pause(began))
                print(f"{fault.__name__}: {pause:.1f} s, {len(load.writes)} events", flush=True)
            assert worker.poll() is None
            (now,) = cluster.primary().execute("SELECT now()")
            wait_until(lambda: cluster.primary().execute(BEAT.format(now), ROLE) == (True,), PATIENCE)
        check_everything(cluster, load)
    return pauses, load


@contextmanager
def processes(cluster: Cluster, folder: Path) -> Iterator[tuple[list[int], "subprocess.Popen[bytes]"]]:
    """Two web processes, one of them behind HAProxy, and a worker."""
    replicas = cluster.url(target_session_attrs="prefer-standby")
    urls, ports = [cluster.url(), cluster.proxied_url()], [a_free_port(), a_free_port()]
    with ExitStack() as stack:
        for number, (port, url) in enumerate(zip(ports, urls, strict=True)):
            environment = {"DATABASE_URL": url, "DATABASE_REPLICA_URL": replicas, **LIMITS, **TIMEOUTS}
            log = folder / f"web{number}.log"
            stack.enter_context(serving(port, threads=None, log=log, **environment))
        worker = stack.enter_context(
            running(
                [sys.executable, "manage.py", "worker"],
                end=signal.SIGKILL,
                cwd=settings.BASE_DIR,
                env=environment_of_a_process() | {"DATABASE_URL": cluster.url()},
                stdout=stack.enter_context((folder / "worker.log").open("wb")),
                stderr=subprocess.STDOUT,
            )
        )
        yield ports, worker


def check_everything(cluster: Cluster, load: Load) -> None:
    """Compare what was acknowledged and read with what the database has."""
    (comments,) = cluster.primary().execute("SELECT json_object_agg(id, text) FROM cases_comment", ROLE)
    (events,) = cluster.primary().execute("SELECT json_object_agg(number, digest) FROM audit_log_event", ROLE)
    lost = [
        each
        for each in load.writes
        if comments.get(str(each.comment)) != each.text or str(each.sequence) not in events
    ]
    repeated = [text for text, times in Counter(comments.values()).items() if times > 1]
    forks = [number for number, digest in load.heads.items() if events.get(str(number)) != digest]
    failed = {each: count for each, count in load.statuses.items() if each[0] == "lookup" and each[1] != 200}
    assert (lost, repeated, forks, load.forks, load.stale, failed) == ([], [], [], 0, 0, {})
    verified = subprocess.run(
        [sys.executable, "manage.py", "verify_audit_log"],
        cwd=settings.BASE_DIR,
        env=environment_of_a_process() | {"DATABASE_URL": cluster.url()},
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,
    )
    assert verified.returncode == 0, verified.stderr
    heads = "SELECT number, digest FROM audit_log_chainhead"
    wait_until(lambda: len({node.execute(heads, ROLE) for node in cluster.nodes}) == 1)


def table(pauses: dict[Fault, list[float]], load: Load) -> str:
    """The results in Markdown."""
    rows = [
        "| fault | times | pause of writes: median | 95th percentile | longest |",
        "| --- | --- | --- | --- | --- |",
    ]
    named = {fault.__name__.replace("_", " "): seconds for fault, seconds in pauses.items()}
    for name, seconds in (named | {"all": list(chain(*pauses.values()))}).items():
        high = statistics.quantiles(seconds, n=20, method="inclusive")[-1] if len(seconds) > 1 else seconds[0]
        rows.append(
            f"| {name} | {len(seconds)} | {statistics.median(seconds):.1f} s | {high:.1f} s | {max(seconds):.1f} s |"
        )
    counts = [
        f"{count} × {kind} {status}" for (kind, status), count in sorted(load.statuses.items(), key=str)
    ]
    return "\n".join(
        ["", *rows, "", ", ".join(counts), f"{len(load.writes)} events acknowledged, none lost."]
    )
