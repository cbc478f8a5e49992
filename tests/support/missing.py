"""Skips tests whose requirements are missing on this machine; in CI they fail instead."""

import os
from typing import NoReturn

import pytest


def missing(what: str) -> NoReturn:
    """Skip this test, or fail if the environment variable `CI` is set."""
    if os.environ.get("CI"):
        pytest.fail(what)
    pytest.skip(what, allow_module_level=True)
