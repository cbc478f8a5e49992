"""The parts of the command line that use profiles of namespaces, which need two more packages."""

import sys
import tomllib
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from .. import offline
from ..equivalence import EquivalenceRule
from ..errors import InvalidURN, printable
from ..namespace_equivalence import rules_of_names
from ..nid import NIDKind, classify
from ..urn import URN
from .inputs import UsageError, open_input, read_lines
from .output import (
    as_of_fields,
    as_of_line,
    displayed,
    error_fields,
    note_fields,
    print_error,
    print_fields,
    print_json,
    print_with_caret,
)

if TYPE_CHECKING:
    from ..profiles import FoundSubNamespace, Judgement, NamePart, Profiles
    from ..profiles.bulk import CheckedLine
    from ..profiles.examples import Verification
    from ..profiles.subnamespaces.verifying import ListVerification

OF_THE_REGISTRY = Path(__file__).resolve().parents[2] / "fixtures" / "profiles"
_TITLE_WIDTH = 44
_PACKAGES = {"re2": "google-re2", "stdnum": "python-stdnum"}


def load(directory: str, subnamespaces: str | None) -> "Profiles":
    """The profiles and lists of directories, see `load_profiles`. Raises `UsageError` if they cannot be read."""
    _require_packages()
    from ..profiles import InvalidProfile, load_profiles

    if subnamespaces is not None and not Path(subnamespaces).is_dir():
        raise UsageError(f"Not a directory: {subnamespaces}.")
    try:
        return load_profiles(directory, subnamespaces)
    except InvalidProfile as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        raise UsageError(f"Cannot read {directory}: {error.strerror}.") from None


def missing_packages() -> list[str]:
    """The packages that profiles need and that are not installed."""
    return [package for module, package in _PACKAGES.items() if find_spec(module) is None]


def _require_packages() -> None:
    if missing := missing_packages():
        raise UsageError(
            f"Profiles need {' and '.join(missing)}. Install with: pip install 'urnsyntax[profiles]'"
        )


class KnownRules(NamedTuple):
    """The rules of a namespace; None if they are not known. `as_of` is the day of those of `urn-registry-data`, otherwise ""."""

    rules: Sequence[EquivalenceRule] | None
    as_of: str = ""


def rules_of_namespace(first: str, second: str, directory: str | None) -> KnownRules:
    """The rules of the namespace of two URNs; none for URNs of two namespaces.

    Without a directory, the profiles of the registry are used if the program is part of it, and otherwise those of the package
    `urn-registry-data` if it is installed. Raises `InvalidURN`, and `UsageError` if the profile cannot be read.
    """
    nid = URN.parse(first).nid.lower()
    if nid != URN.parse(second).nid.lower():
        return KnownRules(())
    path = Path(directory or OF_THE_REGISTRY) / f"{nid}.toml"
    if directory is not None and not path.parent.is_dir():
        raise UsageError(f"Not a directory: {directory}.")
    if directory is None and not OF_THE_REGISTRY.is_dir() and offline.is_installed():
        registry = offline_registry()
        return KnownRules(registry.equivalence_rules(nid), registry.as_of)
    if not path.exists():
        return KnownRules(None)
    try:
        return KnownRules(rules_of_names(tomllib.loads(path.read_text("utf-8"))["names"]))
    except OSError as error:
        raise UsageError(f"Cannot read {path}: {error.strerror}.") from None
    except (ValueError, KeyError, TypeError):
        raise UsageError(
            f"{path} is not a profile. Check it: python -m urnsyntax profiles {path.parent}"
        ) from None


def offline_registry() -> offline.OfflineRegistry:
    """The registry in the package `urn-registry-data`. Raises `UsageError` if it is not installed."""
    try:
        return offline.registry()
    except offline.NoOfflineData as error:
        raise UsageError(str(error)) from None


def load_offline() -> "Profiles":
    """The profiles and lists of the package `urn-registry-data`. Raises `UsageError`."""
    _require_packages()
    with known_profiles():
        return offline_registry().profiles


@contextmanager
def known_profiles() -> Iterator[None]:
    """Raise `UsageError` for a profile in the package `urn-registry-data` that this version does not know."""
    from ..profiles import InvalidProfile

    try:
        yield
    except InvalidProfile as error:
        raise UsageError(f"{offline.PACKAGE} is newer than this program. Update urnsyntax. {error}") from None


def print_offline_state(options: Namespace) -> None:
    """Print how old the data of the package `urn-registry-data` is, and which lists it lacks."""
    registry = offline_registry()
    if options.json:
        print_json(**as_of_fields(registry), left_out=registry.left_out)
        return
    print_fields([as_of_line(registry)])
    if registry.left_out:
        print_fields([("  note", f"The package lacks the sub-namespaces of {', '.join(registry.left_out)}.")])


