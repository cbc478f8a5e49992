import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from urnsyntax.cli.main import main
from urnsyntax.cli.progress_bar import ProgressBar

ROOT = Path(__file__).resolve().parents[3]
COMMANDS = ["parse", "check", "compare", "normalize", "find", "encode", "nid", "udi", "profiles"]


def run(capsys, *arguments):
    """Run a command; return exit code, lines of standard output, and standard error."""
    try:
        code = main(arguments)
    except SystemExit as end:
        code = end.code
    captured = capsys.readouterr()
    return code, captured.out.splitlines(), captured.err


@pytest.fixture
def type_in(monkeypatch):
    def stdin_holds(content):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return stdin_holds


def test_check_names_position_and_section_as_json(capsys):
    code, [line], _ = run(capsys, "check", "--json", "urn:example:a?=")
    found = json.loads(line)
    assert code == 1
    assert (found["valid"], found["position"], found["section"]) == (False, 15, "2.3.2")
    assert (found["rule"], found["text"], found["document"]) == ("q-component", "urn:example:a?=", "RFC 8141")


def test_check_points_at_the_fault(capsys):
    code, out, err = run(capsys, "check", "urn:example:a", "urn:example:a b", "urn:example-:a")
    assert code == 1
    assert out == [
        "good: urn:example:a",
        'accepted by    RFC 2141. RFC 8141 "disallows "-" at the end of the NID" (Appendix B.1).',
    ]
    assert "\n             ^ a space" in err


def test_check_shows_notes_of_good_urns(capsys):
    code, out, _ = run(capsys, "check", "urn:example:a?+r")
    assert code == 0
    assert "note" in out[1]


def test_check_displays_a_urn_and_notes_what_could_be_mistaken(capsys):
    urn = "urn:example:p%D0%B0ypal"
    code, out, _ = run(capsys, "check", urn)
    assert (code, out[:2]) == (0, [f"good: {urn}", "  displayed    urn:example:p\u0430ypal"])
    assert "could be mistaken for “paypal”" in out[2]
    code, [line], _ = run(capsys, "check", "--json", urn)
    assert json.loads(line)["displayed"] == "urn:example:p\u0430ypal"
    assert len(run(capsys, "check", "urn:example:a%2Fb")[1]) == 1


def test_check_recognises_relative_references_and_udis(capsys, type_in):
    code, _, err = run(capsys, "check", "#today")
    assert code == 1
    assert "This is a relative reference." in err
    assert "a Universal Document Identifier." in run(capsys, "check", "news:alt.hypertext")[2]
    type_in(b"../c\n")
    assert run(capsys, "check")[1][0].endswith("This is a relative reference")


def test_check_names_the_bad_lines_of_a_file(capsys, tmp_path):
    file = tmp_path / "urns.txt"
    file.write_bytes(b"urn:example:a\nurn:example:\nurn:example:b\xff\n\n")
    code, out, _ = run(capsys, "check", str(file))
    assert code == 1
    assert out[0].startswith(f"{file}:2: position 12: the NSS is empty")
    assert "(RFC 8141, Section 2.2, NSS)" in out[0]
    assert out[1].startswith(f"{file}:3: position 13:")
    assert out[2] == f"{file}: 1 good, 2 bad"
    code, out, _ = run(capsys, "check", "--json", "--file", str(file))
    found = [json.loads(line) for line in out]
    assert [each.get("line") for each in found] == [2, 3, None]
    assert found[-1] == {"source": str(file), "lines": 4, "good": 1, "bad": 2}


@pytest.mark.parametrize(
    ("content", "code", "last"),
    [
        (b"", 0, "-: 0 good, 0 bad"),
        (b"urn:example:a\n", 0, "-: 1 good, 0 bad"),
        (b"urn:example:a\r\nurn:example:b", 0, "-: 2 good, 0 bad"),
        (b"\n", 0, "-: 0 good, 0 bad"),
        (bytes(range(256)), 1, "-: 0 good, 2 bad"),
    ],
)
def test_check_reads_standard_input(capsys, type_in, content, code, last):
    for arguments in ((), ("-",), ("--file", "-")):
        type_in(content)
        found, out, _ = run(capsys, "check", *arguments)
        assert (found, out[-1]) == (code, last)


def test_compare_reports_equivalence(capsys):
    code, out, _ = run(capsys, "compare", "URN:EXAMPLE:a123%2cz456", "urn:example:a123%2Cz456")
    assert (code, out[0]) == (0, "equivalent")
    code, out, _ = run(capsys, "compare", "urn:example:a", "urn:example:A")
    assert (code, out[0]) == (1, "not equivalent")
    code, [line], _ = run(
        capsys, "compare", "--json", "--ignore-case", "--ignore=-", "urn:isbn:0-x", "urn:isbn:0X"
    )
    assert code == 0
    assert json.loads(line)["equivalent"] is True


