"""Proposed profiles as profiles: the profile that a proposal makes of the current one, and back.

A member that is empty stays as it is in the current profile. So do all keys that a proposal does not have.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from registry.namespaces.models import Namespace
from registry.namespaces.proposals.proposed_profile import MEMBERS, ProposedProfile
from urnsyntax.profiles import Profile

NO_GRAMMAR = "The registration states no grammar in ABNF."
# The facts of a profile that a proposal states, by its members.
FACT_BY_MEMBER = {"title": "title", "summary": "summary", "abnf": "grammar", "examples": "examples"}
# The NID in the texts of an informal namespace before its registration.
UNNUMBERED_NID = "urn-n"
_UNNUMBERED = re.compile(r"(?<![A-Za-z0-9-])urn-n(?![A-Za-z0-9-])", re.IGNORECASE)


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
        title=profile.title, summary=profile.summary, abnf=profile.names.abnf, examples=examples
    )


def with_number(proposed: ProposedProfile, namespace: Namespace) -> ProposedProfile:
    """The proposal for an informal namespace with the number that it got, in place of “urn-N”."""
    texts = {each.key: _UNNUMBERED.sub(namespace.nid, getattr(proposed, each.key)) for each in MEMBERS}
    return replace(proposed, **texts)


def fold(
    proposed: ProposedProfile, current: Profile | None, *, nid: str, subjects: Sequence[str] = ()
) -> Profile:
    """The profile after the proposal. Raises `InvalidProfile`.

    `subjects` are those of a namespace without a profile. The sources of what changes are the registration.
    """
    before = as_proposed(current)
    changed = {
        each.key: getattr(proposed, each.key)
        for each in MEMBERS
        if getattr(proposed, each.key) not in {"", getattr(before, each.key)}
    }
    content: dict[str, Any] = (
        current.to_dict() if current else {"nid": nid, "names": {"unstated": NO_GRAMMAR}}
    )
    content |= {key: " ".join(changed[key].split()) for key in ("title", "summary") if key in changed}
    content["names"] = _names(content["names"], changed)
    facts = {FACT_BY_MEMBER[key] for key in changed} | (set() if current else {"grammar"})
    sources = _sources_without(content.get("sources", []), facts)
    document = f"Registration of urn:{nid}"
    if facts:
        sources.append({"facts": sorted(facts), "kind": "registration", "document": document})
    if subjects:
        sources = _sources_without(sources, {"subjects"})
        sources.append({"facts": ["subjects"], "kind": "curated", "document": document})
        content["subjects"] = list(subjects)
    return Profile.from_dict(content | {"sources": sources})


def _names(names: dict[str, Any], changed: dict[str, str]) -> dict[str, Any]:
    if "abnf" in changed:
        others = {key: value for key, value in names.items() if key not in {"pattern", "unstated"}}
        names = others | {"abnf": changed["abnf"]}
    if "examples" in changed:
        names = names | {"examples": [example for _, example in example_lines(changed["examples"])]}
    return names


def _sources_without(sources: list[dict[str, Any]], facts: set[str]) -> list[dict[str, Any]]:
    """The sources of the other facts."""
    kept = ({**each, "facts": [fact for fact in each["facts"] if fact not in facts]} for each in sources)
    return [each for each in kept if each["facts"]]
