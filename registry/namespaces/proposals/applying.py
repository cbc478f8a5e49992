"""Proposed profiles as profiles: the profile that a proposal makes of the current one, and back.

A member that is empty stays as it is in the current profile. So do all keys that a proposal does not have.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from registry.namespaces.models import Kind, Namespace
from registry.namespaces.proposals.proposed_profile import MEMBERS, ProposedProfile
from registry.namespaces.proposals.services import as_lines, read_services, service_lines
from registry.registration_template.formatting import numbered
from urnsyntax.profiles import Names, Profile
from urnsyntax.profiles.grammar.matching import Grammar, parse_grammar
from urnsyntax.profiles.schema import read_object, write_object

NO_GRAMMAR = "The registrant proposed no grammar."
GRAMMAR_NOT_CONFIRMED = "The grammar that the registrant proposed is not confirmed."
# The facts of a profile that a proposal states, by its members.
FACT_BY_MEMBER = {
    "title": "title",
    "summary": "summary",
    "abnf": "grammar",
    "examples": "examples",
    "services": "services",
}


@dataclass(frozen=True, slots=True)
class ProposalOrigin:
    """The round that proposes a profile, and what it states there."""

    case: int
    round: int
    proposed: ProposedProfile


def example_lines(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    """The examples with the numbers of their lines: a URN, and what it names unless nothing follows it."""
    for number, line in enumerate(text.split("\n"), 1):
        urn, *description = line.split(maxsplit=1)[:2] or [""]
        if urn:
            yield number, {"urn": urn} | ({"description": description[0].strip()} if description else {})


def as_proposed(profile: Profile | None) -> ProposedProfile:
    """What a profile says, as its registrant would propose it. A grammar that is not ABNF is left out."""
    if profile is None:
        return ProposedProfile()
    examples = "\n".join(f"{each.urn}  {each.description}".strip() for each in profile.names.examples)
    return ProposedProfile(
        title=profile.title,
        summary=profile.summary,
        abnf=profile.names.abnf,
        examples=examples,
        services=as_lines(profile.services),
    )


def completed(proposed: ProposedProfile, current: Profile | None) -> ProposedProfile:
    """The proposal, with what it leaves empty as in the current profile."""
    before = as_proposed(current)
    keys = (each.key for each in MEMBERS)
    return ProposedProfile(**{key: getattr(proposed, key) or getattr(before, key) for key in keys})


def with_number(proposed: ProposedProfile, namespace: Namespace) -> ProposedProfile:
    """The proposal for the first version of an informal namespace, with its number in place of “urn-N”.

    The names of rules in a grammar and in address templates stay as they are.
    """
    if namespace.kind != Kind.INFORMAL or namespace.version > 1:
        return proposed
    keys = (each.key for each in MEMBERS if each.key != "abnf")
    return replace(proposed, **{key: numbered(getattr(proposed, key), namespace.nid) for key in keys})


def changes_of(proposed: ProposedProfile, current: Profile | None) -> dict[str, str]:
    """The members that the proposal states otherwise than the current profile."""
    before = as_proposed(current)
    texts = {each.key: getattr(proposed, each.key) for each in MEMBERS}
    return {key: text for key, text in texts.items() if text not in {"", getattr(before, key)}}


def apply_proposal(
    proposed: ProposedProfile,
    current: Profile | None,
    *,
    nid: str,
    subjects: Sequence[str] = (),
    origin: ProposalOrigin | None = None,
) -> Profile:
    """The profile after the proposal. Raises `InvalidProfile`, and `InvalidRules` for a grammar that is not one.

    Of the current profile, labels, check digits and counterexamples that do not fit a new grammar are left out.

    `subjects` replace the current ones, unless there are none. `origin` is the round that proposes the profile: what
    differs from it was changed at the confirmation. Without it, all is from the registrant.
    """
    changed, edited = changes_of(proposed, current), _edited(proposed, origin)
    unstated = GRAMMAR_NOT_CONFIRMED if "abnf" in edited else NO_GRAMMAR
    content: dict[str, Any] = current.to_dict() if current else {"nid": nid, "names": {"unstated": unstated}}
    content |= {key: " ".join(changed[key].split()) for key in ("title", "summary") if key in changed}
    content["names"] = names_with(content["names"], changed)
    if "services" in changed:
        content["services"] = _services(changed["services"], content["names"], current, nid)
    keys = changed.keys() | (set() if current else {"abnf"})
    registered, curated = _facts(keys - edited), _facts(keys & edited)
    if subjects and not (current and tuple(subjects) == current.subjects):
        content["subjects"] = list(subjects)
        curated.add("subjects")
    content["sources"] = _sources(content, registered, curated, origin)
    profile = Profile.from_dict(content)
    return _without_conformant_counterexamples(profile) if "abnf" in changed else profile


def _edited(proposed: ProposedProfile, origin: ProposalOrigin | None) -> set[str]:
    """The members that the round states otherwise."""
    before = origin.proposed if origin else proposed
    return {each.key for each in MEMBERS if getattr(before, each.key) != getattr(proposed, each.key)}


def _facts(members: Iterable[str]) -> set[str]:
    return {FACT_BY_MEMBER[key] for key in members}


def _without_conformant_counterexamples(profile: Profile) -> Profile:
    """The profile without the counterexamples of an earlier grammar that the new one allows."""
    kept = (each for each in profile.names.counterexamples if profile.judge(each.urn).conformant is False)
    return replace(profile, names=replace(profile.names, counterexamples=tuple(kept)))


def _services(text: str, names: dict[str, Any], current: Profile | None, nid: str) -> list[dict[str, Any]]:
    read = read_services(
        list(service_lines(text)),
        nid=nid,
        names=read_object(Names, names, "names"),
        current=current.services if current else (),
    )
    return [write_object(each) for each in read]


def names_with(names: dict[str, Any], changed: dict[str, str]) -> dict[str, Any]:
    """The rules for names after the changes. Raises `InvalidRules` for a grammar that is not one."""
    if "abnf" in changed:
        others = {key: value for key, value in names.items() if key not in {"pattern", "unstated"}}
        names = _with_parts_of(parse_grammar(abnf=changed["abnf"]), others) | {"abnf": changed["abnf"]}
    if "examples" in changed:
        names = names | {"examples": [example for _, example in example_lines(changed["examples"])]}
    return names


def _with_parts_of(grammar: Grammar, names: dict[str, Any]) -> dict[str, Any]:
    """The keys without the labels and check digits of parts that the grammar does not have."""
    known = {"", *grammar.part_names}
    parts = {part: label for part, label in names.get("parts", {}).items() if part in known}
    checks = [
        each
        for each in names.get("checks", [])
        if known.issuperset([each.get("part", ""), *each.get("only", ())])
    ]
    return names | {"parts": parts, "checks": checks}


def _sources(
    content: Mapping[str, Any], registered: set[str], curated: set[str], origin: ProposalOrigin | None
) -> list[dict[str, Any]]:
    """The sources of a content whose facts in `registered` and `curated` are new."""
    replaced = registered | curated | (set() if content["names"].get("checks") else {"checks"})
    kept = (
        {**each, "facts": [fact for fact in each["facts"] if fact not in replaced]}
        for each in content.get("sources", [])
    )
    round_ = f", case {origin.case}, round {origin.round}" if origin else ""
    document = f"Registration of urn:{content['nid']}{round_}"
    new = (
        {"facts": sorted(facts), "kind": kind, "document": document}
        for kind, facts in (("registration", registered), ("curated", curated))
    )
    return [each for each in (*kept, *new) if each["facts"]]
