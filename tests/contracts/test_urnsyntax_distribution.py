"""`urnsyntax` can be installed alone: the wheel passes its tests and strict type checks in an empty environment."""

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "urnsyntax"
# In the versions of the lock file.
TEST_PACKAGES = ["hypothesis", "mypy", "pydantic", "pytest", "pytest-socket"]

pytestmark = [pytest.mark.slow, pytest.mark.processes]


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=1200)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def pip(python: Path, *arguments: str | Path, cwd: Path) -> None:
    run(sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", python, *arguments, cwd=cwd)


def interpreters(version: str) -> Iterator[str]:
    """The Pythons of a version on this machine that can make an environment, those of pyenv among them."""
    pyenv = Path.home() / ".pyenv" / "versions"
    for path in (shutil.which(f"python{version}"), *map(str, pyenv.glob(f"{version}.*/bin/python"))):
        if (
            path
            and not subprocess.run(
                [path, "-c", "import venv"], capture_output=True, check=False, timeout=1200
            ).returncode
        ):
            yield path


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "uv", "build", "--quiet", "--wheel", "--out-dir", folder, PACKAGE, cwd=folder)
    [built] = folder.glob("*.whl")
    return built


def an_environment(folder: Path, interpreter: str, *packages: str | Path) -> Path:
    run(interpreter, "-m", "venv", "--without-pip", folder / "env", cwd=folder)
    python = folder / "env" / "bin" / "python"
    pip(python, *packages, cwd=folder)
    return python


def test_as_part_of_the_registry_it_knows_the_rules_of_namespaces() -> None:
    said = run(
        *(sys.executable, "-m", "urnsyntax", "compare"),
        *("urn:isbn:0451450523", "urn:isbn:978-0-451-45052-4"),
        cwd=ROOT,
    )
    assert said.startswith("equivalent by the rules of “isbn”")


def test_the_wheel_alone_checks_urns(wheel: Path, tmp_path: Path) -> None:
    python = an_environment(tmp_path, sys.executable, wheel)
    done = subprocess.run(
        [python, "-m", "urnsyntax", "check", "urn:example:a?="],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,
    )
    assert done.returncode == 1
    assert "the q-component is empty" in done.stdout + done.stderr
    assert (
        run(tmp_path / "env" / "bin" / "urnsyntax", "check", "urn:example:a", cwd=tmp_path)
        == "good: urn:example:a\n"
    )


def beside_the_others(version: str, *marks: pytest.MarkDecorator) -> Any:
    return pytest.param(version, marks=[pytest.mark.xdist_group(f"urnsyntax in {version}"), *marks])


# Minutes for each version, which other workers may run at the same time.
@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "version",
    [
        # What passes in the oldest version and in the latest one is unlikely to fail between them.
        beside_the_others("3.11"),
        beside_the_others("3.12", pytest.mark.soak),
        beside_the_others("3.13", pytest.mark.soak),
        beside_the_others("3.14"),
    ],
)
def test_the_tests_and_type_checks_pass_in_an_empty_environment(
    version: str, wheel: Path, tmp_path: Path
) -> None:
    interpreter = next(interpreters(version), None)
    if interpreter is None:
        pytest.skip(f"Python {version} is not installed here")
    pinned = ["--constraint", ROOT / "requirements-test.txt", "--constraint", ROOT / "requirements.txt"]
    python = an_environment(
        tmp_path, interpreter, *pinned, f"urnsyntax[profiles] @ {wheel.as_uri()}", *TEST_PACKAGES
    )
    # The tests read vectors, profiles and documents of the project.
    checkout = tmp_path / "checkout"
    for folder in ("tests/urnsyntax", "tests/data", "fixtures/profiles", "fixtures/subnamespaces", "docs"):
        shutil.copytree(ROOT / folder, checkout / folder)
    (checkout / "tests" / "__init__.py").touch()
    sampled = ["-m", "not (exhaustive or soak)", "-p", "no:cacheprovider"]
    # In the version of this run, all tests run beside it: here, those of the commands and of what is imported are enough.
    is_own = version == "{}.{}".format(*sys.version_info)
    tests = ["tests/urnsyntax/cli", "tests/urnsyntax/test_imports.py"] if is_own else ["tests"]
    output = run(
        python,
        "-m",
        "pytest",
        "-q",
        "-c",
        "/dev/null",
        "--rootdir",
        checkout,
        *sampled,
        *tests,
        cwd=checkout,
    )
    passed = re.search("([0-9]+) passed", output)
    assert passed
    assert int(passed[1]) > (50 if is_own else 1_000)
    run(python, "-m", "mypy", "--config-file", PACKAGE / "pyproject.toml", "-p", "urnsyntax", cwd=checkout)


def test_the_project_uses_versions_that_the_package_allows() -> None:
    """The project takes the package from the checkout, and pins what its profiles need."""
    package = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert "dependencies" not in package
    assert package["requires-python"] == project["requires-python"]
    allowed = dict(each.split(">=") for each in package["optional-dependencies"]["profiles"])
    pinned = dict(each.split("==") for each in project["dependencies"] if each.split("==")[0] in allowed)
    assert allowed == pinned
