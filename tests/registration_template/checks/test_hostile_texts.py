"""Checks of long texts that repeat one thing: their time grows with the length only."""

import dataclasses

import pytest

from registry.registration_template.checks.runner import check_template
from tests.registration_template.checks.test_checks import SOUND
from tests.support.linear_time import assert_linear_time

LENGTH = 60_000


@pytest.mark.slow
@pytest.mark.sampled(15)
@pytest.mark.parametrize(
    ("section", "text"),
    [
        ("resolution", "xxx " * (LENGTH // 4) + "."),
        ("syntax", "a" + "\n" * LENGTH + "b"),
        ("purpose", "a" + " " * LENGTH + "b"),
        ("resolution", "[" * LENGTH + "."),
        ("syntax", " ".join(f"urn:other:{number}" for number in range(LENGTH // 16))),
        ("purpose", " ".join(f"urn:o{number}:a" for number in range(LENGTH // 12))),
        ("syntax", " ".join(f"urn:wxn:{number}" for number in range(LENGTH // 14))),
        ("resolution", "Section 1" + ", 1" * (LENGTH // 3) + "a"),
        ("documentation", "no" + " external" * (LENGTH // 9)),
        ("purpose", "?" * LENGTH + "a"),
        ("purpose", "a" + "-" * LENGTH + "\n"),
        ("assignment", "not " * (LENGTH // 4)),
        ("assignment", "stay a a " * (LENGTH // 9)),
        ("assignment", "not " + "a" * LENGTH),
    ],
    ids=[
        "placeholders",
        "lines",
        "spaces",
        "brackets",
        "others",
        "NIDs",
        "examples",
        "sections",
        "adjectives",
        "question marks",
        "dashes",
        "negations",
        "verbs",
        "long word",
    ],
)
def test_a_hostile_text_is_checked_in_linear_time(section: str, text: str) -> None:
    def check(text: str) -> None:
        check_template(dataclasses.replace(SOUND, **{section: text}), kind="formal")

    assert_linear_time(check, text, "Names are assigned in order. " * (LENGTH // 29))