def test_compare_rejects_an_invalid_urn(capsys):
    code, out, err = run(capsys, "compare", "urn:example:a", "urn:example:a\n")
    assert (code, out) == (2, [])
    assert "U+000A is not allowed" in err


def test_parse_shows_the_parts(capsys):
    code, out, _ = run(capsys, "parse", "URN:Example:%C3%B6?+r?=q#")
    assert code == 0
    shown = dict(line.split(maxsplit=1) for line in out if len(line.split(maxsplit=1)) == 2)
    assert (shown["nid"], shown["nss"]) == ("Example", "%C3%B6")
    assert shown["normalized"] == "urn:example:%C3%B6"
    assert shown["displayed"] == "URN:Example:ö?+r?=q#"
    assert "f-component" in out
    code, [line], _ = run(capsys, "parse", "--json", "URN:Example:%C3%B6?+r?=q#")
    found = json.loads(line)
    assert (found["r_component"], found["q_component"], found["f_component"]) == ("r", "q", "")
    assert found["accepted_by"] == ["RFC 8141", "RFC 2141"]
    assert len(found["notes"]) == 1


def test_parse_continues_after_an_invalid_line(capsys, type_in):
    type_in(b"urn:example:\nurn:example:a\r\n")
    code, out, err = run(capsys, "parse", "--json")
    assert code == 1
    assert [json.loads(line)["valid"] for line in out] == [False, True]
    assert err == ""


def test_normalize_prints_what_is_compared(capsys, type_in):
    type_in(b"URN:EXAMPLE:a%2c#f\nno\n")
    code, out, err = run(capsys, "normalize")
    assert (code, out) == (1, ["urn:example:a%2C"])
    assert '"no" is not a URN' in err


def test_find_lists_urns_with_line_and_column(capsys, type_in):
    type_in("A book: urn:isbn:0451450523.\né <urn:example:a?=b> urn:x-a-:b".encode())
    code, out, _ = run(capsys, "find", "--trim")
    assert (code, out) == (0, ["1:9: urn:isbn:0451450523", "2:4: urn:example:a?=b"])
    code, out, _ = run(capsys, "find", "--rfc2141", "--json", "see urn:x-a-:b, and urn:a:b~c")
    assert [json.loads(line)["urn"] for line in out] == ["urn:x-a-:b,", "urn:a:b"]
    assert json.loads(out[1]) == {"urn": "urn:a:b", "start": 20, "end": 27, "line": 1, "column": 21}


def test_find_marks_doubtful_punctuation_and_fails_without_matches(capsys, tmp_path):
    file = tmp_path / "letter.txt"
    file.write_bytes(b"\xffurn:example:a.\n")
    code, [line], _ = run(capsys, "find", str(file))
    assert (code, line) == (0, "1:2: urn:example:a.   (--trim removes the punctuation)")
    assert run(capsys, "find", "nothing here")[:2] == (1, [])


def test_encode_writes_and_reads_names(capsys):
    assert run(capsys, "encode", "Größe #7")[:2] == (0, ["Gr%C3%B6%C3%9Fe%20%237"])
    assert run(capsys, "encode", "--nid", "example", "--delimiters", ":", "a:b")[1] == ["urn:example:a%3Ab"]
    assert run(capsys, "encode", "--decode", "Gr%C3%B6%C3%9Fe")[1] == ["Größe"]
    assert run(capsys, "encode", "--decode", "a%1B%5B")[1] == ["a\\x1b["]
    assert run(capsys, "encode", "--decode", "%41")[0] == 1
    assert run(capsys, "encode", "")[0] == 1
    assert run(capsys, "encode", "--nid", "x_y", "a")[0] == 1


def test_nid_classifies_nids(capsys):
    assert run(capsys, "nid", "isbn", "urn-7")[0] == 0
    code, out, _ = run(capsys, "nid", "de-isbn", "urn", "a b")
    assert code == 1
    assert out[0].startswith("de-isbn: unregistrable (Section 5.1 (3)).")
    assert out[1].startswith("urn: reserved (RFC 2141, Section 2.1).")
    assert out[2].startswith("a b: malformed (Section 2.1).")
    code, [line], _ = run(capsys, "nid", "--json", "x-local")
    assert json.loads(line)["kind"] == "unregistrable"


