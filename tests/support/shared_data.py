"""The folder of public data beside the checkout, which is not part of the project: texts and whole files by others."""

from pathlib import Path

from tests.support.missing import missing

FOLDER = Path(__file__).resolve().parents[3] / "shared"


def shared(path: str) -> Path:
    """Return the path of a file or folder in the shared data, or skip the test."""
    if not FOLDER.is_dir():
        missing("../shared is missing, with completed templates and files by others")
    found = FOLDER / path
    if not found.exists():
        missing(f"{found} is missing")
    return found
