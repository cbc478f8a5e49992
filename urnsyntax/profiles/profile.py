"""Profiles: what people and programs need to know of a namespace beyond its registered template.

The classes are the schema: the same keys in TOML, in JSON and in a database.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..equivalence import EquivalenceRule
from ..urn import URN, normal_nss
from . import schema
from .check_digits import ALGORITHMS
from .conditions import Conditions, read_conditions
from .equivalence import EQUIVALENCES, equivalence_rules, parse_ignored
from .errors import InvalidIgnoredCharacters, InvalidProfile, InvalidRules, OtherNamespace
from .grammar.abnf import MAX_GRAMMAR
from .grammar.matching import Grammar, parse_grammar
from .grammar.patterns import MAX_PATTERN
from .judging import Judgement
from .schema import key
from .services.choice import Resolution, ServiceAddress, ServiceFinder, ServicesOfName, distinct
from .services.service import Service
from .subnamespaces.levels import MAX_LEVELS, Level, Walker, check_levels
from .verdicts import NameRules

if TYPE_CHECKING:
    from .subnamespaces.lists import SubNamespaces

SUBJECTS = (
    "bibliography", "education", "finance", "geography", "government", "health", "identity", "industry", "internet",
    "law", "logistics", "media", "science", "security", "software", "standards", "telecommunications", "transport",
)  # fmt: skip
FACTS = (
    "title", "resource", "summary", "organisation", "homepage", "subjects", "keywords", "specifications", "grammar",
    "comparison", "checks", "examples", "services",
)  # fmt: skip
SOURCE_KINDS = ("registration", "standard", "site", "curated")
"""`curated` marks the judgement of the registry."""

MAX_EXAMPLES = 50
MAX_PARTS = 40
MAX_CHECKS = 8
MAX_NOTES = 10
MAX_SERVICES = 30


def _ignored_characters(value: Any, at: str) -> str:
    characters: str = schema.text(40)(value, at)
    try:
        return parse_ignored(characters)
    except InvalidIgnoredCharacters as error:
        raise InvalidProfile.from_rules(at, error) from None


@dataclass(frozen=True, slots=True)
class Specification:
    """A document that specifies the identifiers."""

    title: str = key(schema.text(200))
    url: str = key(schema.url, "")


@dataclass(frozen=True, slots=True)
class Check:
    """Check digits of a part of the names, or of the whole NSS if `part` is "".

    `required` is false if the namespace allows names with other digits; then they are noted, but not refused. The check
    is for the names that have the parts of `only` with one of its values, like a service.
    """

    algorithm: str = key(schema.one_of(tuple(ALGORITHMS), "an algorithm"))
    part: str = key(schema.text(60), "")
    required: bool = key(schema.boolean, True)
    only: Conditions = key(read_conditions, ())  # noqa: RUF009  # a field, not a default value


@dataclass(frozen=True, slots=True)
class Example:
    """A name of the namespace, and what it names."""

    urn: str = key(schema.urn)
    description: str = key(schema.text(200), "")


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A URN that breaks the rules of the namespace, and why."""

    urn: str = key(schema.urn)
    reason: str = key(schema.text(200))


@dataclass(frozen=True)
class Names:
    """The rules for the names of a namespace. Exactly one of `abnf`, `pattern` and `unstated` is set."""

    abnf: str = key(schema.block(MAX_GRAMMAR), "")
    pattern: str = key(schema.text(MAX_PATTERN), "")
    unstated: str = key(schema.text(300), "")
    ignores_case: bool = key(schema.boolean, False)
    ignored_characters: str = key(_ignored_characters, "")
    equivalence: str = key(schema.one_of(tuple(EQUIVALENCES), "an equivalence"), "")
    notes: tuple[str, ...] = key(schema.list_of(schema.text(500), most=MAX_NOTES), ())
    parts: Mapping[str, str] | tuple[()] = key(
        schema.table_of(schema.text(60), schema.text(60), most=MAX_PARTS), ()
    )
    checks: tuple[Check, ...] = key(schema.objects_of(Check, most=MAX_CHECKS), ())
    examples: tuple[Example, ...] = key(schema.objects_of(Example, most=MAX_EXAMPLES), ())
    counterexamples: tuple[Counterexample, ...] = key(
        schema.objects_of(Counterexample, most=MAX_EXAMPLES), ()
    )

    @cached_property
    def grammar(self) -> Grammar | None:
        """The grammar; None if it is unstated. Raises `InvalidGrammar` or `InvalidPattern`."""
        return None if self.unstated else parse_grammar(abnf=self.abnf, pattern=self.pattern)

    @cached_property
    def equivalence_rules(self) -> tuple[EquivalenceRule, ...]:
        """The rules of `urnsyntax.equivalence` that the namespace adds to RFC 8141, Section 3."""
        return equivalence_rules(
            ignores_case=self.ignores_case,
            ignored_characters=self.ignored_characters,
            equivalence=self.equivalence,
        )

    @cached_property
    def rules(self) -> NameRules:
        """The rules, prepared for many names. Raises `InvalidGrammar` or `InvalidPattern`."""
        return NameRules(self)

    @property
    def sample_urns(self) -> list[str]:
        """The URNs of the examples and of the counterexamples."""
        return [*(each.urn for each in self.examples), *(each.urn for each in self.counterexamples)]

    @cached_property
    def labels(self) -> dict[str, str]:
        """The labels of the parts, by the name of their rule or group."""
        return dict(self.parts)


