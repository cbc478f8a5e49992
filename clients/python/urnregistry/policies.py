"""Which witnesses make a head of a log trusted: a policy file in the format of https://c2sp.org/tlog-policy."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from urnregistry.proofs import ProofRefused
from urnregistry.signed_notes import COSIGNATURE, cosigned_at, parse_key

MAX_TEXT = 1_000_000  # characters
NONE = "none"
NUMBER = re.compile("[1-9][0-9]{0,4}")
FORBIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
BLANKS = re.compile("[ \t]+")


class MalformedPolicy(ValueError):
    """A text is not a policy. The message names the line."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The keys of logs, the keys of witnesses by the names that the file gives them, and the rule about cosignatures.

    A group, by its name, has a number, and members of which so many must have cosigned. Groups are in the order of the file.
    """

    logs: tuple[str, ...]
    witnesses: Mapping[str, str]
    groups: Mapping[str, tuple[int, tuple[str, ...]]]
    quorum: str

    @classmethod
    def parse(cls, text: str) -> "Policy":
        """Read the text of a policy file. Raises MalformedPolicy."""
        if len(text) > MAX_TEXT:
            raise MalformedPolicy(f"The policy has more than {MAX_TEXT} characters.")
        reader = _Reader()
        for number, line in enumerate(text.split("\n"), 1):
            try:
                reader.read(line)
            except ValueError as fault:
                raise MalformedPolicy(f"Line {number} of the policy: {fault}") from fault
        if not reader.quorum:
            raise MalformedPolicy("The policy has no line `quorum NAME`, such as `quorum none`.")
        return cls(tuple(reader.logs), reader.witnesses, reader.groups, reader.quorum)

    def cosigners(self, note: str) -> dict[str, int]:
        """Return the witnesses that cosigned a head, by their names in the policy, with the times in seconds since 1970."""
        found = {name: cosigned_at(note, key) for name, key in self.witnesses.items()}
        return {name: at for name, at in found.items() if at is not None}

    def check(self, note: str) -> dict[str, int]:
        """Return the cosigners of a head that fulfils the quorum. Raises ProofRefused if it does not."""
        cosigners = self.cosigners(note)
        reached = {NONE, *cosigners}
        for name, (needed, members) in self.groups.items():
            if len(reached.intersection(members)) >= needed:
                reached.add(name)
        if self.quorum not in reached:
            seen = ", ".join(cosigners) or "none"
            raise ProofRefused(
                f"The head lacks cosignatures: the policy asks for “{self.quorum}”, and of its witnesses {seen} cosigned. "
                "Others may see another log. If it stays so, keep the head, and ask the witnesses."
            )
        return cosigners


class _Reader:
    """What the lines so far define."""

    def __init__(self) -> None:
        self.logs: list[str] = []
        self.witnesses: dict[str, str] = {}
        self.groups: dict[str, tuple[int, tuple[str, ...]]] = {}
        self.quorum = ""
        self._log_keys, self._witness_keys, self._members = set[bytes](), set[bytes](), set[str]()

    def read(self, line: str) -> None:
        """Add what a line defines. Raises ValueError."""
        if FORBIDDEN.search(line):
            raise ValueError(
                "A control character is not allowed, not even the one before a line break of Windows."
            )
        match BLANKS.split(line.strip(" \t")):
            case [word, *_] if not word or word.startswith("#"):
                pass
            case ["log", key] | ["log", key, _]:
                self._note_key(self._log_keys, parse_key(key)[2])
                self.logs.append(key)
            case ["witness", name, key] | ["witness", name, key, _]:
                self._check_new(name)
                self._note_key(self._witness_keys, parse_key(key, COSIGNATURE)[2])
                self.witnesses[name] = key
            case ["group", name, needed, *members] if members:
                self._check_new(name)
                self.groups[name] = self._threshold(needed, len(members)), self._checked(members)
            case ["quorum", name]:
                if self.quorum:
                    raise ValueError("There is a quorum already.")
                if name != NONE:
                    self._check_known(name)
                self.quorum = name
            case _:
                raise ValueError("It is not a line of a policy: log, witness, group or quorum.")

    def _note_key(self, keys: set[bytes], public: bytes) -> None:
        if public in keys:
            raise ValueError("The key is there twice.")
        keys.add(public)

    def _check_new(self, name: str) -> None:
        if name == NONE or name in self.witnesses or name in self.groups:
            raise ValueError(f"The name “{name}” is taken.")

    def _check_known(self, name: str) -> None:
        if name not in self.witnesses and name not in self.groups:
            raise ValueError(f"No line before it defines “{name}”.")

    def _threshold(self, text: str, members: int) -> int:
        number = {"any": 1, "all": members}.get(text) or (int(text) if NUMBER.fullmatch(text) else 0)
        if not 1 <= number <= members:
            raise ValueError(f"“{text}” is not `all`, `any` or a number from 1 to {members}.")
        return number

    def _checked(self, members: list[str]) -> tuple[str, ...]:
        for name in members:
            self._check_known(name)
            if name in self._members:
                raise ValueError(f"“{name}” is a member already: each counts once.")
            self._members.add(name)
        return tuple(members)
