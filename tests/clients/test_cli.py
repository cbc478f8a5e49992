"""The command `urnregistry` against a running registry."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from urnregistry import cli
from urnregistry.cli import EXAMPLES

ROOT = Path(__file__).resolve().parents[2]
NOWHERE = "http://127.0.0.1:9"

pytestmark = pytest.mark.processes


@pytest.fixture
def run(url: str, tmp_path: Path) -> "Run":
    return Run(url, tmp_path)


class Run:
    def __init__(self, url: str, folder: Path) -> None:
        python = {"PYTHONPATH": str(ROOT / "clients" / "python")}
        self.environment = {**os.environ, **python, "URNREGISTRY_URL": url}
        self.folder = folder

    def __call__(self, *arguments: str, lines: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "urnregistry", *arguments],
            env=self.environment, cwd=self.folder, input=lines, capture_output=True, text=True, check=False, timeout=240,
        )  # fmt: skip


@pytest.mark.exhaustive
def test_lookup(run: Run) -> None:
    found = run("lookup", "ISBN", "example-forest")
    assert found.returncode == 1
    assert found.stdout.startswith("isbn: International Standard Book Number (formal, active)\n")
    assert "“example-forest” is free" in found.stderr
    kept = run("lookup", "--cache", "cache", "--json", "isbn")
    assert (kept.returncode, json.loads(kept.stdout)["source"]) == (0, "registry")
    (run.folder / "file").touch()
    assert run("lookup", "--cache", "file", "isbn").returncode == 2
    away = run("lookup", "--cache", "cache", "--url", NOWHERE, "isbn")
    assert (away.returncode, away.stdout) == (3, "")
    offline = run("lookup", "--cache", "cache", "--offline", "--json", "isbn")
    assert (offline.returncode, json.loads(offline.stdout)["source"]) == (0, "cache")
    assert "may be out of date" in offline.stderr


@pytest.mark.exhaustive
def test_check(run: Run) -> None:
    urns = ["urn:isbn:hello", "urn:isbn:0451450523", "urn:neverheard:x"]
    found = run("check", *urns)
    assert found.returncode == 1
    assert [line.partition(":")[0] for line in found.stdout.splitlines()] == ["bad", "good", "unknown"]
    unknown = run("check", "urn:neverheard:x")  # which no known rule forbids
    assert (unknown.returncode, unknown.stdout.partition(":")[0]) == (0, "unknown")
    lines = run("check", "--json", "--level", "syntax", lines="".join(f"{urn}\n" for urn in urns))
    assert lines.returncode == 0
    assert [json.loads(line)["urn"] for line in lines.stdout.splitlines()] == urns


@pytest.mark.exhaustive
def test_resolve(run: Run) -> None:
    found = run("resolve", "urn:ietf:rfc:2648")
    assert (found.returncode, found.stdout) == (0, "https://www.rfc-editor.org/rfc/rfc2648\n")
    missing = run("resolve", "urn:neverheard:x")
    assert missing.returncode == 1
    assert "not registered" in missing.stdout


@pytest.mark.exhaustive
def test_sync_and_verify(run: Run) -> None:
    assert run("verify", "copy").returncode == 2
    assert not (run.folder / "copy").exists()
    made = run("sync", "copy", "--json")
    assert made.returncode == 0, made.stderr
    assert json.loads(made.stdout)["was_filled"] is True
    assert "0 new events" in run("sync", "copy").stdout
    verified = run("verify", "copy")
    assert verified.returncode == 0, verified.stderr
    assert run("verify", "copy", "--key", "nonsense").returncode == 2
    assert run("sync", "no-such-folder/copy").returncode == 2
    (run.folder / "text").write_text("Not a copy. " * 100)
    assert run("sync", "text").returncode == 2


def test_wrong_usage_and_help(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("URNREGISTRY_URL", raising=False)
    assert cli.main(["lookup", "--url", "nowhere", "isbn"]) == 2
    with pytest.raises(SystemExit, match="2"):
        cli.main(["lookup"])
    capsys.readouterr()
    with pytest.raises(SystemExit, match="2"):
        cli.main(["lookup", "isbn"])
    missing = capsys.readouterr().err
    assert "--url" in missing
    assert missing.startswith("usage: urnregistry lookup ")
    for command in ([each] if each else [] for each in EXAMPLES):
        with pytest.raises(SystemExit, match="0"):
            cli.main([*command, "--help"])
        text = capsys.readouterr().out
        assert f"  urnregistry {' '.join(command)}".rstrip() in text
        assert "exit codes:" in text
        is_local = command[:1] in (["proof"], ["witness"], ["witness-key"])
        assert ("--url" in text) == (not is_local)


def test_an_interruption_and_a_closed_output_have_exit_codes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: object) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(cli, "_run", interrupt)
        assert cli.main(["proof", "file", "--key", "key"]) == 130
    assert "130" in cli.EXIT_CODES
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "urnregistry", "witness-key", "key", "--name", "witness.example.org"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "clients" / "python")},
        cwd=tmp_path, stdout=writing, stderr=subprocess.PIPE, text=True, check=False, timeout=240,
    )  # fmt: skip
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")
    assert "141" in cli.EXIT_CODES


# Interrupts a process when it begins to load a module, as an audit hook sees it.
INTERRUPTING = """\
import os, signal, sys
def interrupt(event, arguments):
    if event == "import" and arguments[0] == os.environ["WHEN"]:
        os.kill(os.getpid(), signal.SIGINT)
sys.addaudithook(interrupt)
"""


@pytest.mark.parametrize("when", ["argparse", "urnregistry.client", "httpx", "urnregistry.witness_server"])
def test_ctrl_c_while_the_package_is_loaded_makes_no_traceback(when: str, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(INTERRUPTING)
    path = os.pathsep.join([str(tmp_path), str(ROOT / "clients" / "python")])
    done = subprocess.run(
        [sys.executable, "-m", "urnregistry", "--help"],
        env={**os.environ, "PYTHONPATH": path, "WHEN": when},
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def printed_by(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT / "clients" / "python")},
        capture_output=True, text=True, check=True, timeout=60,
    ).stdout  # fmt: skip


def test_nothing_is_loaded_before_ctrl_c_is_handled() -> None:
    code = "import sys; before = {*sys.modules}; import urnregistry.__main__; print(sorted({*sys.modules} - before))"
    assert printed_by(code) == "['urnregistry', 'urnregistry.__main__']\n"


def test_the_package_has_its_classes_and_modules_before_they_are_loaded() -> None:
    code = (
        "import urnregistry; print('Registry' in dir(urnregistry), urnregistry.errors.LogGap is urnregistry.LogGap)\n"
        "for name in ('Unknown', 'unknown', '__unknown__'):\n"
        "    try: getattr(urnregistry, name)\n"
        "    except AttributeError as fault: print(fault)"
    )
    unknown = [
        f"module 'urnregistry' has no attribute '{name}'" for name in ("Unknown", "unknown", "__unknown__")
    ]
    assert printed_by(code).splitlines() == ["True True", *unknown]


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    run = Run(NOWHERE, tmp_path)
    (run.folder / "octets").write_bytes(b"\xff")
    for name, reason in (
        ("missing", ": No such file or directory."),
        ("octets", " is not text in UTF-8: see octet 1."),
    ):
        done = run("proof", str(run.folder / name), "--key", "key")
        assert (done.returncode, done.stderr) == (2, f"urnregistry: “{run.folder / name}”{reason}\n")