@dataclass(frozen=True, slots=True)
class Source:
    """Where facts of a profile come from."""

    facts: tuple[str, ...] = key(schema.list_of(schema.one_of(FACTS, "a fact"), least=1, most=len(FACTS)))
    kind: str = key(schema.one_of(SOURCE_KINDS, "a kind of source"))
    document: str = key(schema.text(200))
    section: str = key(schema.text(60), "")
    url: str = key(schema.url, "")


@dataclass(frozen=True)
class Profile:
    """The profile of a namespace.

    >>> profile = Profile.from_dict({
    ...     "nid": "example", "title": "Examples", "summary": "Names for examples.", "subjects": ["standards"],
    ...     "names": {"unstated": "Every NSS is allowed."},
    ...     "sources": [{"facts": ["title", "summary", "subjects", "grammar"], "kind": "standard",
    ...                  "document": "RFC 6963"}],
    ... })
    >>> profile.to_dict()["names"]
    {'unstated': 'Every NSS is allowed.'}
    """

    nid: str = key(schema.nid)
    title: str = key(schema.text(120))
    summary: str = key(schema.text(500))
    subjects: tuple[str, ...] = key(schema.list_of(schema.one_of(SUBJECTS, "a subject"), least=1, most=3))
    names: Names = key(schema.object_of(Names))  # noqa: RUF009  # a field, not a default value
    sources: tuple[Source, ...] = key(schema.objects_of(Source, least=1, most=30))
    resource: str = key(schema.text(80), "")
    organisation: str = key(schema.text(200), "")
    homepage: str = key(schema.url, "")
    keywords: tuple[str, ...] = key(schema.list_of(schema.text(60), most=15), ())
    specifications: tuple[Specification, ...] = key(schema.objects_of(Specification, most=20), ())
    services: tuple[Service, ...] = key(schema.objects_of(Service, most=MAX_SERVICES), ())
    levels: tuple[Level, ...] = key(schema.objects_of(Level, most=MAX_LEVELS), ())

    @classmethod
    def from_dict(cls, mapping: Mapping[str, Any]) -> "Profile":
        """The profile of a mapping. Raises `InvalidProfile` with the key, the place and the reason."""
        profile = schema.read_object(cls, mapping)
        check_names(profile.names, profile.nid)
        _ = profile.service_finder  # Made now, because it checks the services.
        _check_sources(profile)
        check_levels(profile.levels)
        return profile

    def to_dict(self) -> dict[str, Any]:
        """The mapping of the profile, without empty values: the inverse of `from_dict`."""
        return schema.write_object(self)

    def judge(self, urn: URN | str, entries: "SubNamespaces | None" = None) -> Judgement:
        """Judge a URN of the namespace by its rules, and by its sub-namespaces if they are given.

        Raises `InvalidURN` and `OtherNamespace`.
        """
        return Judgement(self._own(urn), self, entries=entries)

    def resolve(self, urn: URN | str, entries: "SubNamespaces | None" = None) -> Resolution:
        """The services that apply to a URN of the namespace, those of the innermost sub-namespace first.

        Raises `InvalidURN` and `OtherNamespace`.
        """
        return self.services_of(self._own(urn), entries).resolution

    def services_of(self, urn: URN, entries: "SubNamespaces | None" = None) -> ServicesOfName:
        """The services for a URN of the namespace, those of the innermost sub-namespace first. The names are judged here."""
        own = self.service_finder.services_of(urn)
        if not entries or self.walker is None:
            return own
        walk = self.walker.walk(normal_nss(urn.nss), entries)
        rests = reversed(walk.rests) if walk.conforms else ()
        below = [
            entry.service_finder(self.nid).services_of(urn, rest) for entry, rest in rests if entry.services
        ]
        if walk.conforms and not below:
            return own
        return own.in_subnamespaces(tuple(below), is_forbidden=not walk.conforms)

    def services_for(self, urn: URN | str, entries: "SubNamespaces | None" = None) -> list[ServiceAddress]:
        """The services that apply to a URN and have a safe address for it, each once, the best first; see `resolve`."""
        return list(distinct(self.resolve(urn, entries).services))

    @cached_property
    def service_finder(self) -> ServiceFinder:
        """Finds the services of a name. Raises `InvalidProfile` if a service does not fit the namespace."""
        return ServiceFinder(self.nid, self.names, self.services)

    @cached_property
    def walker(self) -> Walker | None:
        """Finds the sub-namespaces of a name; None if the profile has no levels."""
        return Walker(self.names, self.levels) if self.levels else None

    def _own(self, urn: URN | str) -> URN:
        parsed = urn if isinstance(urn, URN) else URN.parse(urn)
        if parsed.nid.lower() != self.nid:
            raise OtherNamespace(parsed.nid, self.nid)
        return parsed

    @property
    def facts(self) -> frozenset[str]:
        """The facts of `FACTS` that the profile states."""
        names = self.names
        stated = {fact for fact in FACTS if getattr(self, fact, ())}
        compared = names.ignores_case or names.ignored_characters or names.equivalence
        named = {"comparison": compared, "checks": names.checks, "examples": names.examples, "grammar": True}
        return frozenset(stated | {fact for fact, is_stated in named.items() if is_stated})


