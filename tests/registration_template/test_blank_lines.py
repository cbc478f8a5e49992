"""Texts with very many blank lines: the time that they take grows with their length, not with its square."""

import subprocess
import sys

import pytest

from registry.registration_template.normal_form import normalize_text

PATIENCE = 60  # seconds until the test fails; a guard, not a measure
NORMALIZE = """
from registry.registration_template.normal_form import normalize_text
assert normalize_text("\\n" * 1_000_000 + "a" + "\\n" * 1_000_000) == "a"
"""


@pytest.mark.exhaustive
def test_millions_of_blank_lines_are_removed() -> None:
    subprocess.run([sys.executable, "-c", NORMALIZE], check=True, timeout=PATIENCE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("\n", ""),
        (" \t\n\r\n\f", ""),
        ("\n \n  a\n\n    b \n\t\n", "a\n\n  b"),
        ("a", "a"),
        ("\na", "a"),
        ("a\n", "a"),
    ],
)
def test_blank_lines_at_both_ends_are_removed(text: str, expected: str) -> None:
    assert normalize_text(text) == expected
