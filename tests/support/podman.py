"""Podman, with images that are built here: its base image is a Debian from debootstrap, and it asks no registry of images."""

import os
import re
import resource
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings

from tests.support.missing import missing, program
from tests.support.replication import a_folder_for_servers

ROOT = Path(settings.BASE_DIR)
CONTAINERFILE = (ROOT / "Containerfile").read_text("utf-8")
GUIDE = (ROOT / "docs" / "deployment" / "containers.md").read_text("utf-8")
IMAGE = "urn-registry"
BASE = "localhost/base"
AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt"


class Podman:
    """An engine with storage of its own, in a folder with a short path. Needs root."""

    def __init__(self, folder: Path) -> None:
        self._command: list[str | Path] = [
            program("podman"),
            "--root",
            folder / "storage",
            "--runroot",
            folder / "run",
        ]
        # crun, the other one, refuses some systems that have both versions of cgroups.
        self._command += ["--runtime", program("runc"), "--cgroup-manager=cgroupfs", "--events-backend=none"]

    def __call__(
        self, *words: str | Path, check: bool = True, **options: Any
    ) -> subprocess.CompletedProcess[str]:
        # There may be no systemd, which would start the checks of health: `healthcheck run` does.
        environment = os.environ | {"DISABLE_HC_SYSTEMD": "true"}
        done = subprocess.run(
            [*self._command, *words], env=environment, capture_output=True, text=True, check=False, **options
        )
        assert done.returncode == 0 or not check, done.stdout + done.stderr
        return done

    def run(self, *words: str | Path, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a new container without a network. The limits of this process are the highest that it may give."""
        names = {"nofile": resource.RLIMIT_NOFILE, "nproc": resource.RLIMIT_NPROC}
        limits = {name: min(resource.getrlimit(number)[0], 4096) for name, number in names.items()}
        given = [f"--ulimit={name}={limit}:{limit}" for name, limit in limits.items()]
        return self("run", "--network=none", *given, *words, check=check)

    def make_base(self, folder: Path) -> None:
        """A Debian of the release that the base image has, with its Python."""
        (release,) = re.findall(r"^ARG PYTHON=.+-(\w+)$", CONTAINERFILE, re.MULTILINE)
        packages = "python3,python3-venv,python3-pip,ca-certificates"
        made = subprocess.run(
            [program("debootstrap"), "--variant=minbase", f"--include={packages}", release, folder],
            capture_output=True,
            text=True,
            check=False,
        )
        assert made.returncode == 0, made.stdout + made.stderr
        with subprocess.Popen(["tar", "-C", folder, "-c", "."], stdout=subprocess.PIPE) as archive:
            self("import", "-", BASE, stdin=archive.stdout)

    def build(self) -> str:
        """Build the image with the command of the guide; what was said. Its packages come from the package index."""
        (command,) = re.findall(r"^podman (build .+) \.$", GUIDE, re.MULTILINE)
        # The steps see the network and the certificate authorities of this machine.
        here = ["--isolation=chroot", "--network=host", f"--volume={AUTHORITIES}:{AUTHORITIES}:ro"]
        return self(*shlex.split(command), *here, f"--build-arg=PYTHON={BASE}", ".", cwd=ROOT).stderr


@contextmanager
def an_engine() -> Iterator[Podman]:
    """Podman during the block. Its containers and images are then removed."""
    if os.geteuid():
        missing("Only root can make the base image.")
    with a_folder_for_servers() as folder:
        engine = Podman(folder)
        try:
            yield engine
        finally:
            engine("system", "reset", "--force", check=False)
