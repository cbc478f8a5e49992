"""What a test needs and this machine lacks: the test is skipped, but in CI, where all has to be there, it fails."""

import os
from typing import NoReturn

import pytest


def missing(what: str) -> NoReturn:
    """Give up this test. CI is where the variable `CI` is set, whatever to."""
    if os.environ.get("CI"):
        pytest.fail(what)
    pytest.skip(what)
