"""The faults of a drill: each breaks something, waits until writes are acknowledged again, and repairs it."""

import time
from collections.abc import Callable

from tests.drills.cluster import Cluster, Node
from tests.drills.load import Load
from tests.support.waiting import wait_until

Fault = Callable[[Cluster, Load], None]
# Longer than the lock of a primary lasts, and than PostgreSQL waits for a standby.
LONG = 40  # seconds


def kill_the_primary(cluster: Cluster, load: Load) -> None:
    primary = cluster.primary()
    primary.kill()
    load.goes_on()
    primary.start()


def kill_only_postgresql_of_the_primary(cluster: Cluster, load: Load) -> None:
    cluster.primary().kill_postgres()
    load.goes_on()


def kill_a_standby(cluster: Cluster, load: Load) -> None:
    standby = cluster.synchronous_standby()
    standby.kill()
    load.goes_on()
    standby.start()


def switch_over(cluster: Cluster, load: Load) -> None:
    cluster.switch_over()
    load.goes_on()


def lose_one_etcd(cluster: Cluster, load: Load) -> None:
    node = cluster.primary()
    node.kill_etcd()
    go_on_for_long(load)
    node.start_etcd()


def lose_etcd(cluster: Cluster, load: Load) -> None:
    for node in cluster.nodes:
        node.kill_etcd()
    go_on_for_long(load)
    for node in cluster.nodes:
        node.start_etcd()


def hold_the_standbys_back(cluster: Cluster, load: Load) -> None:
    standbys = cluster.standbys()
    for node in standbys:
        node.execute("SELECT pg_wal_replay_pause()")
    go_on_for_long(load)
    for node in standbys:
        node.execute("SELECT pg_wal_replay_resume()")


def cut_the_primary_off(cluster: Cluster, load: Load) -> None:
    """Cut off the host of the primary, of which the etcd only follows."""
    primary = cluster.primary()
    cluster.move_leader_of_etcd(cluster.standbys()[0])
    cut_off(primary, load)


def cut_the_primary_and_the_leader_of_etcd_off(cluster: Cluster, load: Load) -> None:
    """Cut off the host of both: the new leader of etcd gives the lock of the primary its whole time again."""
    primary = cluster.primary()
    cluster.move_leader_of_etcd(primary)
    cut_off(primary, load)


def cut_a_standby_off(cluster: Cluster, load: Load) -> None:
    cut_off(cluster.synchronous_standby(), load)


def cut_off(node: Node, load: Load) -> None:
    node.host.cut()
    go_on_for_long(load)
    node.host.connect()


def go_on_for_long(load: Load) -> None:
    until = time.monotonic() + LONG
    load.goes_on()
    wait_until(lambda: time.monotonic() > until)
    load.goes_on()


SHORT: dict[Fault, int] = {kill_the_primary: 1, switch_over: 1}
WHOLE: dict[Fault, int] = {
    kill_the_primary: 20,
    switch_over: 2,
    kill_only_postgresql_of_the_primary: 1,
    kill_a_standby: 1,
    cut_the_primary_off: 1,
    cut_the_primary_and_the_leader_of_etcd_off: 1,
    cut_a_standby_off: 1,
    lose_one_etcd: 1,
    lose_etcd: 1,
    hold_the_standbys_back: 1,
}
NEED_A_NETWORK = {cut_the_primary_off, cut_the_primary_and_the_leader_of_etcd_off, cut_a_standby_off}
