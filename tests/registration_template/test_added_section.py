"""Adding an optional section: one declaration, which everything uses, and no digest changes."""

import subprocess
import sys

import pytest
from django.conf import settings

from registry.registration_template.parsing.parser import parse_template


@pytest.mark.exhaustive
def test_a_section_is_declared_once_and_changes_no_digest() -> None:
    paths = sorted((settings.BASE_DIR / "fixtures" / "cases").glob("*.txt"))
    digests = [parse_template(path.read_text(encoding="utf-8")).template.digest() for path in paths]
    # In a process of its own, in which the section is declared from the start.
    command = [sys.executable, "-m", "tests.registration_template.with_added_section", *map(str, paths)]
    extended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert extended.stderr == ""
    assert extended.stdout.split() == digests
    assert len(set(digests)) > 10
