"""The command `urnregistry`."""

import argparse
import json
import os
import re
import signal
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from urnregistry.client import Registry
from urnregistry.errors import (
    CopyError,
    LogBehind,
    LogError,
    NotChecked,
    PackageMissing,
    Problem,
    ProofRefused,
    RegistryError,
)
from urnregistry.exchange import Source
from urnregistry.local_copy import LocalCopy
from urnregistry.monitoring import WIDTH, HeadContradicted, HeadNotCosigned, Trust
from urnregistry.namespaces import NamespaceDetail
from urnregistry.policies import Policy
from urnregistry.proofs import verify_proof, verify_version
from urnregistry.templates import verify_text
from urnregistry.witness import WitnessNotUsable, replace_file
from urnregistry.witness_server import make_key, serve

MAX_FILE = 16 * 1024**2  # octets
MAX_WAIT = 7 * 24 * 3600  # seconds
NID = re.compile("[A-Za-z0-9][A-Za-z0-9-]{0,30}[A-Za-z0-9]")
GOOD, BAD, USAGE, FAILED = 0, 1, 2, 3
# What a text of the registry must not do to a terminal: control it, begin a line, or turn the reading direction.
CONTROLS = ("Cc", "Cs", "Zl", "Zp")
DIRECTIONS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
EXIT_CODES = """
exit codes:
  0  success: all NIDs are registered, no URN is known to be wrong, all URNs resolve, the log continues the copy, or the proof holds
  1  another answer: not registered, a wrong URN, no address, a log that contradicts the copy, or a proof that does not hold
  2  wrong usage, a file that is not a copy of this registry, no proof or no version, a key or a state that a witness can't
     use, or a package that is not installed, so that nothing was checked
  3  the registry did not respond, or responded with an error
  130  interrupted by Ctrl-C
  141  the program that reads the output has ended
"""
ENVIRONMENT = """
environment:
  URNREGISTRY_URL    the address of the registry, instead of --url
  URNREGISTRY_TOKEN  an API token, for its higher limits
"""
UNCHANGED = {
    "": "Nothing of this was added to the copy.",
    "monitor": "The head that was kept stays in its file.",
    "audit": "The registry contradicts its log.",
}
EXAMPLES = {
    "": "urnregistry --help\n  URNREGISTRY_URL=https://registry.example.org urnregistry lookup isbn",
    "lookup": "urnregistry lookup isbn\n  urnregistry lookup --cache ~/.cache/urnregistry --offline isbn issn",
    "check": "urnregistry check urn:isbn:0451450523\n  urnregistry check --level syntax --json < urns.txt",
    "resolve": "urnregistry resolve urn:ietf:rfc:2648",
    "sync": "urnregistry sync registry.sqlite",
    "proof": "urnregistry proof 812.tlog-proof --key registry.example.org/audit-log+1c0a…+A…\n"
    "  urnregistry proof isbn.tlog-proof --version isbn-1.json --key registry.example.org/audit-log+1c0a…+A…\n"
    "  urnregistry proof isbn.tlog-proof --version isbn-1.json --text isbn-1.txt --policy policy.txt\n"
    "  urnregistry proof 812.tlog-proof --policy policy.txt",
    "monitor": "urnregistry monitor head.txt --key registry.example.org/audit-log+1c0a…+A…\n"
    "  urnregistry monitor head.txt --policy policy.txt --nid isbn --nid issn --person 'Example Registrant'",
    "audit": "urnregistry audit --policy policy.txt --head head.txt",
    "witness": "urnregistry witness-key witness.key --name witness.example.org\n"
    "  urnregistry witness state.json --new --key witness.key --log registry.example.org/audit-log+1c0a…+A…\n"
    "  urnregistry witness state.json --key witness.key --log registry.example.org/audit-log+1c0a…+A… --port 8090",
    "witness-key": "urnregistry witness-key witness.key --name witness.example.org",
    "verify": "urnregistry verify registry.sqlite --key registry.example.org/audit-log+1c0a…+A…",
}


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    _check_usage(options, options.parser)
    try:
        status = _status(options)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except BrokenPipeError:  # of the reader of the output
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    return status


