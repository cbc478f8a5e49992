"""The commands of ``python -m urnsyntax``. Each returns False for invalid input or a negative result."""

from argparse import Namespace
from collections.abc import Callable, Iterator
from functools import partial

from .. import rfc2141, text_search, udi
from ..bulk import check_lines
from ..compatibility import check_compatibility
from ..encoding import decode_name, encode_name
from ..equivalence import EquivalenceRule, equivalence_key, ignoring, ignoring_case
from ..errors import InvalidIdentifier, InvalidURN, printable
from ..nid import NIDKind, classify
from ..urn import URN
from . import profiles
from .inputs import (
    STANDARD_INPUT,
    UsageError,
    file_size,
    is_file_argument,
    open_input,
    read_blocks,
    read_texts,
)
from .output import displayed, error_fields, note_fields, print_error, print_fields, print_json, recognised
from .progress_bar import ProgressBar


def parse(options: Namespace) -> bool:
    """Show the parts of URNs."""

    def print_result(text: str) -> None:
        urn = URN.parse(text)
        status, verdict = classify(urn.nid), check_compatibility(text)
        fields = {
            "nid": urn.nid,
            "nss": urn.nss,
            "r_component": urn.r_component,
            "q_component": urn.q_component,
            "f_component": urn.f_component,
            "normalized": str(urn.normalized()),
        }
        if options.json:
            compatibility_fields = {"accepted_by": verdict.accepted_by, "difference": verdict.difference}
            nid_fields = {"nid_kind": status.kind, "nid_section": status.section}
            print_json(
                text=text,
                valid=True,
                **fields,
                **nid_fields,
                **compatibility_fields,
                notes=note_fields(urn.notes),
            )
            return
        print_fields([("urn", text), *((name.replace("_", "-"), value) for name, value in fields.items())])
        print_fields([("displayed", displayed(urn)), ("nid-kind", f"{status.kind}: {status.reason}")])
        accepted = " and ".join(verdict.accepted_by)
        print_fields([("accepted by", f"{accepted}. {verdict.difference}")])
        print_fields(("note", note.message) for note in urn.notes)

    return for_each(options, options.texts, print_result)


def check(options: Namespace) -> bool:
    """Report the texts or lines that are not URNs, or that break the rules of their namespaces."""
    check_file, check_text = _check_file, _check_text
    if options.profiles is None and options.subnamespaces is not None:
        raise UsageError("--subnamespaces needs --profiles.")
    if options.profiles is not None or options.offline:
        loaded = (
            profiles.load_offline()
            if options.offline
            else profiles.load(options.profiles, options.subnamespaces)
        )
        check_file = partial(profiles.check_file, profiles=loaded)
        check_text = partial(profiles.check_text, profiles=loaded)
    all_good = True
    for name in options.file:
        all_good &= check_file(name, options=options)
    for source in options.sources or ([] if options.file else [STANDARD_INPUT]):
        check_source = check_file if is_file_argument(source) else check_text
        all_good &= check_source(source, options=options)
    if options.offline:
        profiles.print_offline_state(options)
    return all_good


def _check_text(text: str, options: Namespace) -> bool:
    try:
        urn = URN.parse(text)
    except InvalidURN as error:
        _report(error, options)
        return False
    if options.json:
        print_json(text=text, valid=True, displayed=displayed(urn), notes=note_fields(urn.notes))
    else:
        print(f"good: {text}")
        print_fields([("  displayed", displayed(urn))])
        print_fields(("  note", note.message) for note in urn.notes)
        print_fields([("  note", profiles.nid_note(urn))])
    return True


def _check_file(name: str, options: Namespace) -> bool:
    with open_input(name) as stream:
        progress = ProgressBar(file_size(stream))
        lines = check_lines(read_blocks(stream, progress))
        blank = 0
        for bad in lines:
            if not bad.text.strip():
                blank += 1
                continue
            progress.erase()
            error = bad.error
            if options.json:
                print_json(source=name, line=bad.number, **error_fields(error))
            else:
                where = f"{name}:{bad.number}: position {error.position}"
                found = recognised(error)
                what = f". This is {found.kind}" if found else ""
                print(
                    f"{where}: {error.reason} ({error.document}, Section {error.section}, {error.rule}){what}"
                )
        progress.erase()
    if options.json:
        print_json(source=name, lines=lines.lines, good=lines.good, bad=lines.bad - blank)
    else:
        print(f"{name}: {lines.good:,} good, {lines.bad - blank:,} bad")
    return lines.bad == blank


def compare(options: Namespace) -> bool:
    """Compare two URNs for equivalence, also by the rules of their namespace if they are known."""
    rules: list[EquivalenceRule] = [ignoring_case] if options.ignore_case else []
    if options.ignore:
        rules.append(ignoring(options.ignore))
    try:
        a, b = (equivalence_key(text, rules) for text in (options.a, options.b))
        nid = ""
        of_namespace, as_of = profiles.rules_of_namespace(options.a, options.b, options.profiles)
        if a != b and of_namespace:
            nid, a, b = _compared_in_namespace(options, [*of_namespace, *rules])
    except InvalidURN as error:
        _report(error, options)
        raise UsageError("Only URNs can be compared. Correct the URN above.") from None
    if options.json:
        by = "profile" if nid else "section"
        fields = {"a": options.a, "b": options.b, "equivalent": a == b, "by": by if a == b else None}
        print_json(**fields, compared=[a, b], **({"as_of": as_of} if as_of else {}))
    else:
        by_rules = f" by the rules of “{nid}”" if nid else ""
        print(f"equivalent{by_rules}" if a == b else "not equivalent")
        if a != b and of_namespace is None:
            print("  by RFC 8141, Section 3.1, alone: the rules of the namespace are not known")
        print(f"  {options.a}  is compared as  {a}\n  {options.b}  is compared as  {b}")
        if as_of:
            print(f"  by the rules as of {as_of}")
    return a == b


