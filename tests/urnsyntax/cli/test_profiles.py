"""``check --profiles`` and ``profiles``: texts, lines, JSON, exit codes, and what is wrong with a directory."""

import io
import json
import shutil
import sys

import pytest

from tests.urnsyntax.cli.test_command_line import run
from tests.urnsyntax.profiles.samples import FIXTURES

OF_FIXTURES = ("--profiles", str(FIXTURES))


def test_a_name_is_judged_by_its_namespace(capsys):
    code, out, err = run(capsys, "check", *OF_FIXTURES, "urn:isbn:9780451450523")
    assert (code, out) == (1, [])
    assert err.splitlines() == [
        "urn:isbn:9780451450523",
        " " * 21 + "^ The check digit is wrong; it would be 4.",
        "Did you mean urn:isbn:9780451450524?",
    ]


def test_a_right_name_is_shown_with_its_parts(capsys):
    code, out, _ = run(capsys, "check", *OF_FIXTURES, "urn:ISBN:978-0-451-45052-4")
    assert code == 0
    assert out[:3] == ["good: urn:ISBN:978-0-451-45052-4", "  names        a book", "  GS1 element  978"]
    assert "  canonical    urn:isbn:9780451450524" in out


def test_a_text_that_is_no_urn_gets_a_suggestion(capsys):
    code, _, err = run(capsys, "check", *OF_FIXTURES, "ISBN 0-451-45052-3")
    assert code == 1
    assert "is not a URN" in err
    assert err.splitlines()[-1] == "Did you mean urn:isbn:0-451-45052-3?"


def test_a_namespace_without_profile_or_grammar_is_not_judged(capsys):
    code, out, _ = run(capsys, "check", *OF_FIXTURES, "urn:nothing:1", "urn:example:1")
    assert code == 0
    assert "  profile      none for the namespace nothing" in out
    assert any(line.startswith("  not judged   The registration allows every") for line in out)


def test_the_judgement_is_printed_as_json(capsys):
    code, lines, _ = run(
        capsys, "check", "--json", *OF_FIXTURES, "urn:oid:1..3", "urn:oid:1.3", "urn:x-y:1", "oid:1.3"
    )
    wrong, right, other, no_urn = map(json.loads, lines)
    assert code == 1
    assert (wrong["valid"], wrong["conformant"], wrong["position"], wrong["rule"]) == (
        True,
        False,
        10,
        "number",
    )
    assert (wrong["expected"], wrong["repair"]) == ("a digit", "urn:oid:1.3")
    assert (right["conformant"], right["reason"], right["canonical"]) == (True, "", "urn:oid:1.3")
    assert [part["text"] for part in right["parts"]] == ["1", "3"]
    assert other["conformant"] is None
    assert (no_urn["valid"], no_urn["suggestions"]) == (False, ["urn:oid:1.3"])


def test_the_lines_of_a_file_are_judged(capsys, tmp_path):
    file = tmp_path / "urns.txt"
    file.write_bytes(
        b"urn:oid:1.3\r\nurn:oid:1..3\nurn:example:\n\xff\nurn:lei:7LTWFZYICNSX8D621K87\nurn:x-y:1"
    )
    code, out, _ = run(capsys, "check", *OF_FIXTURES, str(file))
    assert code == 1
    assert out == [
        f"{file}:2: position 10: The number is missing before “.”.",
        f"{file}:3: position 12: the NSS is empty; it needs at least one character (RFC 8141, Section 2.2, NSS)",
        f'{file}:4: position 0: the text must start with "urn:" (RFC 8141, Section 2, assigned-name)',
        f"{file}:5: position 26: The check digits are wrong; they would be 86.",
        f"{file}: 2 good, 4 bad",
    ]
    code, out, _ = run(capsys, "check", "--json", *OF_FIXTURES, str(file))
    found = [json.loads(line) for line in out]
    assert code == 1
    assert [each["line"] for each in found[:-1]] == [2, 3, 4, 5]
    assert found[3]["repair"] == "urn:lei:7LTWFZYICNSX8D621K86"
    assert found[-1] == {"source": str(file), "lines": 6, "good": 2, "bad": 4}


