"""Which witnesses make a head of a log trusted: a policy file in the format of https://c2sp.org/tlog-policy."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from urnregistry.signed_notes import COSIGNATURE, MAX_TEXT, cosigned_at, demand, parse_key

NONE = "none"
NUMBER = re.compile("[1-9][0-9]{0,4}")
FORBIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
WORD = re.compile("[^ \t]+")


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

    def check(self, note: str) -> dict[str, int]:
        """Return the witnesses that cosigned a head, by their names in the policy, with the times in seconds since 1970.

        Raises ProofRefused if they do not fulfil the quorum.
        """
        times = {name: cosigned_at(note, key) for name, key in self.witnesses.items()}
        cosigners = {name: at for name, at in times.items() if at is not None}
        reached = {NONE, *cosigners}
        for name, (needed, members) in self.groups.items():
            if len(reached.intersection(members)) >= needed:
                reached.add(name)
        seen = ", ".join(cosigners) or NONE
        what = f"The head lacks cosignatures: the policy asks for “{self.quorum}”, and of its witnesses {seen} cosigned."
        advice = "Others may see another log. If it stays so, keep the head, and ask the witnesses."
        demand(self.quorum in reached, f"{what} {advice}")
        return cosigners


class _Reader:
    """What the lines so far define."""

    def __init__(self) -> None:
        self.logs, self.quorum = list[str](), ""
        self.witnesses, self.groups = dict[str, str](), dict[str, tuple[int, tuple[str, ...]]]()
        self._seen: set[tuple[str, str | bytes]] = {("name", NONE)}

    def read(self, line: str) -> None:
        """Add what a line defines. Raises ValueError."""
        if FORBIDDEN.search(line):
            raise ValueError("A control character is forbidden, also that of a line break of Windows.")
        match WORD.findall(line):
            case ["log", key] | ["log", key, _]:
                self._note("log", parse_key(key)[2], "The key is there twice.")
                self.logs.append(key)
            case ["witness", name, key] | ["witness", name, key, _]:
                self._note("name", name, f"The name “{name}” is taken.")
                self._note("witness", parse_key(key, COSIGNATURE)[2], "The key is there twice.")
                self.witnesses[name] = key
            case ["group", name, number, *members] if members:
                self._note("name", name, f"The name “{name}” is taken.")
                needed = {"any": "1", "all": str(len(members))}.get(number, number)
                if not NUMBER.fullmatch(needed) or int(needed) > len(members):
                    raise ValueError(f"“{number}” is not `all`, `any` or a number from 1 to {len(members)}.")
                for each in members:
                    self._check_defined(each)
                    self._note("member", each, f"“{each}” is a member already: each counts once.")
                self.groups[name] = int(needed), tuple(members)
            case ["quorum", name]:
                self._note("line", "quorum", "There is a quorum already.")
                if name != NONE:
                    self._check_defined(name)
                self.quorum = name
            case [word, *_] if not word.startswith("#"):
                raise ValueError("It is not a line of a policy: log, witness, group or quorum.")

    def _note(self, kind: str, what: str | bytes, fault: str) -> None:
        """Note what must be there once."""
        if (kind, what) in self._seen:
            raise ValueError(fault)
        self._seen.add((kind, what))

    def _check_defined(self, name: str) -> None:
        if name not in self.witnesses and name not in self.groups:
            raise ValueError(f"No line before it defines “{name}”.")