def check_names(names: Names, nid: str) -> None:
    """Raise `InvalidProfile` for rules that contradict each other, and for examples of another namespace."""
    stated = [each for each in ("abnf", "pattern", "unstated") if getattr(names, each)]
    if len(stated) != 1:
        reason = f"{' and '.join(stated)} are set." if stated else "The grammar is missing."
        raise InvalidProfile("names", reason, "Set exactly one of abnf, pattern and unstated.")
    try:
        grammar = names.grammar
    except InvalidRules as error:
        raise InvalidProfile.from_rules(f"names.{stated[0]}", error) from None
    if grammar is None and names.checks:
        raise InvalidProfile(
            "names.checks", "Check digits need a grammar.", "State the grammar, or remove them."
        )
    if grammar is None and names.labels:
        raise InvalidProfile("names.parts", "Parts need a grammar.", "State the grammar, or remove them.")
    if grammar:
        _check_parts(grammar, names)
    for kind in ("examples", "counterexamples"):
        for index, example in enumerate(getattr(names, kind)):
            if example.urn[4 : 5 + len(nid)].lower() != f"{nid}:":
                reason = f"“{example.urn}” belongs to another namespace."
                raise InvalidProfile(f"names.{kind}[{index}].urn", reason, f"Write urn:{nid}: and a name.")


def _check_parts(grammar: Grammar, names: Names) -> None:
    wanted = [("names.parts", tuple(names.labels))]
    wanted += [
        (f"names.checks[{i}].part", (check.part,)) for i, check in enumerate(names.checks) if check.part
    ]
    wanted += [
        (f"names.checks[{i}].only", tuple(check.only)) for i, check in enumerate(names.checks) if check.only
    ]
    for at, parts in wanted:
        try:
            grammar.check_parts(parts)
        except InvalidRules as error:
            raise InvalidProfile.from_rules(at, error) from None


def _check_sources(profile: Profile) -> None:
    seen: set[str] = set()
    for index, source in enumerate(profile.sources):
        for fact in source.facts:
            if fact in seen:
                raise InvalidProfile(f"sources[{index}].facts", f"“{fact}” has two sources.", "Keep one.")
            if fact not in profile.facts | {"comparison"}:
                reason = f"The profile does not state “{fact}”."
                raise InvalidProfile(f"sources[{index}].facts", reason, "Remove it.")
            seen.add(fact)
    if missing := [fact for fact in FACTS if fact in profile.facts - seen]:
        advice = "Add them to the facts of a source."
        raise InvalidProfile("sources", f"These facts have no source: {', '.join(missing)}.", advice)
