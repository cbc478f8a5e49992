"""The image, which Podman builds from the `Containerfile`, and the services of `compose.yaml`, which start by one command.

Debian's PostgreSQL and Caddy stand for the images of both, which are not in Debian.
"""

import http.client
import json
import re
import shlex
import ssl
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from registry.core.version import version
from tests.contracts.test_containers import COMPOSE, COMPOSE_TEXT, FINAL, UNWANTED, instructions, is_sent
from tests.support.missing import program
from tests.support.podman import GUIDE, Podman, an_engine
from tests.support.proxies import caddyfile
from tests.support.servers import a_free_port
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.exhaustive, pytest.mark.processes, pytest.mark.slow]
IMAGE = "urn-registry"
PATIENCE = 180  # seconds, on a busy machine
PACKAGES = (
    "import importlib.metadata as m, json; print(json.dumps([each.name for each in m.distributions()]))"
)
# The modules of a web process that have no bytecode.
NOT_COMPILED = """
import os, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "registry.settings"
import django, granian
django.setup()
import registry.urls
specs = [each.__spec__ for each in list(sys.modules.values()) if getattr(each, "__spec__", None)]
sources = [each for each in specs if (each.origin or "").endswith(".py")]
assert len(sources) > 1000
print([each.name for each in sources if not os.path.exists(each.cached)])
"""
STAND_INS = Path(__file__).parent / "stand_ins"
ROOT_CERTIFICATE = "/data/caddy/pki/authorities/local/root.crt"


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
    return Path(engine("image", "mount", IMAGE).strip() + instructions(FINAL, "WORKDIR")[0])


def test_the_image_contains_what_the_guide_lists(folder: Path) -> None:
    inside = [path.relative_to(folder).as_posix() for path in folder.rglob("*")]
    assert not [each for each in inside if UNWANTED.match(each)]
    assert "static/staticfiles.json" in inside
    table = GUIDE.partition("## Contents of the image")[2].partition("\n## ")[0]
    described = re.findall(r"^\| `([^`]+?)/?` \|", table, re.MULTILINE)
    assert sorted(path.name for path in folder.iterdir()) == described
    sources = {each for each in inside if "__pycache__" not in each}
    assert {each for each in sources if each.startswith("registry/devserver/") and not is_sent(each)} == set()


def test_nothing_is_compiled_at_a_start(engine: Podman) -> None:
    settings = dict.fromkeys(("SECRET_KEY", "ALLOWED_HOSTS"), "trial")
    settings |= {"DATABASE_URL": "postgres://trial@/trial", "PUBLIC_ORIGIN": "http://trial"}
    options = [f"--env={name}={value}" for name, value in settings.items()]
    words = ["python", "-c", NOT_COMPILED]
    assert engine("run", "--rm", "--network=none", *options, IMAGE, *words) == "[]\n"


def test_the_packages_are_those_of_the_guide_and_of_the_bill_of_materials(
    engine: Podman, folder: Path
) -> None:
    printed = engine("run", "--rm", "--network=none", IMAGE, "python", "-c", PACKAGES)
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
    words = ["python", "manage.py", *shlex.split(command)]
    assert said in engine("run", "--rm", "--network=none", IMAGE, *words)


@dataclass
class Compose:
    """The services of `compose.yaml` in a folder with the file `.env` of the guide."""

    engine: Podman
    folder: Path
    port: int

    def __call__(self, *words: str) -> str:
        done = subprocess.run(
            [program("docker-compose"), "--project-name=urns", *words],
            cwd=self.folder,
            env=self.engine.environment | {"DOCKER_HOST": f"unix://{self.engine.socket}"},
            capture_output=True,
            text=True,
            check=False,
            timeout=1200,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def start(self) -> None:
        """Carry out the command of the guide, and wait until the registry is ready."""
        self("up", "--detach", "--no-build")
        wait_until(lambda: self._state("web", "Health.Status") == "healthy", PATIENCE)
        wait_until(lambda: self.health() == "ready", PATIENCE)

    def in_web(self, command: str) -> str:
        return self("exec", "-T", "web", *shlex.split(command))

    def status(self, name: str) -> str:
        """The status with which the process of a service ended."""
        return self._state(name, "ExitCode")

    def _state(self, name: str, member: str) -> str:
        container = self("ps", "--quiet", "--all", name).strip()
        return self.engine("inspect", f"--format={{{{.State.{member}}}}}", container).strip()

    def health(self) -> str:
        """The state that a client reads through the proxy, whose certificate is of its own authority."""
        authority = self("exec", "-T", "proxy", "cat", ROOT_CERTIFICATE)
        context = ssl.create_default_context(cadata=authority)
        client = http.client.HTTPSConnection("localhost", self.port, timeout=30, context=context)
        try:
            client.request("GET", "/health/ready")
            return str(json.loads(client.getresponse().read())["state"])
        finally:
            client.close()


@pytest.fixture
def compose(engine: Podman, tmp_path: Path) -> Iterator[Compose]:
    for name in ("database", "proxy"):
        image = COMPOSE["services"][name]["image"]
        engine.build_stand_in(image, STAND_INS / name)
    (file,) = re.findall(r"```\n(HOST=.+?)```", GUIDE, re.DOTALL)
    file = file.replace("registry.example.org", "localhost").replace("at-least", "at-least-" * 3)
    (tmp_path / ".env").write_text(file + "COMPOSE_PROFILES=snapshot\n")
    plain, secure = a_free_port(), a_free_port()
    text = COMPOSE_TEXT.replace('"80:80", "443:443"', f'"127.0.0.1:{plain}:80", "127.0.0.1:{secure}:443"')
    assert text != COMPOSE_TEXT
    (tmp_path / "compose.yaml").write_text(text)
    version = engine(
        "run", "--rm", "--network=none", COMPOSE["services"]["proxy"]["image"], "caddy", "version"
    )
    (tmp_path / "Caddyfile").write_text(caddyfile(version))
    with engine.serving():
        services = Compose(engine, tmp_path, secure)
        try:
            yield services
        finally:
            print(services("logs", "--no-color"))
            services("down", "--volumes")


def test_one_command_starts_the_services(compose: Compose) -> None:
    compose.start()
    assert compose.in_web("python manage.py doctor") == "Nothing is wrong with this deployment.\n"
    # Without rights, on a file system that is only read.
    assert compose.in_web("id -u").split() == instructions(FINAL, "USER")
    assert "CapEff:\t0000000000000000" in compose.in_web("cat /proc/1/status")
    assert "Read-only file system" in compose.in_web("sh -c 'touch written 2>&1 || true'")
    wait_until(lambda: ".dump" in compose("exec", "-T", "backup", "ls", "/backup"), PATIENCE)
    wait_until(lambda: "current" in compose("exec", "-T", "publish", "ls", "/public"), PATIENCE)
    assert "Verifier key: localhost/audit-log" in compose("logs", "--no-color", "key")
    compose("stop")
    statuses = {name: compose.status(name) for name in ("web", "worker", "migrate", "key")}
    assert statuses == dict.fromkeys(statuses, "0")


def normalised(name: str) -> str:
    """The name of a package as lock files have it."""
    return re.sub("[-_.]+", "-", name).lower()
