"""The TypeScript client is built from the OpenAPI document, and tested against a running registry."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from registry.devserver import node_programs
from registry.devserver.node_programs import FOLDER, OPENAPI_FILE, of_node
from tests.clients.proof_vectors import as_json
from tests.support.missing import missing

PACKAGE = Path(__file__).resolve().parents[2] / "clients" / "typescript"
BUILT = FOLDER / "typescript"
PRINTED = """International Standard Book Number
false
true
null
isbn
404 namespace-unknown free
"""

# In one worker, because all tests use one folder.
pytestmark = [pytest.mark.processes, pytest.mark.slow, pytest.mark.xdist_group("typescript")]


def run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    programs = f"{Path(sys.prefix) / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": programs, **environment}
    return subprocess.run(
        command, cwd=BUILT, env=environment, capture_output=True, text=True, check=False, timeout=1200
    )


def check(*command: str, **environment: str) -> str:
    done = run(*command, **environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built() -> None:
    """The package in a folder of its own, with its dependencies, compiled."""
    try:
        node_programs.install(PACKAGE, BUILT)
    except subprocess.CalledProcessError as fault:
        missing(f"the packages of npm are missing: {fault.output.decode(errors='replace')}")
    for name in ("src", "test", "dist"):
        shutil.rmtree(BUILT / name, ignore_errors=True)
    shutil.copytree(PACKAGE, BUILT, dirs_exist_ok=True, ignore=shutil.ignore_patterns("node_modules", "dist"))
    check(*of_node("npm"), "run", "build", OPENAPI=str(OPENAPI_FILE))


@pytest.fixture
def readme() -> str:
    """The code in the README, as a program."""
    [code] = re.findall(r"```ts\n(.*?)```", (PACKAGE / "README.md").read_text("utf-8"), flags=re.DOTALL)
    (BUILT / "test" / "readme.ts").write_text(
        f"const url = process.env.URNREGISTRY_URL ?? '';\n{code}", "utf-8"
    )
    return "test/readme.ts"


@pytest.mark.exhaustive
def test_the_tests_of_the_package_pass(built: None, url: str, tmp_path: Path) -> None:
    cases = tmp_path / "proofs.json"
    cases.write_text(as_json(), "utf-8")
    output = check(*of_node("npm"), "test", URNREGISTRY_URL=url, PROOF_CASES=str(cases))
    assert int(re.findall(r"pass ([0-9]+)", output)[-1]) >= 30


def test_the_verifier_is_small() -> None:
    """An auditor reads it as a whole: lines of code, without empty ones and comments."""
    texts = [(PACKAGE / "src" / f"{name}.ts").read_text("utf-8") for name in ("notes", "proofs", "templates")]
    lines = [line for text in texts for line in text.splitlines() if line.strip()]
    assert sum(not line.lstrip().startswith(("//", "/*", "*")) for line in lines) <= 300


@pytest.mark.exhaustive
def test_the_readme_does_what_it_says(built: None, url: str, readme: str) -> None:
    assert check(*of_node("node"), readme, URNREGISTRY_URL=url) == PRINTED


@pytest.mark.exhaustive
def test_the_tests_and_the_readme_have_the_types_of_the_api(built: None, readme: str) -> None:
    compiler = [*of_node("node"), "node_modules/.bin/tsc", "--project", "tsconfig.test.json"]
    check(*compiler)
    program = BUILT / readme
    program.write_text(program.read_text("utf-8").replace("data?.title", "data?.titel"), "utf-8")
    wrong = run(*compiler)
    assert wrong.returncode != 0
    assert "'titel' does not exist" in wrong.stdout
