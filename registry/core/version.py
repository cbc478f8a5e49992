"""The version of the registry: that of `pyproject.toml`, of the newest release in `CHANGELOG.md`, and of its tag."""

import tomllib
from pathlib import Path


def version() -> str:
    """The number of the release that this code is, or comes before."""
    text = (Path(__file__).resolve().parents[2] / "pyproject.toml").read_text("utf-8")
    number: str = tomllib.loads(text)["project"]["version"]
    return number