class Program(io.RawIOBase):
    """A program that writes to a pipe, and notes what it was answered before each time that it writes."""

    def __init__(self, capsys, *written):
        self.capsys, self.left, self.answers = capsys, list(written), []

    def readable(self):
        return True

    def readinto(self, buffer):
        self.answers.append(self.capsys.readouterr().out)
        written = self.left.pop(0) if self.left else b""
        buffer[: len(written)] = written
        return len(written)


def test_the_lines_of_a_pipe_are_judged_as_they_come(capsys, monkeypatch):
    program = Program(capsys, b"urn:oid:1..3\nurn:o", b"id:1", b"..3\r\n\n", b"urn:oid:1.3")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(program)))
    code, out, _ = run(capsys, "check", *OF_FIXTURES, "-")
    wrong = "position 10: The number is missing before “.”.\n"
    assert program.answers[:3] == ["", f"-:1: {wrong}", ""]
    assert program.answers[3] == f"-:2: {wrong}"
    assert (code, out) == (1, ["-: 1 good, 2 bad"])


def test_a_file_of_good_lines_succeeds(capsys, tmp_path):
    file = tmp_path / "urns.txt"
    file.write_text("urn:oid:1.3\nurn:issn:0028-0836\n")
    assert run(capsys, "check", *OF_FIXTURES, str(file)) == (0, [f"{file}: 2 good, 0 bad"], "")


def test_profiles_are_verified_and_listed(capsys):
    code, out, err = run(capsys, "profiles", str(FIXTURES))
    assert (code, err) == (0, "")
    assert out[0].split() == (
        ["nid", "title", "grammar", "checks", "equivalence", "examples", "services", "sources"]
    )
    [isbn] = [line for line in out if line.startswith("isbn ")]
    assert isbn.split()[-6:] == ["ABNF", "isbn", "isbn", "4+7", "4", "4"]
    assert out[-1].endswith("profiles, 0 with failures")


def test_failures_are_printed_and_fail_the_command(capsys, tmp_path):
    text = (FIXTURES / "oid.toml").read_text()
    (tmp_path / "oid.toml").write_text(text.replace("urn:oid:1.3.6.1.4.1", "urn:oid:1.3.6.1.04.1"))
    (tmp_path / "broken.toml").write_text("nid =")
    code, out, _ = run(capsys, "profiles", str(tmp_path))
    assert code == 1
    assert out[-3].startswith("broken: broken.toml: This is not TOML: ")
    assert out[-2].startswith("oid: urn:oid:1.3.6.1.04.1 is an example, but: “0” stands where")
    assert out[-1] == "2 profiles, 2 with failures"
    code, lines, _ = run(capsys, "profiles", "--json", str(tmp_path))
    assert code == 1
    assert [json.loads(line)["nid"] for line in lines] == ["broken", "oid"]
    assert all(json.loads(line)["failures"] for line in lines)


@pytest.mark.parametrize("command", [("profiles",), ("check", "urn:oid:1", "--profiles")])
def test_a_directory_that_cannot_be_used_is_a_usage_error(capsys, tmp_path, command):
    code, _, err = run(capsys, *command, str(tmp_path / "missing"))
    assert code == 2
    assert "missing" in err


def test_a_directory_without_profiles_is_a_usage_error(capsys, tmp_path):
    code, _, err = run(capsys, "profiles", str(tmp_path))
    assert code == 2
    assert "contains no .toml file" in err


def test_an_invalid_profile_stops_a_check(capsys, tmp_path):
    shutil.copy(FIXTURES / "oid.toml", tmp_path / "isbn.toml")
    code, out, err = run(capsys, "check", "--profiles", str(tmp_path), "urn:oid:1")
    assert (code, out) == (2, [])
    assert "isbn.toml: nid: The file has another name than “oid”." in err
