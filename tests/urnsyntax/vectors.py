"""The shared vectors: strings from the tests of many URN libraries, each with the verdict of the RFC."""

import json
from pathlib import Path

_FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "vectors"


def vectors(name):
    """The vectors of one file."""
    return [json.loads(line) for line in (_FOLDER / name).read_text("utf-8").splitlines()]
