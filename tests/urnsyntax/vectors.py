"""The shared test vectors: strings from the tests of many URN libraries, with the expected results."""

import json
from pathlib import Path

_FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "vectors"


def vectors(name):
    """Return the vectors of one file."""
    return [json.loads(line) for line in (_FOLDER / name).read_text("utf-8").splitlines()]
