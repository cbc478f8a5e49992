"""Errors in files to import, with their positions."""

from http import HTTPStatus
from pathlib import Path

from registry.core.exceptions import RegistryError


class MalformedFile(RegistryError):
    """The file is malformed. `line` and `column` count from 1, or are 0 if unknown."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "The file is malformed"

    def __init__(self, reason: str, *, line: int = 0, column: int = 0) -> None:
        super().__init__(reason)
        self.reason, self.line, self.column = reason, line, column
        self.name = ""

    def __str__(self) -> str:
        place = f", line {self.line}" if self.line else ""
        place += f", column {self.column}" if self.column else ""
        return f"{self.name}{place}: {self.reason}" if self.name else f"{self.reason}{place}"


class NothingToRead(RegistryError):
    """The file does not exist, or the directory contains no file of the registry."""

    status = HTTPStatus.NOT_FOUND
    title = "Nothing to import"

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")


class URLNotAllowed(RegistryError):
    """The registry does not download from this URL."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "This URL is not allowed"

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(f"{url!a}: {reason}")


class DownloadFailed(RegistryError):
    """The download failed or was incomplete."""

    status = HTTPStatus.BAD_GATEWAY
    title = "The download failed"

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(f"{url}: {reason}")
