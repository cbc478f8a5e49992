"""Skips tests whose requirements are missing on this machine; in CI they fail instead."""

import os
import shutil
from typing import NoReturn

import pytest


def missing(reason: str) -> NoReturn:
    """Skip this test, or fail if the environment variable `CI` is set. The reason is a clause: “X is missing”."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def program(name: str, package: str = "") -> str:
    """The path of a program that the test starts, and the package of Debian that has it."""
    return (
        shutil.which(name)
        or shutil.which(f"/usr/sbin/{name}")
        or missing(f"{name} is missing (apt-get install {package or name})")
    )
