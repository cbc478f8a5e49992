"""Template filters for profiles: where facts come from, and what check digits there are."""

import re
from collections.abc import Collection, Iterable

from django import template

from urnsyntax.profiles import Check, Names, Profile, Source
from urnsyntax.profiles.check_digits import ALGORITHMS
from urnsyntax.profiles.profile import FACTS

register = template.Library()

LABELS = {fact: fact for fact in FACTS} | {"resource": "named resource", "checks": "check digits"}
# The facts about who is responsible, on the page of a namespace.
ABOUT = {"resource": "Each URN names", "organisation": "Organisation", "homepage": "Homepage"}

# What a page says of the sources of each kind.
ORIGINS = {
    "registration": "From the registration",
    "standard": "From the standard",
    "site": "From the site of the organisation",
    "curated": "Curated by the registry",
}


@register.filter
def origin(source: Source) -> str:
    """The kind of a source, such as "Curated by the registry"."""
    return ORIGINS[source.kind]


@register.filter
def sources_by_fact(profile: Profile) -> list[tuple[str, Source]]:
    """The labels of the facts that have a source, in the order of `FACTS`, each with the source."""
    return [(LABELS[fact], source) for fact, source in _sources(profile).items()]


@register.filter
def about(profile: Profile) -> dict[str, tuple[str, str]]:
    """The facts of ABOUT that the profile states, each with its label and its value."""
    return {fact: (label, value) for fact, label in ABOUT.items() if (value := getattr(profile, fact))}


@register.filter
def origins(profile: Profile, facts: str | Collection[str]) -> str:
    """Where these facts come from, such as "From the registration: title, homepage. Curated by the registry: summary."

    `facts` are names of `FACTS`, which a text separates by spaces. Facts that the profile does not state are left out.
    """
    facts = facts.split() if isinstance(facts, str) else facts
    groups: dict[str, list[str]] = {}
    for fact, source in _sources(profile).items():
        if fact in facts:
            groups.setdefault(origin(source), []).append(LABELS[fact])
    if len(groups) == 1:
        return next(iter(groups))
    return " ".join(f"{each}: {', '.join(named)}." for each, named in groups.items())


@register.filter
def in_words(checks: Iterable[Check], names: Names) -> list[str]:
    """The check digits of the names, such as "ISBN", "GTIN, in number of the tree" and "Luhn (noted, not required)"."""
    labels = names.labels
    return [
        ALGORITHMS[each.algorithm].label
        + (f", in {labels.get(each.part, each.part)}" if each.part else "")
        + ("" if each.required else " (noted, not required)")
        for each in checks
    ]


@register.filter
def labelled_parts(names: Names) -> list[tuple[str, str]]:
    """The rules that have a label, with the label, in the order of the grammar."""
    grammar = (names.abnf or names.pattern).lower()

    def place(part: tuple[str, str]) -> int:
        rule = re.escape(part[0].lower())
        found = re.search(rf"^[ \t]*{rule}[ \t]*=|<{rule}>", grammar, re.MULTILINE)
        return found.start() if found else len(grammar)

    return sorted(names.labels.items(), key=place)


def _sources(profile: Profile) -> dict[str, Source]:
    found = {fact: source for source in profile.sources for fact in source.facts}
    return {fact: found[fact] for fact in FACTS if fact in found}
