"""The folder of public data beside the checkout, which tests read and the project never copies."""

import os
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent.parent.parent / "shared"


def shared(path: str) -> Path:
    """A file or folder of the shared data; without it the test is skipped, or fails where CI=true."""
    found = FOLDER / path
    if not found.exists():
        reason = (
            f"{found} is missing: this test reads public data from the folder “shared” beside the checkout"
        )
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return found
