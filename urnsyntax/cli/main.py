"""The command line: options, help and exit codes."""

import os
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter, _ActionsContainer, _SubParsersAction
from collections.abc import Callable, Sequence
from typing import Any

from . import commands, profiles
from .inputs import UsageError
from .lookup import lookup

EXIT_OK, EXIT_INVALID, EXIT_USAGE, EXIT_INTERRUPTED, EXIT_BROKEN_PIPE = 0, 1, 2, 130, 141

_PROGRAM = "python -m urnsyntax"
_EXIT_CODES = "Exit codes: 0 success, 1 invalid input or negative result, 2 usage or I/O error."

_EXAMPLES = {
    "parse": "parse 'urn:example:weather?=op=map#today'\nparse --json < urns.txt",
    "check": (
        "check urn:isbn:0451450523 'urn:example:a?='\ncheck urns.txt\ncheck --json --file urns.txt\n"
        "sort urns.txt | {0} check\ncheck --profiles fixtures/profiles urn:isbn:9780451450523\n"
        "check --offline --file urns.txt"
    ),
    "compare": (
        "compare URN:EXAMPLE:a%2c urn:example:a%2C\ncompare urn:isbn:0451450523 urn:isbn:978-0-451-45052-4\ncompare --ignore-case --ignore=- urn:isbn:0-x urn:isbn:0X"
    ),
    "lookup": "lookup urn:isbn:0451450523\nlookup --json < urns.txt",
    "normalize": "normalize URN:EXAMPLE:a123%2cz456\nnormalize < urns.txt",
    "find": "find README.md\nfind --trim 'See urn:isbn:0451450523.'\nfind --json < letter.txt",
    "encode": "encode 'Größe #7'\nencode --nid example --delimiters : 'a:b'\nencode --decode Gr%C3%B6%C3%9Fe",
    "nid": "nid isbn de-isbn urn-7 x-local",
    "profiles": "profiles fixtures/profiles\nprofiles --json fixtures/profiles",
    "subnamespaces": (
        "subnamespaces fixtures/subnamespaces\nsubnamespaces --json fixtures/subnamespaces/nbn.jsonl\n"
        "subnamespaces --profiles fixtures/profiles /tmp/nbn.jsonl"
    ),
    "udi": (
        "udi news:alt.hypertext\nudi --context http://info.cern.ch/a/b.html ../c.html\n"
        "udi --escape 'About Gopher'"
    ),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    options = _parser().parse_args(arguments)
    try:
        succeeded = options.run(options)
        if sys.stdout is not None:
            sys.stdout.flush()
    except UsageError as error:
        print(f"{_PROGRAM}: {error}", file=sys.stderr)
        return EXIT_USAGE
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader closed the pipe. Python must not flush into it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_BROKEN_PIPE
    except OSError as error:
        # For example, a full disk. Python must not retry the write at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print(f"{_PROGRAM}: Cannot write: {error.strerror}.", file=sys.stderr)
        return EXIT_USAGE
    return EXIT_OK if succeeded else EXIT_INVALID


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog=_PROGRAM,
        description="Parse, check and compare Uniform Resource Names (RFC 8141, RFC 2141) and UDIs of 1992.",
        epilog=f"{_examples(*_EXAMPLES)}\n\n{_EXIT_CODES}",
        formatter_class=RawDescriptionHelpFormatter,
    )
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    texts: dict[str, Any] = {"nargs": "*", "help": "default: the lines of standard input"}

    command = _command(subparsers, "parse", commands.parse)
    command.add_argument("texts", metavar="URN", **texts)

    command = _command(subparsers, "check", commands.check)
    command.add_argument("sources", metavar="URN|FILE", nargs="*", help='"-" or none: standard input')
    command.add_argument(
        "--file", action="append", default=[], metavar="FILE", help="a file with one URN per line"
    )
    rules = command.add_mutually_exclusive_group()
    _add_profiles(rules, "check by the rules of the namespaces in these profiles too")
    rules.add_argument(
        "--offline", action="store_true", help="check by the rules in the installed package urn-registry-data"
    )
    command.add_argument(
        "--subnamespaces",
        metavar="DIRECTORY",
        help='check by these lists of sub-namespaces too; default: "subnamespaces" beside the profiles',
    )

    command = _command(subparsers, "lookup", lookup)
    command.add_argument("texts", metavar="URN", **texts)

    command = _command(subparsers, "profiles", profiles.profiles)
    command.add_argument("directory", metavar="DIRECTORY", help="a directory with one TOML file per profile")

    command = _command(subparsers, "subnamespaces", profiles.subnamespaces)
    command.add_argument(
        "path", metavar="FILE|DIRECTORY", help="one list, NID.jsonl, or a directory with lists"
    )
    _add_profiles(
        command, 'the profiles of the namespaces; default: "profiles" beside the directory of the lists'
    )

    command = _command(subparsers, "compare", commands.compare)
    command.add_argument("a", metavar="URN")
    command.add_argument("b", metavar="URN")
    _add_profiles(
        command, "compare by the rules of the namespaces in these profiles; default: those of the registry"
    )
    command.add_argument("--ignore-case", action="store_true", help="ignore the case of the NSS")
    command.add_argument(
        "--ignore", default="", metavar="CHARACTERS", help="ignore these characters in the NSS"
    )

    command = _command(subparsers, "normalize", commands.normalize)
    command.add_argument("texts", metavar="URN", **texts)

    command = _command(subparsers, "find", commands.find)
    command.add_argument("texts", metavar="TEXT|FILE", nargs="*", help='"-" or none: standard input')
    command.add_argument("--trim", action="store_true", help="remove punctuation that ends a sentence")
    command.add_argument("--rfc2141", action="store_true", help="use the grammar of RFC 2141")

    command = _command(subparsers, "encode", commands.encode)
    command.add_argument("texts", metavar="NAME", **texts)
    command.add_argument("--nid", default="", help="print a complete URN with this NID")
    command.add_argument(
        "--delimiters", default="", metavar="CHARACTERS", help="characters that are delimiters in the NSS"
    )
    command.add_argument("--decode", action="store_true", help="decode an NSS into the name")

    command = _command(subparsers, "nid", commands.nid)
    command.add_argument("texts", metavar="NID", **texts)

    command = _command(subparsers, "udi", commands.read_udi)
    command.add_argument("texts", metavar="UDI", **texts)
    command.add_argument("--context", metavar="UDI", help="resolve partial UDIs relative to this document")
    command.add_argument("--escape", action="store_true", help="escape local names as paths")
    return parser


def _add_profiles(command: _ActionsContainer, purpose: str) -> None:
    command.add_argument("--profiles", metavar="DIRECTORY", help=purpose)


def _command(
    subparsers: "_SubParsersAction[ArgumentParser]", name: str, run: Callable[..., bool]
) -> ArgumentParser:
    summary = run.__doc__ or ""
    command = subparsers.add_parser(
        name,
        help=summary[0].lower() + summary.rstrip(".")[1:],
        description=summary,
        epilog=f"{_examples(name)}\n\n{_EXIT_CODES}",
        formatter_class=RawDescriptionHelpFormatter,
    )
    command.add_argument("--json", action="store_true", help="print one JSON object per line")
    command.set_defaults(run=run)
    return command


def _examples(*names: str) -> str:
    lines = [line.format(_PROGRAM) for name in names for line in _EXAMPLES[name].split("\n")]
    return "Examples:\n" + "\n".join(
        f"  {line if _PROGRAM in line else f'{_PROGRAM} {line}'}" for line in lines
    )
