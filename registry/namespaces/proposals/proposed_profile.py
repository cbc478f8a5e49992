"""The proposed profile as a value. Forms, the API, comparisons and checks are derived from its members.

It is stored beside the template, and is part neither of its text nor of its digest.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

from registry.core.validators import MAX_TEXT_LENGTH, check_optional_text
from registry.registration_template.diff import SectionDiff, SectionPair, compare_sections
from urnsyntax.profiles.profile import MAX_EXAMPLES, MAX_SERVICES
from urnsyntax.profiles.schema import MAX_URN_LENGTH
from urnsyntax.profiles.services.templates import MAX_TEMPLATE

# One line for each URN or template, with up to 300 characters for white space and the description or title.
MAX_LENGTH_OF_EXAMPLES = MAX_EXAMPLES * (MAX_URN_LENGTH + 300)
MAX_LENGTH_OF_SERVICES = MAX_SERVICES * (MAX_TEMPLATE + 300)
PREFIX = "profile_"


@dataclass(frozen=True, slots=True)
class Member:
    """A member of the proposed profile: a text with a label and guidance. `lines` is its height on a page."""

    key: str
    label: str
    guidance: str
    lines: int = 1
    longest: int = MAX_TEXT_LENGTH
    is_code: bool = False
    sample: str = ""

    @property
    def name(self) -> str:
        """The name of its field, and of the section of its findings and differences."""
        return f"{PREFIX}{self.key}"

    @property
    def title(self) -> str:
        """The label outside the section of the profile, where sections of the template have titles too."""
        return f"{self.label} (profile)"

    def check(self, text: str) -> str:
        """The text as it is stored. Raises the errors of `registry.core.validators`."""
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        return check_optional_text(text, f"the {self.label.lower()}", longest=self.longest)


def _member(label: str, guidance: str, **options: Any) -> Any:
    return field(default="", metadata={"label": label, "guidance": guidance, **options})


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedProfile:
    """What a registrant states of a namespace: the default of each member is "", for nothing stated."""

    title: str = _member(
        "Title",
        "What is named, in at most 120 characters. Write out abbreviations.",
        sample="Trees of botanical gardens",
    )
    summary: str = _member(
        "Summary",
        "One to three sentences for people who do not know the namespace, in at most 500 characters.",
        lines=3,
        sample="Every tree of a garden has a name.",
    )
    abnf: str = _member(
        "Grammar",
        "ABNF (RFC 5234, RFC 7405). The first rule matches what follows “urn:”, the identifier and “:”.",
        lines=7,
        is_code=True,
        sample='tree = garden ":" number\ngarden = 1*3DIGIT\nnumber = 1*8DIGIT',
    )
    examples: str = _member(
        "Examples",
        "One URN on each line, then a space and what it names. With a grammar, give at least three.",
        lines=5,
        longest=MAX_LENGTH_OF_EXAMPLES,
        is_code=True,
        sample="urn:example-trees:12:4711  An oak\nurn:example-trees:1:1\nurn:example-trees:99:4",
    )
    services: str = _member(
        "Services",
        "One service on each line: its kind, its address template and its title. Write the best one first.",
        lines=3,
        longest=MAX_LENGTH_OF_SERVICES,
        is_code=True,
        sample="I2C https://gardens.example/trees/{number}?garden={garden}  Page of the tree",
    )

    def __post_init__(self) -> None:
        for member in MEMBERS:
            object.__setattr__(self, member.key, member.check(getattr(self, member.key)))

    def __bool__(self) -> bool:
        """Whether anything is stated."""
        return any(getattr(self, member.key) for member in MEMBERS)

    def to_json(self) -> dict[str, str]:
        """The stated members by their keys: nothing if nothing is stated."""
        texts = {member.key: getattr(self, member.key) for member in MEMBERS}
        return {key: text for key, text in texts.items() if text}

    @classmethod
    def from_json(cls, mapping: Mapping[str, str]) -> Self:
        """The inverse of `to_json`."""
        return cls(**mapping)


MEMBERS = tuple(Member(each.name, **each.metadata) for each in fields(ProposedProfile))


def compare_proposals(before: ProposedProfile, after: ProposedProfile) -> tuple[SectionDiff, ...]:
    """The differences between two proposed profiles: one for each member, also for equal ones."""
    pairs = (
        SectionPair(
            each.name, each.title, _lines(before, each), _lines(after, each), is_prose=not each.is_code
        )
        for each in MEMBERS
    )
    return compare_sections(pairs).sections


def _lines(proposed: ProposedProfile, member: Member) -> list[str]:
    text: str = getattr(proposed, member.key)
    return text.split("\n") if text else []