def nid_note(urn: URN) -> str | None:
    """Why no namespace can be registered with the NID of a URN (RFC 8141, Section 5.1); None if one can."""
    status = classify(urn.nid)
    if status.kind is not NIDKind.UNREGISTRABLE:
        return None
    return f"The NID cannot be registered. {status.reason} (RFC 8141, Section {status.section})"


def check_text(text: str, profiles: "Profiles", options: Namespace) -> bool:
    """Check one text by RFC 8141 and by the profile of its namespace."""
    try:
        urn = URN.parse(text)
    except InvalidURN as error:
        _report_no_urn(error, profiles, options)
        return False
    judgement = profiles.judge(urn)
    good = judgement is None or judgement.conformant is not False
    if options.json:
        shared = {"displayed": displayed(urn), "notes": note_fields(urn.notes)}
        print_json(text=text, valid=True, **shared, **judgement_fields(judgement))
    elif judgement is None:
        print(f"good: {text}")
        print_fields([("  profile", f"none for the namespace {urn.nid.lower()}"), ("  note", nid_note(urn))])
    elif good:
        print(f"good: {text}")
        print_fields(details_of(judgement))
    else:
        print_with_caret(text, judgement.position, judgement.reason)
        _print_suggestions([judgement.repair] if judgement.repair else [])
    if good and not options.json:
        print_fields([("  displayed", displayed(urn))])
        print_fields(("  note", note.message) for note in urn.notes)
        if judgement is not None:
            print_fields(("  note", note.reason) for note in judgement.notes)
            _print_suggestions([judgement.repair] if judgement.repair else [])
    return good


def _report_no_urn(error: InvalidURN, profiles: "Profiles", options: Namespace) -> None:
    suggestions = profiles.suggest(error.text)
    if options.json:
        print_json(**error_fields(error), suggestions=[each.urn for each in suggestions])
        return
    print_error(error)
    _print_suggestions(each.urn for each in suggestions)


def _print_suggestions(urns: Iterable[str]) -> None:
    for each in urns:
        print(f"Did you mean {each}?", file=sys.stderr)


def judgement_fields(judgement: "Judgement | None") -> dict[str, object]:
    if judgement is None:
        return {"conformant": None, "reason": "", "canonical": None}
    return {
        "nid": judgement.profile.nid,
        "conformant": judgement.conformant,
        "reason": judgement.reason,
        "position": judgement.position,
        "rule": judgement.rule,
        "expected": judgement.expected,
        "doubts": [each._asdict() for each in judgement.notes],
        "parts": [each._asdict() for each in judgement.parts],
        "subnamespaces": [each._asdict() for each in judgement.subnamespaces],
        "unknown_subnamespace": _unknown_fields(judgement),
        "rest": dict(zip(("text", "description"), judgement.rest, strict=True)),
        "canonical": judgement.canonical,
        "equivalents": judgement.equivalents,
        "repair": judgement.repair,
    }


def _unknown_fields(judgement: "Judgement") -> dict[str, object] | None:
    return judgement.unknown_subnamespace._asdict() if judgement.unknown_subnamespace else None


def details_of(judgement: "Judgement") -> Iterator[tuple[str, str | None]]:
    """What a name says by the rules of its namespace, as names and values to print."""
    found = judgement.subnamespaces
    yield "  names", judgement.profile.resource or judgement.profile.title
    yield "  not judged", judgement.reason if judgement.conformant is None else None
    yield from ((f"  {each.level}", each.description) for each in found)
    yield "  the rest", ": ".join(filter(None, judgement.rest)) or None
    yield from ((f"  {part.label}", part.text) for part in judgement.parts if not _is_in(part, found))
    yield "  canonical", judgement.canonical
    yield from (("  equivalent", each) for each in judgement.equivalents)


def _is_in(part: "NamePart", found: "Sequence[FoundSubNamespace]") -> bool:
    """Whether a part stands in the label of a sub-namespace, which says more."""
    return any(
        each.start is not None and each.end is not None and each.start <= part.start and part.end <= each.end
        for each in found
    )


