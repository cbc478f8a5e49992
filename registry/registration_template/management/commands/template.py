"""`manage.py template`: checks, formats and compares completed registration templates."""

import argparse
import dataclasses
import json
import os
import sys
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from registry.core.management.base import RegistryCommand
from registry.registration_template.diff import compare_templates, format_diff
from registry.registration_template.exceptions import InvalidTemplate, NotPlainText, UnreadableTemplate
from registry.registration_template.formatting import format_template
from registry.registration_template.parsing.parser import MAX_INPUT_LENGTH, ParsedTemplate, parse_template
from registry.registration_template.reports import build_report, describe, failure_report
from registry.registration_template.restoration.changes import Kind

_STANDARD_INPUT = "-"
_MAX_BYTES = 4 * MAX_INPUT_LENGTH  # no character of UTF-8 is longer
_SAMPLE = 65_536
_BROKEN_PIPE = 141
_EXIT_CODES = """\
exit status:
  0  all templates can be parsed and have no blocking findings; the two templates are equal
  1  a template can't be parsed or has a blocking finding; the two templates differ
  2  wrong usage, or a file can't be opened
"""
_EXAMPLES = """\
examples:
  manage.py template check example.txt
  manage.py template check --json templates/ > findings.jsonl
  manage.py template format example.txt | mail urn@ietf.example
  manage.py template diff version-1.txt version-2.txt
  manage.py template check --keep signature --keep quoting example.txt
  cat example.txt | manage.py template check --kind informal
"""


class Command(RegistryCommand):
    help = "Check, format and compare completed registration templates (RFC 8141, Appendix A)."
    epilog = f"{_EXAMPLES}\n{_EXIT_CODES}"
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True, metavar="check | format | diff")
        check = _add_action(actions, "check", self._check, "List findings: missing content and advice.")
        _add_check_options(check)
        formatting = _add_action(actions, "format", self._format, "Write templates in the canonical format.")
        formatting.add_argument("files", nargs="*", metavar="FILE", help="default: -, standard input")
        diff = _add_action(actions, "diff", self._diff, "Show the differences between two templates.")
        diff.add_argument("before", metavar="A", help="the older template; - for standard input")
        diff.add_argument("after", metavar="B", help="the newer template")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            is_good = options["run"](options)
            self.stdout.flush()
        except BrokenPipeError:
            # The pipe is closed. Python must not flush into it at exit.
            _discard_output()
            sys.exit(_BROKEN_PIPE)
        except OSError as error:
            _discard_output()
            raise CommandError(f"Cannot write: {error.strerror}.", returncode=2) from error
        if not is_good:
            sys.exit(1)

    def _check(self, options: dict[str, Any]) -> bool:
        is_good = True
        for name in _expand(options["files"]):
            try:
                report = build_report(
                    name,
                    _read_template(name, options["keep"]),
                    kind=options["kind"],
                    fast_track=options["fast_track"],
                    is_revision=options["revision"],
                )
            except (UnreadableTemplate, InvalidTemplate) as error:
                report = failure_report(name, error)
            is_good &= report["is_good"]
            self.stdout.write(_to_json(report) if options["json"] else describe(report))
        return is_good

    def _format(self, options: dict[str, Any]) -> bool:
        names = _expand(options["files"])
        if len(names) != 1 and not options["json"]:
            raise CommandError("Give one file, or use --json for several.", returncode=2)
        is_good = True
        for name in names:
            try:
                parsed = _read_template(name, options["keep"])
            except (UnreadableTemplate, InvalidTemplate) as error:
                is_good = False
                self._write_failure(failure_report(name, error), as_json=options["json"])
                continue
            text = format_template(parsed.template)
            changes = [change.to_json() for change in parsed.changes]
            if options["json"]:
                template = parsed.template.to_json()
                text = _to_json({"file": name, "text": text, "template": template, "changes": changes})
            else:
                for change in changes:
                    self.stderr.write(f"{name}: {change['message']}")
            self.stdout.write(text)
        return is_good

    def _diff(self, options: dict[str, Any]) -> bool:
        names = options["before"], options["after"]
        if names == (_STANDARD_INPUT, _STANDARD_INPUT):
            raise CommandError("Only one of the templates can be read from standard input.", returncode=2)
        try:
            before, after = (_read_template(name, options["keep"]).template for name in names)
        except (UnreadableTemplate, InvalidTemplate) as error:
            raise CommandError(str(error), returncode=2) from error
        diff = compare_templates(before, after)
        if options["json"]:
            changed = [dataclasses.asdict(section) for section in diff.changed]
            self.stdout.write(_to_json({"before": names[0], "after": names[1], "sections": changed}))
        elif diff:
            self.stdout.write(format_diff(diff))
        return not diff

    def _write_failure(self, report: dict[str, Any], *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(_to_json(report))
        else:
            self.stderr.write(describe(report))


def _discard_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _add_action(
    actions: Any, name: str, run: Callable[[dict[str, Any]], bool], summary: str
) -> CommandParser:
    parser: CommandParser = actions.add_parser(
        name,
        help=summary,
        description=summary,
        epilog=f"{_EXAMPLES}\n{_EXIT_CODES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    parser.add_argument("--json", action="store_true", help="print one line of JSON per file")
    parser.add_argument(
        "--keep",
        action="append",
        default=[],
        choices=[kind.value for kind in Kind],
        metavar="KIND",
        help="a kind of damage to leave as it is, such as signature; `check` lists what was undone; repeatable",
    )
    return parser


def _add_check_options(parser: CommandParser) -> None:
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="files, or folders with .txt files; default: -, standard input",
    )
    parser.add_argument(
        "--kind", choices=["formal", "informal"], help="the kind of namespace; default: informal for urn-N"
    )
    parser.add_argument(
        "--fast-track",
        action=argparse.BooleanOptionalAction,
        help="the procedure; default: as in the section Registrant",
    )
    parser.add_argument(
        "--revision", action=argparse.BooleanOptionalAction, help="a revision; default: any version above 1"
    )


def _expand(names: Sequence[str]) -> list[str]:
    """The given files, and the .txt files in the given folders."""
    expanded: list[str] = []
    for name in names or [_STANDARD_INPUT]:
        path = Path(name)
        if name != _STANDARD_INPUT and path.is_dir():
            expanded += map(str, sorted(path.rglob("*.txt")))
        else:
            expanded.append(name)
    if not expanded:
        raise CommandError("The given folders contain no .txt files.", returncode=2)
    return expanded


def _read_template(name: str, keep: Sequence[str]) -> ParsedTemplate:
    content = _read(name)
    encoding = "utf-16" if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8"
    if encoding == "utf-8" and b"\0" in content[:_SAMPLE]:
        raise NotPlainText("The file is binary, not text. Export it as plain text in UTF-8.")
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        # The input may be cut inside a character; `parse_template` then reports that it is too long.
        if len(content) <= _MAX_BYTES:
            line = content[: error.start].count(b"\n") + 1
            raise NotPlainText(
                f"Line {line} of the file is not valid {encoding.upper()}. Export it as plain text in UTF-8.",
                line=line,
            ) from error
        text = content.decode(encoding, errors="replace")
    return parse_template(text, keep)


def _read(name: str) -> bytes:
    try:
        if name == _STANDARD_INPUT:
            return sys.stdin.buffer.read(_MAX_BYTES + 1)
        with Path(name).open("rb") as file:
            return file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise CommandError(f"{name} can't be read: {error.strerror}.", returncode=2) from error


def _to_json(report: dict[str, Any]) -> str:
    return json.dumps(report, ensure_ascii=False)
