"""The shared test vectors: strings from the tests of many URN libraries, with the expected results."""

import json

from tests.support.shared_data import shared


def vectors(name):
    """Return the vectors of one file."""
    return [json.loads(line) for line in shared(f"data/vectors/{name}").read_text("utf-8").splitlines()]
