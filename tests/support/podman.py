"""Podman, with images that are built here: their base is a Debian from debootstrap, and no registry of images is asked."""

import os
import re
import resource
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

from django.conf import settings

from tests.support.missing import missing, program
from tests.support.programs import running
from tests.support.replication import a_folder_for_servers
from tests.support.waiting import wait_until

ROOT = Path(settings.BASE_DIR)
CONTAINERFILE = (ROOT / "Containerfile").read_text("utf-8")
GUIDE = (ROOT / "docs" / "deployment" / "containers.md").read_text("utf-8")
BASE = "localhost/base"
AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt"
# crun, the other runtime, refuses systems that have both versions of cgroups. Containers get limits that this process may
# give. Debian's default network resolves no names of containers; netavark does.
CONFIGURATION = """
[containers]
default_ulimits = [{limits}]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "none"
exit_command_delay = 10
[network]
network_backend = "netavark"
network_config_dir = "{folder}/networks"
"""


class Podman:
    """An engine with storage of its own, in a folder with a short path. Needs root."""

    def __init__(self, folder: Path) -> None:
        for name in ("/usr/lib/podman/netavark", "/usr/lib/podman/aardvark-dns", "iptables", "runc"):
            program(name, Path(name).name)
        self._command = [program("podman"), f"--root={folder}/storage", f"--runroot={folder}/run"]
        self.socket = folder / "socket"
        limits = {"nofile": resource.RLIMIT_NOFILE, "nproc": resource.RLIMIT_NPROC}
        highest = {name: min(resource.getrlimit(limit)[0], 4096) for name, limit in limits.items()}
        given = ", ".join(f'"{name}={limit}:{limit}"' for name, limit in highest.items())
        configuration = folder / "containers.conf"
        configuration.write_text(CONFIGURATION.format(limits=given, folder=folder))
        # There may be no systemd to carry out the checks of health: `serving` does.
        own = {"CONTAINERS_CONF": str(configuration), "DISABLE_HC_SYSTEMD": "true"}
        self.environment = os.environ | own

    def __call__(self, *words: str | Path, timeout: float = 1200, **options: Any) -> str:
        """What a command printed, also on standard error."""
        done = subprocess.run(
            [*self._command, *words],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=timeout,
            **options,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout

    def make_base(self, folder: Path) -> None:
        """A Debian of the release that the base image has, with its Python."""
        (release,) = re.findall(r"^ARG PYTHON=.+-(\w+)$", CONTAINERFILE, re.MULTILINE)
        packages = "python3,python3-venv,python3-pip,ca-certificates"
        made = subprocess.run(
            [program("debootstrap"), "--variant=minbase", f"--include={packages}", release, folder],
            capture_output=True,
            text=True,
            check=False,
            timeout=1200,
        )
        assert made.returncode == 0, made.stdout + made.stderr
        with running(["tar", "-C", folder, "-c", "."], stdout=subprocess.PIPE) as archive:
            self("import", "-", BASE, stdin=archive.stdout)
            assert archive.wait(60) == 0

    def build(self) -> str:
        """Build the image with the command of the guide; what was said."""
        (command,) = re.findall(r"^podman (build .+) \.$", GUIDE, re.MULTILINE)
        return self._build(command, ROOT)

    def build_stand_in(self, name: str, folder: Path) -> None:
        """Build what stands for an image that this machine can't get."""
        self._build(f"build --format docker --tag {name}", folder)

    def _build(self, command: str, folder: Path) -> str:
        # The steps see the network and the certificate authorities of this machine.
        here = ["--isolation=chroot", "--network=host", f"--volume={AUTHORITIES}:{AUTHORITIES}:ro"]
        return self(*shlex.split(command), *here, f"--build-arg=PYTHON={BASE}", ".", cwd=folder)

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Answer clients of Docker at the socket, and carry out the checks of health."""
        ended = Event()
        checks = Thread(target=self._check_health, args=(ended,), daemon=True)
        command = [*self._command, "system", "service", "--time=0", f"unix://{self.socket}"]
        with running(command, env=self.environment):
            checks.start()
            try:
                wait_until(self.socket.exists)
                yield
            finally:
                ended.set()
                checks.join(60)

    def _check_health(self, ended: Event) -> None:
        while not ended.wait(1):
            for name in self("ps", "--format={{.Names}}").split():
                command = [*self._command, "healthcheck", "run", name]
                # It fails for what has no check, and for what is not healthy yet.
                subprocess.run(command, env=self.environment, capture_output=True, check=False, timeout=1200)


@contextmanager
def an_engine() -> Iterator[Podman]:
    """Podman during the block. Its containers and images are then removed."""
    if os.geteuid():
        missing("only root can make the base image")
    with a_folder_for_servers() as folder:
        engine = Podman(folder)
        try:
            yield engine
        finally:
            engine("system", "reset", "--force")
