"""`manage.py template`: what it prints, and how it ends."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from registry.devserver.demonstration import FIXTURES

SOUND = """\
Namespace Identifier:  wxn
Version:  1
Date:  2026-01-31
Registrant:

   Organization:  Example Society
   Address:
      1 Example Street
   Contact person:  An Expert
   E-mail:  expert@example.org

Purpose:
Names of stations. Archives and forecasts of the example network cite them.
Syntax:  Five digits, such as urn:wxn:00417. No meaning is defined for r-, q- and f-components.
Assignment:  Closed: the society keeps one register, and a number is never reassigned.
Security and Privacy:  Stations are public.
Interoperability:  None known.
Resolution:  Not intended.
Documentation:  Example Society, Names of stations, edition 3.
"""


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    path = tmp_path / "sound.txt"
    path.write_text(SOUND, encoding="utf-8")
    return path


def _run(*arguments: Any) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command("template", *map(str, arguments), stdout=out, stderr=err)
    except SystemExit as end:
        return int(end.code or 0), out.getvalue(), err.getvalue()
    except CommandError as error:
        return error.returncode, out.getvalue(), str(error)
    return 0, out.getvalue(), err.getvalue()


def _type(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


def test_a_sound_template_ends_with_0(sound: Path) -> None:
    code, out, _ = _run("check", sound)
    assert code == 0
    assert "wxn, version 1, 2026-01-31" in out
    assert "No findings." in out


def test_a_version_2_without_revision_information_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "version-2.txt"
    path.write_text(SOUND.replace("Version:  1", "Version:  2"), encoding="utf-8")
    code, out, _ = _run("check", "--json", path)
    assert code == 1
    report = json.loads(out)
    assert (report["nid"], report["version"], report["is_revision"]) == ("wxn", 2, True)
    assert [
        (each["section"], each["code"]) for each in report["findings"] if each["severity"] == "blocking"
    ] == [("revision_information", "missing")]


def test_a_folder_gives_one_line_a_file() -> None:
    folder = FIXTURES / "cases"
    code, out, _ = _run("check", "--json", folder)
    reports = [json.loads(line) for line in out.splitlines()]
    assert code == 1
    assert [report["file"] for report in reports] == [str(path) for path in sorted(folder.rglob("*.txt"))]
    assert not [report for report in reports if "error" in report]


@pytest.mark.parametrize("arguments", [[], ["-"]])
def test_standard_input_is_read(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    _type(monkeypatch, SOUND.encode())
    code, out, _ = _run("check", "--json", *arguments)
    assert code == 0
    assert json.loads(out)["file"] == "-"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_files_of_windows_are_read(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "windows.txt"
    path.write_bytes(SOUND.replace("\n", "\r\n").encode(encoding))
    code, out, _ = _run("check", path)
    assert code == 0
    assert "wxn, version 1, 2026-01-31" in out


def test_circumstances_can_be_given(sound: Path) -> None:
    code, out, _ = _run("check", "--json", "--kind", "informal", "--revision", "--fast-track", sound)
    report = json.loads(out)
    assert code == 1
    assert (report["kind"], report["is_revision"], report["fast_track"]) == ("informal", True, True)


@pytest.mark.parametrize(
    ("content", "code", "words"),
    [
        (b"", "NoHeadings", "No section"),
        (b"\x89PNG\r\n\x1a\n\x00\x00" * 1_000_000, "NotPlainText", "binary"),
        (b"Namespace Identifier: wxn\n\xff\n", "NotPlainText", "Line 2"),
        (b"Namespace Identifier: wxn\n\x1b\n", "NotPlainText", "U+001B"),
        (b"x" * 10_000_000, "InputTooLong", "characters"),
        ("ä".encode() * 5_000_000, "InputTooLong", "characters"),
        (b"Purpose:\n" * 10_000, "TooManyHeadings", "are section headings"),
        (b"Namespace Identifier: wxn\n" + b"Purpose:\n" * 10_000, "TooManyHeadings", "are section headings"),
        (SOUND.encode() * 2, "MultipleTemplates", "lines 1, 20"),
    ],
    ids=[
        "empty",
        "png",
        "latin-1",
        "NUL",
        "10-MB",
        "10-MB-of-UTF-8",
        "headings",
        "headings-of-a-template",
        "two",
    ],
)
def test_bad_input_gets_a_clear_answer(
    content: bytes, code: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _type(monkeypatch, content)
    status, out, _ = _run("check", "--json")
    error = json.loads(out)["error"]
    assert status == 1
    assert error["code"] == code
    assert words in error["message"]


def test_one_bad_file_does_not_stop_the_others(sound: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_text("Nothing of it.\n", encoding="utf-8")
    code, out, _ = _run("check", bad, sound)
    assert code == 1
    assert f"{bad}: No section" in out
    assert "wxn, version 1" in out


def test_format_writes_the_canonical_form_which_stays_as_it_is(sound: Path, tmp_path: Path) -> None:
    code, first, _ = _run("format", sound)
    assert code == 0
    assert first.startswith("Namespace Identifier:  wxn\n\nVersion:  1\n\nDate:  2026-01-31\n\nRegistrant:\n")
    again = tmp_path / "again.txt"
    again.write_text(first, encoding="utf-8")
    assert _run("format", again) == (0, first, "")


def test_format_gives_json_on_request(sound: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_text("Nothing of it.\n", encoding="utf-8")
    code, out, _ = _run("format", "--json", sound, bad)
    good, failed = (json.loads(line) for line in out.splitlines())
    assert code == 1
    assert good["template"]["purpose"].startswith("Names of stations.")
    assert failed["error"]["code"] == "NoHeadings"


def test_diff_ends_with_0_when_nothing_differs_and_with_1_otherwise(sound: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text(SOUND.replace("stations.", "weather stations.", 1), encoding="utf-8")
    assert _run("diff", sound, sound) == (0, "", "")
    code, out, _ = _run("diff", sound, other)
    assert code == 1
    assert "+ Names of {+weather +}stations." in out
    code, out, _ = _run("diff", "--json", sound, other)
    assert [section["key"] for section in json.loads(out)["sections"]] == ["purpose"]


@pytest.mark.parametrize(
    ("error", "code"),
    [(BrokenPipeError(), 141), (OSError(28, "No space left"), 2)],
)
def test_output_that_cannot_be_written_is_no_traceback(
    sound: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int
) -> None:
    class Broken(io.StringIO):
        def write(self, _text: str) -> int:
            raise error

    monkeypatch.setattr(
        "registry.registration_template.management.commands.template._discard_output", lambda: None
    )
    with pytest.raises((SystemExit, CommandError)) as end:
        call_command("template", "check", str(sound), stdout=Broken())
    assert code == (end.value.code if isinstance(end.value, SystemExit) else end.value.returncode)


def test_a_template_without_its_first_heading_is_no_traceback(sound: Path) -> None:
    sound.write_text(SOUND.partition("\n")[2], encoding="utf-8")
    code, out, _ = _run("check", "--json", sound)
    found = json.loads(out)["findings"]
    assert code == 1
    assert [(each["section"], each["code"]) for each in found] == [("namespace_identifier", "missing")]


def test_misuse_ends_with_2(sound: Path, tmp_path: Path) -> None:
    assert _run("check", tmp_path / "no-such-file.txt")[0] == 2
    assert _run("diff", "-", "-")[0] == 2
    assert _run("format", sound, sound)[0] == 2
    empty = tmp_path / "empty"
    empty.mkdir()
    assert _run("check", empty)[0] == 2


def test_help_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["--help"], ["check", "--help"]):
        with pytest.raises(SystemExit) as end:
            call_command("template", *arguments)
        assert end.value.code == 0
        shown = capsys.readouterr().out
        assert "manage.py template check example.txt" in shown
        assert "exit status:" in shown


def test_what_was_undone_is_listed_and_can_be_kept(tmp_path: Path) -> None:
    path = tmp_path / "damaged.txt"
    path.write_text(f"{SOUND}\n-- \nAn Expert\n", encoding="utf-8")
    code, out, _ = _run("check", path)
    assert code == 0
    assert "undone: A signature or a closing was removed (RFC 3676, Section 4.3). Lines 21, 22: “--”." in out
    assert "[--keep signature]" in out
    assert "An Expert" not in json.loads(_run("format", "--json", path)[1])["template"]["documentation"]
    assert "A signature or a closing was removed" in _run("format", path)[2]
    kept = json.loads(_run("format", "--json", "--keep", "signature", path)[1])
    assert kept["template"]["documentation"].endswith("\n\n--\nAn Expert")
    assert kept["changes"] == []
    _, out, _ = _run("check", "--json", "--keep", "signature", path)
    assert "signature" in {each["code"] for each in json.loads(out)["findings"]}
