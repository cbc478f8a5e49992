"""The lists of sub-namespaces agree with the files of IANA that they were read from."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from tests.support.shared_data import shared
from urnsyntax.profiles import Profiles, load_profiles
from urnsyntax.profiles.subnamespaces.importing import IANA_LISTS, Row, difference, read_iana, refreshed

AS_OF = "2026-08-22"
NIDS = {"urn-serviceid-labels": "service", "alert-urns": "alert"}


def content_of(registry: str) -> bytes:
    return (shared("data/subnamespaces/iana") / f"{registry}.xml").read_bytes()


def list_of(nid: str) -> list[Row]:
    lines = Path(settings.BASE_DIR, "fixtures", "subnamespaces", f"{nid}.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("registry", sorted(IANA_LISTS))
def test_reading_a_file_again_changes_nothing(registry: str) -> None:
    nid = NIDS.get(registry, "ietf")
    content = content_of(registry)
    read = read_iana(content, nid, as_of=AS_OF)
    assert read
    listed = list_of(nid)
    # The lists in `fixtures` were read without histories, which the next import adds.
    again = [
        {name: value for name, value in row.items() if name != "history"} for row in refreshed(listed, read)
    ]
    assert difference(listed, again) == ((), (), ())
    # Each list that it is read from is in it.
    assert all(f'<registry id="{each.registry}">' in content.decode() for each in IANA_LISTS[registry])


def names_in(text: str) -> Iterator[str]:
    """The URNs in a text, found without its elements."""
    for found in re.findall(r"urn:(?:ietf:params|3gpp|gdr):[^\s<>\"?&]+", text):
        yield found.rstrip(".:,;")


@pytest.fixture(scope="module")
def profiles() -> Profiles:
    return load_profiles(Path(settings.BASE_DIR, "fixtures", "profiles"))


@pytest.mark.parametrize("registry", sorted(IANA_LISTS))
def test_no_name_in_a_file_of_iana_is_refused(profiles: Profiles, registry: str) -> None:
    judged = [profiles.judge(name) for name in sorted(set(names_in(content_of(registry).decode())))]
    assert [each.reason for each in judged if each and each.conformant is False] == []
