"""The image: Podman builds it from the `Containerfile`, and starts its processes as `compose.yaml` says."""

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from registry.core.deployment.version import version
from registry.devserver.embedded_postgres import PORT, ROLE
from tests.contracts.test_containers import COMPOSE, FINAL, UNWANTED, instructions, is_sent
from tests.support.podman import GUIDE, IMAGE, Podman, an_engine
from tests.support.replication import FAST, Server, a_folder_for_servers
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.exhaustive, pytest.mark.processes]
HOST = "registry.example.org"
PATIENCE = 180  # seconds, on a busy machine
PACKAGES = (
    "import importlib.metadata as m, json; print(json.dumps([each.name for each in m.distributions()]))"
)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Podman]:
    """Podman with the image."""
    with an_engine() as podman:
        podman.make_base(tmp_path_factory.mktemp("debian"))
        assert "will be ignored" not in podman.build()
        yield podman


@pytest.fixture(scope="module")
def folder(engine: Podman) -> Path:
    """The working directory of the image, as a folder of this machine."""
    return Path(engine("image", "mount", IMAGE).stdout.strip() + instructions(FINAL, "WORKDIR")[0])


def test_the_image_contains_what_the_guide_lists(folder: Path) -> None:
    inside = [path.relative_to(folder).as_posix() for path in folder.rglob("*")]
    assert not [each for each in inside if UNWANTED.match(each)]
    assert "static/staticfiles.json" in inside
    table = GUIDE.partition("## Contents of the image")[2].partition("\n## ")[0]
    described = re.findall(r"^\| `([^`]+?)/?` \|", table, re.MULTILINE)
    assert sorted(path.name for path in folder.iterdir()) == described
    assert {each for each in inside if each.startswith("registry/devserver/") and not is_sent(each)} == set()


def test_the_packages_are_those_of_the_guide_and_of_the_bill_of_materials(
    engine: Podman, folder: Path
) -> None:
    printed = engine.run("--rm", IMAGE, "python", "-c", PACKAGES).stdout
    installed = {normalised(each) for each in json.loads(printed)}
    listed = GUIDE.partition("<!-- packages -->")[2].partition("<!-- end")[0]
    assert installed == set(re.findall("[a-z0-9-]+", listed))
    materials = json.loads((folder / "sbom.cdx.json").read_text())
    assert materials["bomFormat"] == "CycloneDX"
    assert materials["metadata"]["component"]["version"] == version()
    assert {normalised(each["name"]) for each in materials["components"]} == installed
    assert all(each["version"] and each["purl"] for each in materials["components"])


@pytest.mark.parametrize(("command", "said"), [("version", version()), ("makemigrations --help", "usage")])
def test_commands_that_need_no_database_run(engine: Podman, command: str, said: str) -> None:
    assert said in engine.run("--rm", IMAGE, "python", "manage.py", *shlex.split(command)).stdout


@dataclass
class Services:
    """Services of `compose.yaml` as containers, with a database that they reach by a socket."""

    engine: Podman
    socket: Path

    def start(self, name: str, *options: str) -> None:
        """Start a service, or run it to its end without the option `--detach`."""
        service = COMPOSE["services"][name]
        variables = {
            "DATABASE_URL": f"postgres://{ROLE}@/{ROLE}?host=/socket&port={PORT}",
            "SECRET_KEY": "0123456789abcdefghijklmnopqrstuvwxyz-" * 2,
            "ALLOWED_HOSTS": HOST,
            "PUBLIC_ORIGIN": f"https://{HOST}",
            "TRUSTED_PROXY_COUNT": service["environment"]["TRUSTED_PROXY_COUNT"],
            "PROMETHEUS_MULTIPROC_DIR": service["environment"]["PROMETHEUS_MULTIPROC_DIR"],
        }
        assert service["read_only"]
        self.engine.run(
            f"--name={name}",
            "--read-only",
            f"--volume={self.socket}:/socket",
            *(f"--env={key}={value}" for key, value in variables.items()),
            *(f"--tmpfs={each}" for each in service["tmpfs"]),
            *(f"--cap-drop={each}" for each in service["cap_drop"]),
            *(f"--security-opt={each}" for each in service["security_opt"]),
            *options,
            IMAGE,
            *service.get("command", []),
        )

    def is_healthy(self, name: str) -> bool:
        """Whether the check of the image succeeds."""
        return self.engine("healthcheck", "run", name, check=False).returncode == 0

    def are_ready(self) -> bool:
        """Whether the web processes would get requests from a load balancer."""
        (check,) = instructions(FINAL, "HEALTHCHECK")
        asked = json.loads(check[check.index("[") :].replace("/health/live", "/health/ready"))
        return self.engine("exec", "web", *asked, check=False).returncode == 0


@pytest.fixture
def services(engine: Podman) -> Iterator[Services]:
    with a_folder_for_servers() as place:
        server, socket = Server(place), place / "socket"
        settings = {"unix_socket_directories": f".,{socket}", "unix_socket_permissions": "0777"}
        socket.mkdir()
        socket.chmod(0o777)
        with server.running(**FAST | settings):
            yield Services(engine, socket)
            engine("rm", "--all", "--force")


def test_the_services_run_without_rights_on_a_file_system_that_is_only_read(services: Services) -> None:
    engine = services.engine
    services.start("migrate")
    services.start("web", "--detach")
    services.start("worker", "--detach")
    assert engine("exec", "web", "id", "-u").stdout.split() == instructions(FINAL, "USER")
    assert "Read-only file system" in engine("exec", "web", "touch", "written", check=False).stderr
    assert "CapEff:\t0000000000000000" in engine("exec", "web", "cat", "/proc/1/status").stdout
    wait_until(lambda: services.is_healthy("web"), PATIENCE)
    assert not services.is_healthy("worker")
    wait_until(services.are_ready, PATIENCE)
    engine("stop", "--time=60", "web", "worker")
    state = engine("inspect", "--format={{.State.ExitCode}}", "web", "worker").stdout
    assert state.split() == ["0", "0"]


def normalised(name: str) -> str:
    """The name of a package as lock files have it."""
    return re.sub("[-_.]+", "-", name).lower()