def check_file(name: str, profiles: "Profiles", options: Namespace) -> bool:
    """Check each line of a file by RFC 8141 and by the profile of its namespace."""
    lines = bad = blank = 0
    with open_input(name) as stream:
        # In blocks, for speed; a program that writes a line waits for its answer before the next one.
        blocks = (profiles.judge_many(map(_text_of, block)) for block in read_lines(stream))
        for checked in chain.from_iterable(blocks):
            lines += 1
            if checked.conformant is not False:
                _report_notes(f"{name}:{lines}", checked, options)
                continue
            if not checked.text.strip():
                blank += 1
                continue
            bad += 1
            problem = _problem_of(checked.text, profiles)
            if options.json:
                print_json(source=name, line=lines, text=checked.text, **problem)
            else:
                place = "" if problem["position"] is None else f": position {problem['position']}"
                print(f"{name}:{lines}{place}: {printable(str(problem['reason']))}")
    if options.json:
        print_json(source=name, lines=lines, good=lines - bad - blank, bad=bad)
    else:
        print(f"{name}: {lines - bad - blank:,} good, {bad:,} bad")
    return bad == 0


def _report_notes(place: str, checked: "CheckedLine", options: Namespace) -> None:
    """Print the notes on a good line, in the words and members of the check of one text."""
    notes, doubts = checked.notes, checked.doubts
    if options.json and (notes or doubts):
        name, _, line = place.rpartition(":")
        members = {"notes": note_fields(notes), "doubts": [each._asdict() for each in doubts]}
        print_json(source=name, line=int(line), text=checked.text, valid=True, **members)
    elif not options.json:
        for message in (*(each.message for each in notes), *(each.reason for each in doubts)):
            print(f"{place}: note: {message}")


def _text_of(line: bytes) -> str:
    return line.removesuffix(b"\r").decode("utf-8", "surrogateescape")


def _problem_of(text: str, profiles: "Profiles") -> dict[str, object]:
    try:
        judgement = profiles.judge(text)
    except InvalidURN as error:
        reason = f"{error.reason} ({error.document}, Section {error.section}, {error.rule})"
        return {"valid": False, "reason": reason, "position": error.position, "rule": error.rule}
    assert judgement is not None  # nosec B101  # without a profile, no URN is wrong
    return {
        "valid": True,
        "reason": judgement.reason,
        "position": judgement.position,
        "rule": judgement.rule,
        "unknown_subnamespace": _unknown_fields(judgement),
        "repair": judgement.repair,
    }


def profiles(options: Namespace) -> bool:
    """Run the examples and counterexamples of profiles, and print a table."""
    _require_packages()
    from ..profiles.examples import verify_directory

    if not Path(options.directory).is_dir():
        raise UsageError(f"Not a directory: {options.directory}.")
    results = list(verify_directory(options.directory))
    if not results:
        raise UsageError(f"{options.directory} contains no .toml file.")
    return _print_results(results, "profiles", options)


def subnamespaces(options: Namespace) -> bool:
    """Verify lists of sub-namespaces, and print a table."""
    _require_packages()
    from ..profiles import InvalidProfile
    from ..profiles.collection import load_profile
    from ..profiles.subnamespaces.verifying import list_files, verify_list

    path = Path(options.path)
    if not path.exists():
        raise UsageError(f"There is no file or directory {path}.")
    folder = Path(options.profiles or (path if path.is_dir() else path.parent).resolve().parent / "profiles")
    if not folder.is_dir():
        raise UsageError(f"Not a directory: {folder}. State the directory of the profiles with --profiles.")
    try:
        files = list_files(path)
        found = {each.stem: folder / f"{each.stem}.toml" for each in files}
        of_nid = {nid: load_profile(each) for nid, each in found.items() if each.exists()}
        results = [verify_list(each, of_nid.get(each.stem)) for each in files]
    except InvalidProfile as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        raise UsageError(f"Cannot read {error.filename}: {error.strerror}.") from None
    if not results:
        raise UsageError(f"{path} contains no .jsonl file.")
    return _print_results(results, "lists", options)


def _print_results(
    results: "Sequence[Verification | ListVerification]", what: str, options: Namespace
) -> bool:
    failed = [each for each in results if each.failures]
    if options.json:
        for each in results:
            print_json(nid=each.nid, **each.columns, failures=each.failures)
    else:
        rows = [{"nid": each.nid, **each.columns} for each in results]
        print("\n".join(table_lines(rows)))
        for each in failed:
            for failure in each.failures:
                print(f"{each.nid}: {printable(failure)}")
        print(f"{len(results):,} {what}, {len(failed):,} with failures")
    return not failed


def table_lines(rows: list[dict[str, str]]) -> Iterator[str]:
    """The lines of a table with a header."""
    table = [{name: name for name in rows[0]}, *rows]
    widths = {name: min(_TITLE_WIDTH, max(len(row[name]) for row in table)) for name in rows[0]}
    for row in table:
        cells = (
            text if len(text) <= widths[name] else f"{text[: widths[name] - 1]}…"
            for name, text in row.items()
        )
        yield "  ".join(
            f"{cell:<{width}}" for cell, width in zip(cells, widths.values(), strict=True)
        ).rstrip()