def _check_usage(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """End with the usage of the command unless what belongs together is there."""
    if options.needs_registry and not options.url:
        parser.error("the address of the registry is missing: give --url or set URNREGISTRY_URL")
    if options.command == "proof" and options.text and not options.version:
        parser.error("give the version of the text with --version: it has the salts of the registrant")
    if options.command in {"proof", "monitor", "audit"} and not (options.key or options.policy):
        parser.error("give a verifier key of the log with --key, or a policy that names it with --policy")


def _status(options: argparse.Namespace) -> int:
    try:
        return _run(options)
    except (CopyError, NotChecked, PackageMissing, WitnessNotUsable) as fault:
        return _fail(options, str(fault), USAGE)
    except ProofRefused as refusal:
        return _fail(options, str(refusal), BAD)
    except LogError as fault:
        return _fail(options, f"{fault} {UNCHANGED.get(options.command, UNCHANGED[''])}", BAD)
    except Problem as problem:
        about = f" (request {problem.request_id})" if problem.request_id else ""
        return _fail(options, f"{problem.title}: {problem}{about}", FAILED)
    except RegistryError as fault:
        return _fail(options, str(fault), FAILED)
    except BrokenPipeError:
        raise
    except OSError as fault:
        what = f"“{fault.filename}”: {fault.strerror}." if fault.filename else str(fault)
        return _fail(options, what, USAGE)
    except ValueError as fault:  # of an option, or of a file
        return _fail(options, str(fault), USAGE)


def _run(options: argparse.Namespace) -> int:
    if not options.needs_registry:
        return int(options.run(options))
    settings = {"cache": options.cache, "offline": options.offline} if options.command == "lookup" else {}
    token = os.environ.get("URNREGISTRY_TOKEN")
    with Registry(options.url, token=token, **settings) as registry:
        run: Callable[[Registry, argparse.Namespace], int] = options.run
        return run(registry, options)


def _lookup(registry: Registry, options: argparse.Namespace) -> int:
    status = GOOD
    for nid in options.nids:
        try:
            namespace = registry.lookup(nid)
        except Problem as problem:
            if problem.name != "namespace-unknown":
                raise
            status = _fail(options, str(problem), BAD)
            continue
        if namespace.source == Source.CACHE:
            _say(f"“{nid}” comes from the cache, and may be out of date.", GOOD)
        _print(options, asdict(namespace), *_described(namespace))
    return status


def _described(namespace: NamespaceDetail) -> list[str]:
    state = "deprecated" if namespace.is_deprecated else "active"
    lines = [
        f"{namespace.nid}: {namespace.title or namespace.purpose or 'no title'} ({namespace.kind}, {state})"
    ]
    lines += [f"  registrant: {namespace.registrant}"] if namespace.registrant else []
    if namespace.deprecation:
        successor = namespace.deprecation.successor
        lines += [f"  deprecated: {namespace.deprecation.statement}"]
        lines += [f"  use instead: {successor}"] if successor else []
    return [*lines, *(f"  {each.label}: {each.target}" for each in namespace.references)]


def _check(registry: Registry, options: argparse.Namespace) -> int:
    status = GOOD
    for result in registry.check(_texts(options.urns), level=options.level):
        status = status if result.is_good else BAD
        verdict = "good" if result.is_good else "bad"
        verdict = (
            "unknown"
            if result.is_good and options.level != "syntax" and result.conformant is None
            else verdict
        )
        about = f" ({result.reason})" if result.reason else ""
        _print(options, asdict(result), f"{verdict}: {result.urn}{about}")
    return status


def _resolve(registry: Registry, options: argparse.Namespace) -> int:
    status = GOOD
    for found in registry.resolve_many(_texts(options.urns)):
        if found.address is None:
            status = BAD
        _print(options, asdict(found), found.address or f"{found.urn}: {found.reason}")
    return status


def _sync(registry: Registry, options: argparse.Namespace) -> int:
    with LocalCopy(options.file) as copy:
        done = registry.sync(copy)
    how = "made" if done.was_filled else "up to date"
    _print(
        options,
        asdict(done),
        f"The copy is {how}: event {done.position}, {_counted(done.events, 'new event')}.",
    )
    return GOOD


def _verify(registry: Registry, options: argparse.Namespace) -> int:
    if not os.path.exists(options.file):  # noqa: PTH110 (SQLite would create it)
        raise ValueError(f"“{options.file}” does not exist.")
    with LocalCopy(options.file) as copy:
        done = registry.verify(copy, options.key)
    events, heads = _counted(done.events, "event"), _counted(done.signed_heads, "signed head")
    text = f"The log still has the {events} and {heads} of the copy; signatures checked: {done.signatures}."
    _print(options, asdict(done), text)
    return GOOD


def _monitor(registry: Registry, options: argparse.Namespace) -> int:
    file = Path(options.file)
    if not (file.parent.is_dir() and os.access(file.parent, os.W_OK)):
        raise ValueError(f"The head can't be kept in “{file.parent}”: it is no folder that you can write to.")
    trust = Trust(tuple(options.key), _policy(options))
    kept = _kept_head(options.file, trust) if file.exists() else None
    if wrong := [each for each in options.nid if not NID.fullmatch(each)]:
        raise ValueError(
            f"“{wrong[0]}” is no NID, such as isbn: letters, digits and hyphens (RFC 8141, Section 2)."
        )
    with _keeping_evidence(options.file):
        found = registry.monitor(
            kept,
            trust,
            nids=options.nid,
            persons=options.person,
            patience=options.wait,
            waiting=_tell_of_waiting,
        )
    for event in found.events:
        _print(options, {"number": event.number, "event": event.members}, str(event))
    about = f"new events: {found.new_events}" if kept else "this head is the first one that is kept"
    if options.nid or options.person:
        about += f", told: {len(found.events)}"
    head = {"origin": found.head.origin, "size": found.head.size, "new_events": found.new_events}
    _print(
        options,
        head,
        f"The head of {_counted(found.head.size, 'event')} of {found.head.origin} is genuine; {about}.",
    )
    sys.stdout.flush()  # before the head is replaced: what could not be told is told again
    replace_file(file, found.note.encode())
    return GOOD


def _audit(registry: Registry, options: argparse.Namespace) -> int:
    def tell(done: int, total: int) -> None:
        if done == total or 10 * done // total > 10 * (done - WIDTH) // total:
            _say(f"{done:,} of {total:,} events compared.", GOOD)

    trust = Trust(tuple(options.key), _policy(options))
    kept = _kept_head(options.head, trust) if options.head else None
    with _keeping_evidence(options.head or "audit"):
        done = registry.audit(trust, kept=kept, patience=options.wait, tell=tell, waiting=_tell_of_waiting)
    members = {name: value for name, value in asdict(done).items() if name != "head"}
    continues = ", and continues the kept one" if kept else ""
    _print(
        options,
        {"origin": done.head.origin, "size": done.head.size} | members,
        f"The head of {_counted(done.head.size, 'event')} of {done.head.origin} is genuine{continues}.",
        f"Public events, which agree with their leaves: {done.public_events}. Events whose leaf others can't compute: "
        f"{done.events_without_leaf}.",
        f"Versions that are those of the log: {done.versions} of texts, {done.profiles} of profiles, {done.lists} of lists of "
        f"sub-namespaces. For the next head to prove: {done.later}.",
    )
    return GOOD


def _kept_head(path: str, trust: Trust) -> str:
    """Return the head in a file. Raises ValueError if it is damaged, which is no fault of the registry."""
    kept = _read(path)
    try:
        trust.head_in(kept)
    except ProofRefused as fault:
        what = f"“{path}” has no head of this log: {fault} Restore the head that was kept."
        raise ValueError(what) from fault
    return kept


@contextmanager
def _keeping_evidence(beside: str) -> Iterator[None]:
    """Write a head that is refused to a file beside another one."""
    try:
        yield
    except (HeadContradicted, LogBehind, HeadNotCosigned) as fault:
        if fault.note:
            refused = Path(f"{beside}.refused")
            replace_file(refused, fault.note.encode())
            advice = (
                "" if isinstance(fault, HeadNotCosigned) else " Keep it and the head before, and tell others."
            )
            _say(f"The newest head is now in “{refused}”.{advice}", BAD)
        raise


def _tell_of_waiting(seconds: float) -> None:
    _say(f"The newest head lacks cosignatures: waiting for them, at most {seconds:g} seconds (--wait).", GOOD)


def _policy(options: argparse.Namespace) -> Policy | None:
    """The policy in a file, whose octets beyond ASCII can be anything (c2sp.org/tlog-policy)."""
    text = _octets(options.policy).decode(errors="surrogateescape") if options.policy else None
    return None if text is None else Policy.parse(text)


def _prove(options: argparse.Namespace) -> int:
    """Check a proof. Nothing is sent anywhere."""
    policy = _policy(options)
    proven = verify_proof(_read(options.file), options.key, policy)
    lines = [str(proven)]
    if policy:
        seen = ", ".join(f"{name} at {_time(at)}" for name, at in proven.cosigners.items())
        lines.append(f"The policy trusts its head. Witnesses that cosigned it: {seen or 'none'}.")
    if options.version:
        text = _read(options.version)
        try:
            version = json.loads(text)
        except (ValueError, RecursionError) as fault:
            raise NotChecked(f"“{options.version}” is not JSON.") from fault
        verify_version(proven, version)
        lines.append(f"The sections in “{options.version}” are those that the event registered.")
        if options.text:
            verify_text(_read(options.text), version["sections"])
            lines.append(f"“{options.text}” is its text.")
    head = {"origin": proven.head.origin, "size": proven.head.size}
    found = {"number": proven.number, "event": proven.members, "head": head}
    _print(options, found | ({"cosigners": dict(proven.cosigners)} if policy else {}), *lines)
    return GOOD


def _time(seconds: int) -> str:
    """A time of a witness, which can be one that no calendar has."""
    try:
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"
    except (ValueError, OverflowError, OSError):
        return f"{seconds} seconds after 1970"


def _make_witness_key(options: argparse.Namespace) -> int:
    verifier = make_key(options.file, options.name)
    _print(options, {"verifier_key": verifier}, verifier)
    return GOOD


def _witness(options: argparse.Namespace) -> int:
    def tell(members: dict[str, Any], line: str) -> None:
        _print(options, members, line)
        sys.stdout.flush()

    serve(
        options.state, _read(options.key), options.log, (options.host, options.port), tell, is_new=options.new
    )
    return GOOD


def _seconds(text: str) -> float:
    """A number of seconds, from 0 to MAX_WAIT. Raises ArgumentTypeError."""
    with suppress(ValueError):
        if 0 <= (seconds := float(text)) <= MAX_WAIT:
            return seconds
    raise argparse.ArgumentTypeError(f"“{text}” is no number from 0 to {MAX_WAIT}")


def _read(path: str) -> str:
    """The text of a file in UTF-8. Raises ValueError for other octets."""
    try:
        return _octets(path).decode()
    except UnicodeDecodeError as fault:
        raise ValueError(f"“{path}” is not text in UTF-8: see octet {fault.start + 1}.") from fault


def _octets(path: str) -> bytes:
    """The octets of a file, of which more than a proof or a version can have are not read."""
    with open(path, "rb") as file:  # noqa: PTH123
        return file.read(MAX_FILE)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _texts(arguments: Iterable[str]) -> Iterator[str]:
    """The arguments, or the lines of the standard input, read in blocks as they are needed."""
    return iter(arguments) if arguments else (line.rstrip("\r\n") for line in sys.stdin)


def _print(options: argparse.Namespace, members: dict[str, Any], *lines: str) -> None:
    print(json.dumps(members, default=datetime.isoformat) if options.json else "\n".join(map(_shown, lines)))


def _fail(options: argparse.Namespace, text: str, status: int) -> int:
    """Say why there is no other result, with --json in an object as well."""
    if options.json:
        print(json.dumps({"error": text}))
    return _say(text, status)


def _say(text: str, status: int) -> int:
    print(f"urnregistry: {_shown(text)}", file=sys.stderr)
    return status


def _shown(text: str) -> str:
    """The text as one line that does nothing to a terminal."""
    return "".join(
        "\N{REPLACEMENT CHARACTER}" if unicodedata.category(each) in CONTROLS or each in DIRECTIONS else each
        for each in text
    )


def _parser() -> argparse.ArgumentParser:
    address, output = argparse.ArgumentParser(add_help=False), argparse.ArgumentParser(add_help=False)
    address.add_argument(
        "--url", default=os.environ.get("URNREGISTRY_URL"), help="the address of the registry"
    )
    output.add_argument(
        "--json", action="store_true", help="write one JSON object on each line, and errors as well"
    )
    parser = argparse.ArgumentParser(
        "urnregistry", description="Client of a registry of URN namespaces.", **_epilog("", ENVIRONMENT)
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(
        name: str, run: Callable[..., int], text: str, *, needs_registry: bool = True
    ) -> argparse.ArgumentParser:
        parents = [address, output] if needs_registry else [output]
        epilog = _epilog(name, ENVIRONMENT if needs_registry else "")
        command = commands.add_parser(name, help=text, description=text, parents=parents, **epilog)
        command.set_defaults(run=run, parser=command, needs_registry=needs_registry)
        return command

    lookup = add("lookup", _lookup, "Look up namespaces.")
    lookup.add_argument("nids", nargs="+", metavar="NID")
    lookup.add_argument(
        "--cache", metavar="DIRECTORY", help="keep lookups here, for when the registry is away"
    )
    lookup.add_argument("--offline", action="store_true", help="use the cache only")
    check = add("check", _check, "Check URNs by the rules of their namespaces.")
    check.add_argument("--level", choices=["namespace", "syntax"], default="namespace")
    resolve = add("resolve", _resolve, "Find the addresses of URNs.")
    for each in (check, resolve):
        each.add_argument(
            "urns", nargs="*", metavar="URN", help="without any: the lines of the standard input"
        )
    sync = add("sync", _sync, "Make a local copy of the registry, or bring it up to date.")
    proof = add("proof", _prove, "Check a proof of the audit log, without a network.", needs_registry=False)
    proof.add_argument("file", metavar="FILE", help="a file in the format of c2sp.org/tlog-proof")
    proof.add_argument(
        "--version", metavar="FILE", help="the version of a namespace that it proves, as JSON of the API"
    )
    proof.add_argument("--text", metavar="FILE", help="the completed template of the version, as plain text")
    witness = add(
        "witness",
        _witness,
        "Cosign the heads of logs that only grow (c2sp.org/tlog-witness). Ends with SIGTERM.",
        needs_registry=False,
    )
    witness.add_argument(
        "state", metavar="FILE", help="the last head of each log; keep it: never go back to an older one"
    )
    witness.add_argument(
        "--new", action="store_true", help="make the file, for a witness that has never cosigned"
    )
    witness.add_argument("--key", required=True, metavar="FILE", help="the private key of the witness")
    witness.add_argument(
        "--log",
        action="append",
        required=True,
        metavar="KEY",
        help="a verifier key of a log; can be repeated",
    )
    witness.add_argument("--host", default="127.0.0.1", help="the address to listen at; default: %(default)s")
    witness.add_argument(
        "--port", type=int, default=8090, help="default: %(default)s. A proxy adds HTTPS before it"
    )
    witness_key = add(
        "witness-key",
        _make_witness_key,
        "Make the private key of a witness, and print its verifier key.",
        needs_registry=False,
    )
    witness_key.add_argument("file", metavar="FILE", help="a new file")
    witness_key.add_argument("--name", required=True, help="an address without a scheme, which is unique")
    monitor = add(
        "monitor", _monitor, "Check that the log continues the last head that was kept, and tell what is new."
    )
    monitor.add_argument("file", metavar="FILE", help="the last head; made by the first call")
    monitor.add_argument(
        "--nid", action="append", default=[], help="tell events of this namespace; can be repeated"
    )
    monitor.add_argument(
        "--person",
        action="append",
        default=[],
        metavar="NAME",
        help="tell the events that this person made, by the name that the registry shows; can be repeated",
    )
    audit = add("audit", _audit, "Compare all that the registry publishes with its newest head.")
    audit.add_argument("--head", metavar="FILE", help="an earlier head, which the newest one has to continue")
    for each in (monitor, audit):
        each.add_argument(
            "--wait",
            type=_seconds,
            default=600,
            metavar="SECONDS",
            help="for cosignatures; default: %(default)s",
        )
    for each in (proof, monitor, audit):
        each.add_argument(
            "--key", action="append", default=[], help="a verifier key of the log; can be repeated"
        )
        each.add_argument(
            "--policy", metavar="FILE", help="which witnesses must have cosigned (c2sp.org/tlog-policy)"
        )
    verify = add("verify", _verify, "Compare a local copy with the log of the registry.")
    for each in (sync, verify):
        each.add_argument("file", metavar="FILE", help="a SQLite file")
    verify.add_argument(
        "--key", action="append", default=[], help="a verifier key of the log; can be repeated"
    )
    return parser


def _epilog(name: str, environment: str) -> dict[str, Any]:
    text = f"examples:\n  {EXAMPLES[name]}\n{environment}{EXIT_CODES}"
    return {"epilog": text, "formatter_class": argparse.RawDescriptionHelpFormatter}