def test_udi_shows_the_parts(capsys):
    code, out, _ = run(capsys, "udi", "news:alt.hypertext")
    assert code == 0
    assert [line.split() for line in out] == [
        ["udi", "news:alt.hypertext"],
        ["kind", "newsaddress"],
        ["scheme", "news"],
        ["group", "alt.hypertext"],
    ]
    code, [line], _ = run(capsys, "udi", "--json", "--context", "http://h/a/b", "../c")
    assert json.loads(line)["udi"] == "http://h/c"
    assert run(capsys, "udi", "--escape", "a b")[1] == ["a%20b"]
    assert run(capsys, "udi", "ftp://h/a")[0] == 1
    assert run(capsys, "udi", "--context", "nothing", "a")[0] == 2


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["no-such-command"],
        ["compare", "urn:example:a"],
        ["check", "--no-such-option"],
        ["check", "no-such-file.txt"],
        ["check", "--file", "no-such-file"],
        ["check", str(ROOT)],
        ["find", "no/such/file"],
    ],
)
def test_usage_errors_and_invalid_urns_have_different_exit_codes(capsys, arguments):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, [])
    assert "python -m urnsyntax" in err


@pytest.mark.parametrize("arguments", [["--help"], *([command, "--help"] for command in COMMANDS)])
def test_help_shows_examples_and_exit_codes(capsys, arguments):
    code, out, _ = run(capsys, *arguments)
    text = "\n".join(out)
    assert code == 0
    assert "Examples:\n  python -m urnsyntax" in text
    assert "0 success, 1 invalid input or negative result, 2 usage or I/O error" in text


def test_ctrl_c_ends_quietly(capsys, monkeypatch):
    class Interrupted(io.BytesIO):
        def read1(self, size=-1):
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Interrupted()))
    code, _, err = run(capsys, "check")
    assert (code, err.strip()) == (130, "")


def test_a_closed_pipe_is_not_an_error(tmp_path):
    file = tmp_path / "bad.txt"
    file.write_text("bad line\n" * 50_000)
    command = [sys.executable, "-m", "urnsyntax", "check", str(file)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.readline()
    process.stdout.close()
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("arguments", [["urn:example:a"], []])
def test_a_full_disk_ends_with_2_and_a_sentence(arguments):
    command = [sys.executable, "-m", "urnsyntax", "check", *arguments]
    with Path("/dev/full").open("wb") as full:
        found = subprocess.run(
            command,
            cwd=ROOT,
            input=b"x\n" * 9999,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            timeout=240,
        )
    assert found.returncode == 2
    assert found.stderr.splitlines() == [b"python -m urnsyntax: Cannot write: No space left on device."]


def test_the_exit_code_is_correct_without_standard_output(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["check", "urn:example:a"]) == 0
    assert main(["check", "urn:example:"]) == 1


def test_compare_reports_an_invalid_urn_as_json(capsys):
    code, [line], err = run(capsys, "compare", "--json", "urn:example:a", "urn:example:")
    assert (code, json.loads(line)["position"]) == (2, 12)
    assert "Only URNs can be compared." in err


def test_a_terminal_that_knows_ascii_only_is_served():
    command = [sys.executable, "-m", "urnsyntax", "encode", "--decode", "%C3%B6"]
    environment = {"PYTHONIOENCODING": "ascii", "PYTHONPATH": str(ROOT)}
    found = subprocess.run(command, cwd=ROOT, capture_output=True, env=environment, check=True, timeout=240)
    assert found.stdout == b"\\xf6\n"


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("urnsyntax.cli.progress_bar.time.monotonic", lambda: now[0])
    return now


def test_progress_is_shown_after_a_second_on_a_terminal(clock):
    terminal = Terminal()
    progress = ProgressBar(2_000_000, terminal)
    clock[0] = 0.9
    progress.advance(500_000)
    assert terminal.getvalue() == ""
    clock[0] = 1.1
    progress.advance(500_000)
    assert "[###############...............]  50%  1.0 MB of 2.0 MB" in terminal.getvalue()
    clock[0] = 1.15
    progress.advance(500_000)
    assert terminal.getvalue().count("%") == 1
    progress.erase()
    assert terminal.getvalue().endswith("\r\x1b[K")
    written = terminal.getvalue()
    progress.erase()
    assert terminal.getvalue() == written


def test_progress_of_an_unknown_length_shows_how_much_was_read(clock):
    terminal = Terminal()
    progress = ProgressBar(None, terminal)
    clock[0] = 2.0
    progress.advance(3_000_000)
    assert terminal.getvalue().endswith("3.0 MB")


def test_progress_is_not_shown_without_a_terminal(clock):
    stream = io.StringIO()
    progress = ProgressBar(10, stream)
    clock[0] = 5.0
    progress.advance(5)
    progress.erase()
    assert stream.getvalue() == ""
