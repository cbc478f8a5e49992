"""The packages, installed in an empty folder and used without a network: their answers are those of the registry's API."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from registry.devserver.node_programs import of_node
from tests.publication.offline.conftest import SAMPLE, Built
from tests.support.missing import missing
from tests.support.signing_key import KEY

ROOT = Path(__file__).resolve().parents[3]
pytestmark = [pytest.mark.processes, pytest.mark.slow]

# A program in which each attempt to reach a network fails.
WITHOUT_NETWORK = """
import runpy, socket, sys

def refuse(*arguments, **options):
    raise SystemExit("There is no network.")

socket.socket.connect = socket.socket.connect_ex = socket.socket.sendto = socket.getaddrinfo = refuse
module, sys.argv = sys.argv[1], sys.argv[1:]
runpy.run_module(module, run_name="__main__", alter_sys=True)
"""
IN_NODE = """
import { AS_OF, HEAD, namespaces, profiles, proof, subnamespaces } from "urn-registry-data";

console.log(JSON.stringify({
  asOf: AS_OF,
  isSigned: HEAD.includes("\\n\\n\\u2014 "),
  kind: namespaces.isbn.kind,
  title: profiles.isbn.title,
  prefixes: subnamespaces.ietf.length,
  proof: proof("ISBN"),
  none: proof("constructor"),
}));
"""


def without_proxies() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}


@pytest.fixture(scope="module")
def installed(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel, and urnsyntax beside it."""
    folder = tmp_path_factory.mktemp("empty")
    install = [
        sys.executable,
        "-m",
        "uv",
        "pip",
        "install",
        "--quiet",
        "--offline",
        "--no-index",
        "--no-deps",
    ]
    done = subprocess.run(
        [*install, "--target", folder, built.wheel],
        cwd=folder,
        env=without_proxies(),
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    shutil.copytree(ROOT / "urnsyntax", folder / "urnsyntax", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "clients" / "python" / "urnregistry", folder / "urnregistry")
    return folder


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT_NETWORK, *arguments],
        cwd=folder,
        env=without_proxies() | {"PYTHONPATH": str(folder), "PYTHONSAFEPATH": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


def lookup(folder: Path, *urns: str) -> dict[str, dict[str, Any]]:
    done = run(folder, "urnsyntax", "lookup", "--json", *urns)
    assert done.returncode in (0, 1), done.stderr
    answers = map(json.loads, done.stdout.splitlines())
    return {each["text"]: each for each in answers}


def as_in_the_api(answer: dict[str, Any]) -> dict[str, Any]:
    """The members that the API has too, in its form, in which empty texts are null."""
    services = ("kind", "title", "address", "host", "host_confirmed")
    return {
        "registered": answer["registered"],
        "conformant": answer["conformant"],
        "reason": answer["reason"] or None,
        "canonical": answer["canonical"],
        "equivalents": list(answer["equivalents"]) if "equivalents" in answer else [],
        "prefixes": [each["prefix"] for each in answer.get("subnamespaces", [])],
        "services": [{name: each[name] for name in services} for each in answer["services"]],
    }


def of_api(said: dict[str, Any]) -> dict[str, Any]:
    judgement = said["judgement"] or {"conformant": None, "reason": None, "canonical": None}
    return as_in_the_api(
        {**judgement, "registered": said["namespace"]["is_registered"], "services": said["services"]}
    )


def test_the_answers_are_those_of_the_registry(built: Built, installed: Path) -> None:
    answers = lookup(installed, *SAMPLE)
    assert answers.keys() == built.of_api.keys() == set(SAMPLE)
    for urn, said in built.of_api.items():
        assert as_in_the_api(answers[urn]) == of_api(said), urn
    verdicts = {each["conformant"] for each in answers.values()}
    assert verdicts == {True, False, None}
    assert sum(bool(each["services"]) for each in answers.values()) > 5


def test_each_answer_says_who_and_as_of_when(built: Built, installed: Path) -> None:
    for answer in lookup(installed, *SAMPLE).values():
        assert (answer["as_of"], answer["event"]) == (built.said["as_of"], built.said["event"])
        if not answer["registered"]:
            continue
        of_registry, offline = built.namespaces[answer["nid"]], answer["namespace"]
        for name in ("kind", "registered_on", "updated_on", "registrant"):
            assert offline[name] == of_registry[name], (answer["nid"], name)
        controller = of_registry["change_controller"]
        assert offline["change_controller"] == (controller and controller["name"])


def test_the_answer_as_text(built: Built, installed: Path) -> None:
    done = run(installed, "urnsyntax", "lookup", "urn:isbn:0451450523", "urn:altinn:resource:1")
    lines = done.stdout.splitlines()
    assert done.returncode == 1
    assert lines[:3] == [
        "registered: urn:isbn:0451450523",
        "  namespace    isbn, formal",
        "  organisation International ISBN Agency",
    ]
    assert "  conforms     yes" in lines
    assert "  equivalent   urn:isbn:978-0-451-45052-4" in lines
    assert any(
        each.startswith("  resolves at  https://openlibrary.org/isbn/9780451450524 (I2C:") for each in lines
    )
    assert "not registered: urn:altinn:resource:1" in lines
    assert "  in use       by Altinn, without a registration (Public source code)" in lines
    assert sum(each.startswith(f"  as of        {built.said['as_of']}, event ") for each in lines) == 2


def test_other_commands_use_it(built: Built, installed: Path) -> None:
    done = run(installed, "urnsyntax", "check", "--offline", "urn:isbn:0451450524")
    assert done.returncode == 1
    assert "The check digit is wrong; it would be 3." in done.stderr
    assert f"as of        {built.said['as_of']}" in done.stdout
    done = run(
        installed, "urnsyntax", "compare", "--json", "urn:isbn:0451450523", "urn:isbn:978-0-451-45052-4"
    )
    compared = json.loads(done.stdout)
    assert (compared["equivalent"], compared["by"]) == (True, "profile")
    assert compared["as_of"] == built.said["as_of"]


def test_a_proof_in_the_package_is_accepted(installed: Path) -> None:
    write = "import urn_registry_data as data; open('proof', 'w').write(data.proof({!r}))"
    for nid, said in (("isbn", "import of “isbn”"), ("Example-Trees", "assign of “example-trees”")):
        subprocess.run(
            [sys.executable, "-c", write.format(nid)],
            cwd=installed,
            env=without_proxies(),
            check=True,
            timeout=240,
        )
        done = run(installed, "urnregistry", "proof", "proof", "--key", str(KEY.verifier))
        assert done.returncode == 0, done.stderr
        assert said in done.stdout
        text = (installed / "proof").read_text("utf-8")
        (installed / "proof").write_text(text.replace("index ", "index 1"), "utf-8")
        assert run(installed, "urnregistry", "proof", "proof", "--key", str(KEY.verifier)).returncode == 1


def test_a_part_that_is_not_there_is_named(installed: Path) -> None:
    read = "import urn_registry_data as data; print(data.proof('no-such')); data.read('nothing')"
    done = subprocess.run(
        [sys.executable, "-c", read], cwd=installed, capture_output=True, text=True, check=False, timeout=240
    )
    assert done.stdout == "None\n"
    assert "There is no part “nothing”. The parts are about, namespaces" in done.stderr


def test_the_npm_archive_works_without_a_network(built: Built, installed: Path, tmp_path: Path) -> None:
    npm, node = of_node("npm"), of_node("node")
    if not shutil.which(node[0]):
        missing("Node.js is not installed")
    (tmp_path / "package.json").write_text("{}")
    (tmp_path / "use.mjs").write_text(IN_NODE, "utf-8")
    environment = without_proxies() | {"npm_config_cache": str(tmp_path / "cache")}
    for command in (
        [*npm, "install", "--offline", "--no-audit", "--no-fund", str(built.npm_archive)],
        [*node, "use.mjs"],
    ):
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=240
        )
        assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert (said["asOf"], said["isSigned"], said["kind"]) == (built.said["as_of"], True, "formal")
    assert (said["title"], said["none"]) == ("International Standard Book Number", None)
    assert said["prefixes"] > 900
    in_python = "import urn_registry_data as data; print(data.proof('isbn'), end='')"
    done = subprocess.run(
        [sys.executable, "-c", in_python],
        cwd=installed,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.stdout == said["proof"]
