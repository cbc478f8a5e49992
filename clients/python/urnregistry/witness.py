"""A witness of logs: it cosigns each head that continues the last one it saw, and no other.

The protocol is v1.0.0 of https://c2sp.org/tlog-witness with the cosignatures of https://c2sp.org/tlog-cosignature. The state is one
file, which is replaced as a whole before a cosignature leaves. A process that is killed at any step has either told no one of a
head, or the head is in the file.
"""

import base64
import json
import os
import re
import secrets
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from urnregistry.consistency import roots_of_consistency
from urnregistry.errors import RegistryError
from urnregistry.proofs import Checkpoint
from urnregistry.signed_notes import (
    COSIGNATURE,
    TIME_LENGTH,
    cosigned_text,
    decoded,
    is_valid,
    key_id_of,
    parse_key,
    signatures_of,
)

PRIVATE = "PRIVATE+KEY+"
FORMAT = 1
SEED_LENGTH = HASH_LENGTH = 32
MAX_HASHES = 63
MAX_SIGNATURES = 100
OLD = re.compile("old (0|[1-9][0-9]{0,17})")
SIZE = re.compile("0|[1-9][0-9]{0,17}")
SIGNATURE = re.compile("\N{EM DASH} [^ ]+ [A-Za-z0-9+/]+={0,2}")
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]")
NAME = re.compile(r"(?!https?:)[^\s+\x00-\x1f]{1,200}")
EMPTY_ROOT = bytes.fromhex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
SIZE_TYPE, TEXT_TYPE = "text/x.tlog.size", "text/plain; charset=utf-8"


class WitnessNotUsable(RegistryError):
    """The key or the state of a witness can't be used. The text says why, and what to do."""


class Answer(NamedTuple):
    """The status, the body and its media type that a witness replies with."""

    status: HTTPStatus
    body: str
    media_type: str = TEXT_TYPE


class Refused(Exception):
    """A request that is not answered with a cosignature."""

    def __init__(self, status: HTTPStatus, body: str, media_type: str = TEXT_TYPE) -> None:
        super().__init__(body)
        self.answer = Answer(status, f"{body}\n", media_type)


@dataclass(frozen=True, slots=True)
class WitnessKey:
    """The private key of a witness, whose seed is not shown."""

    name: str
    seed: bytes

    def __repr__(self) -> str:
        return f"WitnessKey({self.name!r})"

    @classmethod
    def generate(cls, name: str) -> "WitnessKey":
        """Make a key. `name` is an address without a scheme, such as witness.example.org. Raises WitnessNotUsable."""
        if not NAME.fullmatch(name):
            raise WitnessNotUsable(
                f"“{name[:80]}” can't be the name of a witness: it is empty or too long, has a space or “+”, or begins with a scheme."
            )
        return cls(name, secrets.token_bytes(SEED_LENGTH))

    @classmethod
    def parse(cls, text: str) -> "WitnessKey":
        """Read what `to_text` wrote. Raises WitnessNotUsable."""
        name, _, rest = text.removeprefix(PRIVATE).partition("+")
        key_id, _, encoded = rest.partition("+")
        octets = decoded(encoded)
        if text.startswith(PRIVATE) and NAME.fullmatch(name) and len(octets) == 1 + SEED_LENGTH:
            key = cls(name, octets[1:])
            if octets[:1] == COSIGNATURE and key.key_id.hex() == key_id:
                return key
        raise WitnessNotUsable(
            "The file is not the private key of a witness, as `urnregistry witness-key` writes it."
        )

    def to_text(self) -> str:
        """Return the secret: PRIVATE+KEY+NAME+ID+SEED."""
        return f"{PRIVATE}{self.name}+{self.key_id.hex()}+{_encoded(COSIGNATURE + self.seed)}"

    @property
    def public(self) -> bytes:
        octets: bytes = self._private.public_key().public_bytes_raw()
        return octets

    @property
    def key_id(self) -> bytes:
        return key_id_of(self.name, COSIGNATURE + self.public)

    @property
    def verifier(self) -> str:
        """The verifier key, which those who trust the witness note."""
        return f"{self.name}+{self.key_id.hex()}+{_encoded(COSIGNATURE + self.public)}"

    def cosign(self, text: str, at: int) -> str:
        """Return the signature line for the text of a checkpoint, at a time in seconds since 1970."""
        signature = self._private.sign(cosigned_text(text, at))
        return (
            f"\N{EM DASH} {self.name} {_encoded(self.key_id + at.to_bytes(TIME_LENGTH, 'big') + signature)}\n"
        )

    @property
    def _private(self) -> Any:
        try:  # it is optional
            from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        except ImportError as fault:
            raise WitnessNotUsable("To sign, run: pip install 'urnregistry[signatures]'.") from fault
        return Ed25519PrivateKey.from_private_bytes(self.seed)


