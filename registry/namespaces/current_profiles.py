"""The current profiles of namespaces, differences between them, and sentences about their rules for names."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from registry.core.validators import shortened
from registry.namespaces.models import Namespace, ProfileVersion
from registry.namespaces.profile_cache import cached_profile, parsed_profile
from registry.registration_template.checks.examples import SECTIONS_WITH_EXAMPLES, find_examples
from registry.registration_template.template import RegistrationTemplate
from urnsyntax import URN
from urnsyntax.profiles import Names, Profile
from urnsyntax.profiles.equivalence import EQUIVALENCES

CHARACTER_NAMES = {
    "-": "hyphens", ".": "full stops", ":": "colons", "/": "slashes", "_": "underscores", ",": "commas",
    ";": "semicolons", "+": "plus signs", "=": "equals signs", "~": "tildes", "*": "asterisks", "@": "at signs",
    "'": "apostrophes", "!": "exclamation marks", "$": "dollar signs", "&": "ampersands",
    "(": "opening parentheses", ")": "closing parentheses",
}  # fmt: skip


def profiles_of(nids: Iterable[str]) -> dict[str, Profile]:
    """The current profiles of these NIDs, in lower case, without those that have none.

    One query reads their digests, and another one the profiles that this process has not parsed yet.
    """
    current = Namespace.objects.filter(nid__in=set(nids), profile__isnull=False).order_by()
    digests = dict(current.values_list("nid", "profile__digest"))
    profiles = profiles_with(set(digests.values()))
    return {nid: profiles[digest] for nid, digest in digests.items() if digest in profiles}


def profiles_with(digests: Collection[str]) -> dict[str, Profile]:
    """The profiles with these digests. One query reads those that this process has not parsed yet.

    Versions of profiles are never changed, so a digest that was read from a namespace is found in one of them.
    """
    found = {digest: cached_profile(digest) for digest in digests}
    if unknown := [digest for digest, profile in found.items() if profile is None]:
        versions = (
            ProfileVersion.objects.filter(digest__in=unknown, content__isnull=False)
            .order_by("digest")
            .distinct("digest")
        )
        rows = versions.values_list("digest", "content")
        found |= {digest: parsed_profile(digest, content) for digest, content in rows if content}
    return {digest: profile for digest, profile in found.items() if profile}


def changed_keys(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> list[str]:
    """The keys in which the contents of two versions differ, such as "title" and "names.abnf"."""
    first, second = values_by_key(before), values_by_key(after)
    return sorted(key for key in first | second if first.get(key) != second.get(key))


def values_by_key(content: Mapping[str, Any] | None) -> dict[str, Any]:
    """The values of a content by keys such as "title" and "names.abnf"; nothing for a version that removes a profile."""
    content = content or {}
    names = {f"names.{key}": value for key, value in content.get("names", {}).items()}
    return {key: value for key, value in content.items() if key != "names"} | names


def contradiction(profile: Profile, urn: URN) -> str:
    """How a URN in a text contradicts the grammar, as a sentence; "" if it does not.

    Texts contain prefixes of names, names that are broken at the end of a line, and wrong check digits. So a name that
    lacks its end, a wrong check digit and a counterexample of the profile are not contradictions.
    """
    judgement, grammar = profile.judge(urn), profile.names.grammar
    if grammar is None or judgement.conformant is not False or grammar.matches(judgement.nss):
        return ""
    lacks_its_end = judgement.position == len(urn.assigned_name)
    is_counterexample = any(
        profile.judge(each.urn).nss == judgement.nss for each in profile.names.counterexamples
    )
    return "" if lacks_its_end or is_counterexample else judgement.reason


class Contradiction(NamedTuple):
    """A name in a section that the grammar forbids, and why, as a sentence."""

    section: str
    text: str
    reason: str


def contradictions_in(template: RegistrationTemplate, profile: Profile) -> Iterator[Contradiction]:
    """The names of the namespace in a template that contradict the grammar, each once."""
    seen: set[str] = set()
    for section in SECTIONS_WITH_EXAMPLES:
        for example in find_examples(getattr(template, section)):
            if example.urn is None or example.nid != profile.nid or example.text in seen:
                continue
            seen.add(example.text)
            if reason := contradiction(profile, example.urn):
                yield Contradiction(section, example.text, reason)


def contradictions_in_text(namespace: Namespace, profile: Profile) -> Iterator[str]:
    """The names in the current registered text that contradict the grammar of a profile, as sentences."""
    if namespace.latest is None:
        return
    for each in contradictions_in(namespace.latest.template, profile):
        yield f"The registration contains {shortened(each.text)}, but: {each.reason}"


def comparison_in_words(names: Names) -> str:
    """What a comparison of two names ignores, in sentences; "" if RFC 8141, Section 3.1, alone applies."""
    function = EQUIVALENCES[names.equivalence].description if names.equivalence else ""
    ignored = ["letter case"] if names.ignores_case else []
    ignored += [CHARACTER_NAMES[each] for each in names.ignored_characters]
    listed = " and ".join(filter(None, [", ".join(ignored[:-1]), *ignored[-1:]]))
    sentences = (
        function and f"Names are compared {function}.",
        listed and f"Ignored when names are compared: {listed}.",
    )
    return " ".join(filter(None, sentences))
