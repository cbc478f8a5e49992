"""Test vectors: strings from the tests of many URN libraries, with the expected results."""

import json

from tests.data import FOLDER


def vectors(name):
    """Return the vectors of one file."""
    return [json.loads(line) for line in (FOLDER / "vectors" / name).read_text("utf-8").splitlines()]