def _compared_in_namespace(options: Namespace, rules: list[EquivalenceRule]) -> tuple[str, str, str]:
    """The NID of both URNs, and what is compared by the rules of the namespace."""
    a, b = (equivalence_key(text, rules) for text in (options.a, options.b))
    return URN.parse(options.a).nid.lower(), a, b


def normalize(options: Namespace) -> bool:
    """Print the normalized form of URNs, which is used to compare them."""

    def print_result(text: str) -> None:
        normal_form = str(URN.parse(text).normalized())
        print_json(text=text, normalized=normal_form) if options.json else print(normal_form)

    return for_each(options, options.texts, print_result)


def find(options: Namespace) -> bool:
    """List the URNs in running text, with their positions."""
    search = rfc2141.find if options.rfc2141 else text_search.find
    count = 0
    for text in _running_texts(options.texts):
        for line, column, found in _located(text, search):
            found = found.without_punctuation() if options.trim else found
            count += 1
            if options.json:
                print_json(urn=found.urn, start=found.start, end=found.end, line=line, column=column)
            else:
                doubtful = (
                    "" if found.without_punctuation() == found else "   (--trim removes the punctuation)"
                )
                print(f"{line}:{column}: {found.urn}{doubtful}")
    return count > 0


def _running_texts(arguments: list[str]) -> Iterator[str]:
    for argument in arguments or [STANDARD_INPUT]:
        if is_file_argument(argument):
            with open_input(argument) as stream:
                yield stream.read().decode("utf-8", "surrogateescape")
        else:
            yield argument


def _located(
    text: str, search: Callable[[str], Iterator[text_search.FoundURN]]
) -> Iterator[tuple[int, int, text_search.FoundURN]]:
    """Yield matches with their line and column, both counted from 1 as in editors."""
    line, start_of_line, read = 1, 0, 0
    for found in search(text):
        line += text.count("\n", read, found.start)
        start_of_line = text.rfind("\n", read, found.start) + 1 or start_of_line
        read = found.start
        yield line, found.start - start_of_line + 1, found


def encode(options: Namespace) -> bool:
    """Encode names as an NSS, or decode them."""

    def print_result(name: str) -> None:
        if options.decode:
            result = decode_name(name, delimiters=options.delimiters)
        else:
            result = encode_name(name, delimiters=options.delimiters)
            result = str(URN.build(options.nid, result)) if options.nid else result
        print_json(text=name, result=result) if options.json else print(printable(result))

    return for_each(options, options.texts, print_result)


def nid(options: Namespace) -> bool:
    """Classify namespace identifiers."""
    all_good = True
    for text in read_texts(options.texts):
        status = classify(text)
        all_good &= status.kind in (NIDKind.FORMAL, NIDKind.INFORMAL)
        if options.json:
            print_json(
                nid=text,
                kind=status.kind,
                by_syntax=status.by_syntax,
                section=status.section,
                reason=status.reason,
                well_formed=status.is_well_formed,
            )
        else:
            where = status.section if status.kind is NIDKind.RESERVED else f"Section {status.section}"
            print(f"{printable(text)}: {status.kind} ({where}). {status.reason}")
    return all_good


def read_udi(options: Namespace) -> bool:
    """Show the parts of Universal Document Identifiers (1992)."""

    def print_result(text: str) -> None:
        if options.escape:
            escaped = udi.escape(text)
            print_json(text=text, escaped=escaped) if options.json else print(escaped)
            return
        read = udi.resolve(text, options.context) if options.context else udi.parse(text)
        if options.json:
            print_json(
                text=text,
                valid=True,
                udi=read.text,
                kind=read.kind,
                parts=dict(read.parts),
                notes=note_fields(read.notes),
            )
            return
        print_fields([("udi", read.text), ("kind", read.kind), *read.parts])
        print_fields(("note", note.message) for note in read.notes)

    if options.context:
        try:
            udi.parse(options.context)
        except udi.InvalidUDI as error:
            print_error(error)
            raise UsageError("The context must be a full UDI.") from None
    return for_each(options, options.texts, print_result)


def for_each(options: Namespace, arguments: list[str], print_result: Callable[[str], None]) -> bool:
    """Print a result for each text, and report those that are not URNs. Return whether all are."""
    all_good = True
    for text in read_texts(arguments):
        try:
            print_result(text)
        except InvalidIdentifier as error:
            all_good = False
            _report(error, options)
    return all_good


def _report(error: InvalidIdentifier, options: Namespace) -> None:
    difference = _difference_if_valid_in_rfc2141(error)
    if options.json:
        print_json(
            **error_fields(error),
            **({"accepted_by": ["RFC 2141"], "difference": difference} if difference else {}),
        )
        return
    print_error(error)
    if difference:
        print_fields([("accepted by", f"RFC 2141. {difference}")])


def _difference_if_valid_in_rfc2141(error: InvalidIdentifier) -> str:
    if not isinstance(error, InvalidURN):
        return ""
    verdict = check_compatibility(error.text)
    return verdict.difference if verdict.fault2141 is None and verdict.fault8141 else ""
