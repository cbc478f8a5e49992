"""Small files that others wrote, such as manifests and signed heads."""

from http import HTTPStatus
from pathlib import Path

from registry.core.exceptions import RegistryError

MOST = 16 * 1024**2  # octets


class NotASmallFile(RegistryError):
    """A path is that of a folder, pipe or device, or of a file that is too large."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "This is no file of the expected kind"


def read_small(path: Path) -> bytes:
    """Return the content of a file. A pipe could have no beginning, a device no end. Raises NotASmallFile, or OSError."""
    if path.exists() and not path.is_file():
        raise NotASmallFile(f"{path} is a folder, a pipe or a device. Name a file.")
    with path.open("rb") as file:
        content = file.read(MOST + 1)
    if len(content) > MOST:
        raise NotASmallFile(f"{path} has more than {MOST} octets.")
    return content
