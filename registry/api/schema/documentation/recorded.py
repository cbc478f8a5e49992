"""The recorded examples: requests and responses of the application, which `python3 run.py docs` writes."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

EXAMPLES_FILE = Path(__file__).parents[1] / "examples.json"


@cache
def recorded_examples() -> Mapping[str, Any]:
    """The recording, as `registry.devserver.api_examples.recorder` describes it."""
    found: Mapping[str, Any] = json.loads(EXAMPLES_FILE.read_text("utf-8"))
    return found


def recorded_operation(name: str) -> Mapping[str, Any]:
    """What was recorded of an operation; empty of one that is new."""
    found: Mapping[str, Any] = recorded_examples()["operations"].get(name, {})
    return found


def recorded_problem(slug: str) -> Mapping[str, Any] | None:
    """A recorded problem of a type, if there is one."""
    found: Mapping[str, Any] | None = recorded_examples()["problems"].get(slug)
    return found
