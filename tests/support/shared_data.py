"""The folder of public data beside the checkout, which tests read and the project never copies."""

from pathlib import Path

from tests.support.missing import missing

FOLDER = Path(__file__).resolve().parents[3] / "shared"


def shared(path: str) -> Path:
    """A file or folder of the shared data."""
    found = FOLDER / path
    if not found.exists():
        missing(
            f"{found} is missing: this test reads public data from the folder “shared” beside the checkout"
        )
    return found