def write_key(key: WitnessKey, path: Path) -> None:
    """Write a private key to a new file that only its owner can read. Raises WitnessNotUsable."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as fault:
        raise WitnessNotUsable(
            f"“{path}” exists. A key is never overwritten: choose another file."
        ) from fault
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(f"{key.to_text()}\n")
        file.flush()
        os.fsync(descriptor)
    _flush_folder(path)


class State:
    """The last head of each log, in a file that one process holds at a time. Use it as a context manager.

    Raises WitnessNotUsable. The file is made with `is_new` alone: a witness that forgot what it saw could cosign a fork.
    """

    def __init__(self, path: Path, verifier: str, *, is_new: bool = False) -> None:
        self._path, self._verifier = path.resolve(), verifier  # two names of a file have one lock
        self.notes: dict[str, str] = {}
        self._heads(is_new=is_new)  # before the file of the lock is made
        self._lock = _locked(self._path.with_name(f"{self._path.name}.lock"))
        try:
            self.notes = self._heads(is_new=is_new)
            if is_new:
                self._write({})
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "State":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let another process have the file."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def put(self, origin: str, note: str) -> None:
        """Replace the head of a log, and return once that lasts. Raises OSError."""
        self._write({**self.notes, origin: note})

    def _heads(self, *, is_new: bool) -> dict[str, str]:
        """The heads in the file, of which a new one has none."""
        if not is_new:
            return self._read()
        if self._path.exists():
            raise WitnessNotUsable(
                f"“{self._path}” exists, and --new is for the first start alone: start without --new."
            )
        return {}

    def _write(self, notes: dict[str, str]) -> None:
        replace_file(self._path, self._content(notes))
        self.notes = notes

    def _content(self, notes: dict[str, str]) -> bytes:
        content = {"format": FORMAT, "witness": self._verifier, "heads": notes}
        return (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode()

    def _read(self) -> dict[str, str]:
        try:
            content = json.loads(self._path.read_bytes())
            heads, verifier = content["heads"], content["witness"]
            is_known = content["format"] == FORMAT and set(content) == {"format", "witness", "heads"}
            is_known = is_known and all(_parsed(note)[0].origin == origin for origin, note in heads.items())
        except FileNotFoundError as fault:
            raise WitnessNotUsable(
                f"“{self._path}” does not exist. For a witness that has never cosigned, give --new. Otherwise restore the file: "
                "without it the witness could cosign a fork."
            ) from fault
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, Refused) as fault:
            raise WitnessNotUsable(f"“{self._path}” is not the state of a witness, or is damaged.") from fault
        if not is_known:
            raise WitnessNotUsable(f"“{self._path}” is not a state that this program knows.")
        if verifier != self._verifier:
            raise WitnessNotUsable(f"“{self._path}” is the state of another witness: {verifier}.")
        return dict(heads)


class Witness:
    """A witness of the logs with these verifier keys. Raises ValueError for a key that is none.

    `on_contradiction` gets a sentence, the last head of a log, and the signed one that was refused: evidence of a split view.
    """

    def __init__(
        self,
        key: WitnessKey,
        state: State,
        logs: Iterable[str],
        *,
        clock: Callable[[], float] = time.time,
        on_contradiction: Callable[[str, str, str], object] = lambda _what, _before, _now: None,
    ) -> None:
        self._key, self._state, self._clock, self._tell = key, state, clock, on_contradiction
        self._logs: dict[str, list[tuple[str, bytes, bytes]]] = {}
        for each in logs:
            parsed = parse_key(each)
            self._logs.setdefault(parsed[0], []).append(parsed)
        self._told: set[tuple[str, str]] = set()  # each of them was signed by a log
        self._one_at_a_time = Lock()

    def add_checkpoint(self, body: bytes) -> Answer:
        """Answer a request to cosign a head. The state has the head before this returns its cosignature."""
        try:
            old, hashes, note = _request(body)
            head, text, signatures = _parsed(note)
            self._check_signature(head.origin, text, signatures)
            _check_sizes(old, head.size)
            with self._one_at_a_time:
                if self._check_continues(head, note, old, hashes):
                    self._state.put(head.origin, note)
                line = self._key.cosign(text, int(self._clock()))
        except Refused as refusal:
            return refusal.answer
        except OSError as fault:
            reason = fault.strerror or "unknown"
            return Answer(HTTPStatus.SERVICE_UNAVAILABLE, f"The witness can't keep the head: {reason}.\n")
        return Answer(HTTPStatus.OK, line)

    def _check_signature(self, origin: str, text: str, signatures: str) -> None:
        if origin not in self._logs:
            raise Refused(HTTPStatus.NOT_FOUND, "This witness does not know the log.")
        if not _is_signed(text, signatures, self._logs[origin]):
            what = "The keys of the log that this witness knows did not sign the head, or one of their signatures is wrong."
            raise Refused(HTTPStatus.FORBIDDEN, what)

    def _check_continues(self, head: Checkpoint, note: str, old: int, hashes: list[bytes]) -> bool:
        """Return whether the head is a new one. Raises Refused unless it continues the last one.

        Only what the log signed is told as a contradiction: anyone can send a genuine head with a wrong proof.
        """
        known = self._state.notes.get(head.origin, "")
        last = _parsed(known)[0] if known else Checkpoint(head.origin, 0, EMPTY_ROOT)
        if old != last.size:
            raise Refused(HTTPStatus.CONFLICT, str(last.size), SIZE_TYPE)
        if head.size == last.size and head.root != last.root:
            what = f"The log has signed another head of {last.size} entries, which this witness has cosigned."
            self._tell_once(what, known, note)
            raise Refused(HTTPStatus.CONFLICT, what)
        if last.size == 0 or head.size == last.size:
            is_continued = not hashes
        else:
            is_continued = roots_of_consistency(last, head.size, hashes) == (last.root, head.root)
        if not is_continued:
            what = (
                f"The proof does not show that the head of {head.size} entries continues that of {last.size}."
            )
            raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, what)
        return not known or head.size > last.size

    def _tell_once(self, what: str, known: str, note: str) -> None:
        views = known.rpartition("\n\n")[0], note.rpartition("\n\n")[0]
        if views not in self._told:
            self._told.add(views)
            self._tell(what, known, note)


def _check_sizes(old: int, size: int) -> None:
    if old > size:
        raise Refused(HTTPStatus.BAD_REQUEST, f"The old size {old} is larger than the size {size}.")


def _request(body: bytes) -> tuple[int, list[bytes], str]:
    """Return the old size, the proof and the signed head of a request. Raises Refused."""
    try:
        above, separator, note = body.decode().partition("\n\n")
    except UnicodeDecodeError as fault:
        raise _malformed("it is not UTF-8") from fault
    first, *lines = above.split("\n")
    found, hashes = OLD.fullmatch(first), [decoded(line) for line in lines]
    if not found or not separator:
        raise _malformed("it does not begin with `old SIZE`, a proof and an empty line")
    if len(hashes) > MAX_HASHES or any(len(each) != HASH_LENGTH for each in hashes):
        raise _malformed(
            f"a line of the proof is not {HASH_LENGTH} octets in base64, or there are more than {MAX_HASHES}"
        )
    return int(found[1]), hashes, note


def _parsed(note: str) -> tuple[Checkpoint, str, str]:
    """Return what a signed head says, its text and its signature lines. Raises Refused."""
    text, separator, signatures = note.rpartition("\n\n")
    lines, (*signed, last) = text.split("\n"), signatures.split("\n")
    root = decoded(lines[2]) if len(lines) >= 3 and all(lines) and SIZE.fullmatch(lines[1]) else b""
    if len(root) != HASH_LENGTH or CONTROL.search(note):
        raise _malformed("it has no checkpoint")
    if (
        not separator
        or last
        or not 0 < len(signed) <= MAX_SIGNATURES
        or not all(map(SIGNATURE.fullmatch, signed))
    ):
        raise _malformed("the checkpoint has no signature lines")
    return Checkpoint(lines[0], int(lines[1]), root), f"{text}\n", signatures


def _malformed(why: str) -> Refused:
    return Refused(
        HTTPStatus.BAD_REQUEST, f"The request is not in the format of c2sp.org/tlog-witness: {why}."
    )


def _locked(path: Path) -> int:
    """Return a descriptor that holds the lock of a state. The lock ends with the process."""
    try:
        import fcntl
    except ImportError as fault:
        raise WitnessNotUsable(
            "A witness needs a system with locks of POSIX, such as Linux or macOS."
        ) from fault
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as fault:
        os.close(descriptor)
        raise WitnessNotUsable(f"Another process has the state: “{path}” is locked.") from fault
    return descriptor


def replace_file(path: Path, content: bytes) -> None:
    """Replace a file as a whole, and return once that lasts. Raises OSError; the file then has the old or the new content."""
    unfinished = path.with_name(f"{path.name}.new")
    with open(unfinished, "wb") as file:  # noqa: PTH123
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(unfinished, path)  # noqa: PTH105
    _flush_folder(path)


def _flush_folder(path: Path) -> None:
    """Make the name of a file last."""
    descriptor = os.open(path.resolve().parent, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _encoded(octets: bytes) -> str:
    return base64.b64encode(octets).decode()


def _is_signed(text: str, signatures: str, keys: Iterable[tuple[str, bytes, bytes]]) -> bool:
    """Whether parsed verifier keys of a log signed a text: one of them at least, and none wrongly. Other keys are ignored."""
    found = [
        is_valid(public, each, text.encode())
        for name, key_id, public in keys
        for each in signatures_of(name, key_id, signatures)
    ]
    return bool(found) and all(found)
