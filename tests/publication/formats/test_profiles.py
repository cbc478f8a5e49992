"""`profiles.json` and `bioregistry.json`: the current profiles of all namespaces."""

import json
import re
from typing import Any

import pytest

from registry.accounts.models import User
from registry.namespaces.actions.deprecation import deprecate
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Namespace, Origin
from registry.publication.formats.export_formats import FILES
from registry.publication.formats.json_files import pattern_of, record
from tests.support.factories import a_profile, describe
from tests.urnsyntax.profiles.samples import PROFILES
from urnsyntax.profiles import Profile
from urnsyntax.profiles.grammar.matching import PatternGrammar


def written(name: str) -> Any:
    return json.loads(b"".join(FILES[name].write()))


def described(nid: str, **changes: Any) -> Profile:
    namespace, _ = Namespace.objects.get_or_create(nid=nid, kind="formal", origin=Origin.IANA)
    profile = a_profile(nid, **changes)
    describe(namespace, profile)
    return profile


@pytest.mark.django_db
def test_a_registry_without_profiles_has_empty_files() -> None:
    Namespace.objects.create(nid="bare", kind="formal", origin=Origin.IANA)
    assert written("profiles.json") == {"log_position": 0, "profiles": []}
    assert written("bioregistry.json") == {}


@pytest.mark.django_db
def test_the_current_profiles_are_complete_and_in_order(administrator: User) -> None:
    profiles = [described(nid, keywords=["Bäume"]) for nid in ("zzz", "aaa", "mmm")]
    newer = described("mmm", title="Newer")
    removed = Namespace.objects.get(nid="zzz")
    set_profile(removed, by=administrator, profile=None, basis="It was wrong.", replaces=1)
    contents = written("profiles.json")["profiles"]
    assert contents == [profiles[1].to_dict(), newer.to_dict()]
    assert list(map(Profile.from_dict, contents)) == [profiles[1], newer]


@pytest.mark.django_db
def test_the_fields_are_those_of_the_bioregistry(administrator: User) -> None:
    described("isbn", homepage="https://books.example/", keywords=["book"])
    described("bare", unstated="The registration states none.")
    deprecate(Namespace.objects.get(nid="bare"), by=administrator, statement="No more.")
    assert written("bioregistry.json") == {
        "bare": {
            "prefix": "bare",
            "name": "Trees of gardens",
            "description": "Every tree has a name.",
            "example": "12:4711",
            "keywords": ["science"],
            "deprecated": True,
        },
        "isbn": {
            "prefix": "isbn",
            "name": "Trees of gardens",
            "description": "Every tree has a name.",
            "homepage": "https://books.example/",
            "pattern": "^(?:[0-9]+:[0-9]+)$",
            "example": "12:4711",
            "keywords": ["science", "book"],
        },
    }


@pytest.mark.parametrize("profile", PROFILES, ids=[each.nid for each in PROFILES])
def test_the_patterns_agree_with_the_grammars(profile: Profile) -> None:
    fields, grammar = record(profile), profile.names.grammar
    assert fields["prefix"] == profile.nid
    assert all(isinstance(fields[name], str) and fields[name] for name in ("name", "description", "example"))
    assert ("pattern" in fields) == (grammar is not None)
    if grammar is None:
        return
    pattern = re.compile(fields["pattern"])
    assert pattern.match(fields["example"])
    for each in (*profile.names.examples, *profile.names.counterexamples):
        nss = profile.judge(each.urn).nss
        assert bool(pattern.match(nss)) == grammar.matches(nss), nss


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("[0-9]+|x", "^(?:[0-9]+|x)$"),
        ("(?P<year>[0-9]{4})", "^(?:(?P<year>[0-9]{4})$)".replace("$)", ")$")),
        ("[[:digit:]]+", ""),
        (r"\pN+", ""),
        ("(?U)a+", ""),
        ("a{,2}", ""),
    ],
)
def test_a_pattern_that_only_re2_takes_is_left_out(pattern: str, expected: str) -> None:
    assert pattern_of(PatternGrammar(pattern)) == expected
