"""The folder of public data beside the checkout, which is not part of the project."""

from pathlib import Path

from tests.support.missing import missing

FOLDER = Path(__file__).resolve().parents[3] / "shared"


def shared(path: str) -> Path:
    """Return the path of a file or folder in the shared data, or skip the test."""
    found = FOLDER / path
    if not found.exists():
        missing(
            f"{found} is missing: this test reads public data from the folder “shared” beside the checkout"
        )
    return found
