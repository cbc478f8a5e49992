"""Three hosts: network namespaces that can be cut off, where this machine allows them, and otherwise loopback."""

import itertools
import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.missing import program
from tests.support.servers import a_free_port


@dataclass(frozen=True)
class Host:
    """A host with the ports of its programs."""

    name: str
    address: str
    namespace: str
    postgres: int
    patroni: int
    etcd: int
    peers: int

    def start(self, folder: Path, *command: str | Path) -> subprocess.Popen[bytes]:
        """Start a program on this host, not as root. Its output goes into the folder."""
        with self._log(folder, command).open("ab") as log:
            return subprocess.Popen(
                self._as_account(command),
                cwd=folder,
                env=_environment(folder),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def run(self, folder: Path, *command: str | Path) -> None:
        """Run a program on this host, not as root, to its end. Its output goes into the folder."""
        status = self.start(folder, *command).wait(240)
        assert status == 0, self._log(folder, command).read_text("utf-8", "replace")[-3000:]

    def _log(self, folder: Path, command: tuple[str | Path, ...]) -> Path:
        return folder / f"{Path(command[0]).name}.log"

    def _as_account(self, command: tuple[str | Path, ...]) -> list[str]:
        enter = [program("ip", "iproute2"), "netns", "exec", self.namespace] if self.namespace else []
        user = (
            ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if not os.geteuid() else []
        )
        return [*enter, *user, *map(str, command)]

    def cut(self) -> None:
        """Drop everything between this host and the others."""
        _ip("link", "set", self.namespace, "down")

    def connect(self) -> None:
        _ip("link", "set", self.namespace, "up")


def _environment(folder: Path) -> dict[str, str]:
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("PG", "ETCD", "PATRONI"))
    }
    return kept | {"LC_ALL": "C.UTF-8", "HOME": str(folder)}


def give(folder: Path) -> Path:
    """Make a folder for programs on a host."""
    folder.mkdir(mode=0o700)
    if not os.geteuid():
        account = pwd.getpwnam("postgres")
        os.chown(folder, account.pw_uid, account.pw_gid)
    return folder


@contextmanager
def hosts() -> Iterator[list[Host]]:
    """Three hosts that reach each other, and that this process reaches."""
    names = ["db1", "db2", "db3"]
    if not _may_make_namespaces():
        yield [Host(name, "127.0.0.1", "", *(a_free_port() for _ in range(4))) for name in names]
        return
    number = _unused_network()
    bridge, network = f"urnd{number}", f"10.81.{number}"
    namespaces = [f"{bridge}-{name}" for name in names]
    try:
        _ip("link", "add", bridge, "type", "bridge")
        _ip("address", "add", f"{network}.254/24", "dev", bridge)
        _ip("link", "set", bridge, "up")
        for last, namespace in enumerate(namespaces, 1):
            _make_namespace(namespace, bridge, f"{network}.{last}/24")
        yield [
            Host(name, f"{network}.{last}", namespace, 5432, 8008, 2379, 2380)
            for last, (name, namespace) in enumerate(zip(names, namespaces, strict=True), 1)
        ]
    finally:
        for namespace in namespaces:
            # The kernel deletes the link of a namespace some time after the namespace.
            _ip("link", "delete", namespace, check=False)
            _ip("netns", "delete", namespace, check=False)
        _ip("link", "delete", bridge, check=False)


def _make_namespace(name: str, bridge: str, address: str) -> None:
    """A namespace and a cable to the bridge; the end at the bridge has the name of the namespace."""
    _ip("netns", "add", name)
    _ip("link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", name)
    _ip("link", "set", name, "master", bridge, "up")
    _ip("-n", name, "address", "add", address, "dev", "eth0")
    _ip("-n", name, "link", "set", "eth0", "up")
    _ip("-n", name, "link", "set", "lo", "up")


def _may_make_namespaces() -> bool:
    if os.geteuid() or not shutil.which("ip", path=f"{os.environ['PATH']}:/usr/sbin"):
        return False
    name = f"urnd-{os.getpid()}"
    if _ip("netns", "add", name, check=False):
        return False
    return not _ip("netns", "delete", name, check=False)


def _unused_network() -> int:
    known = subprocess.run(
        [program("ip"), "-o", "address"],
        capture_output=True,
        text=True,
        check=True,
        timeout=240,
    ).stdout
    return next(number for number in itertools.count(41) if f" 10.81.{number}." not in known)


def _ip(*arguments: str, check: bool = True) -> int:
    command = [program("ip", "iproute2"), *arguments]
    return subprocess.run(command, check=check, capture_output=True, timeout=240).returncode
