"""What is wrong with a file that was to be read, and where."""

from http import HTTPStatus
from pathlib import Path

from registry.core.exceptions import RegistryError


class MalformedFile(RegistryError):
    """The file is not what it should be. `line` and `column` count from 1; 0 where there is none to name."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "This file can't be read"

    def __init__(self, reason: str, *, line: int = 0, column: int = 0) -> None:
        super().__init__(reason)
        self.reason, self.line, self.column = reason, line, column
        self.name = ""

    def __str__(self) -> str:
        place = f", line {self.line}" if self.line else ""
        place += f", column {self.column}" if self.column else ""
        return f"{self.name}{place}: {self.reason}" if self.name else f"{self.reason}{place}"


class NothingToRead(RegistryError):
    """There is no such file, or a directory without a file of the registry."""

    status = HTTPStatus.NOT_FOUND
    title = "Nothing to read"

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")


class URLNotAllowed(RegistryError):
    """The registry reads from no such address."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Nothing is read from there"

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(f"{url!a}: {reason}")


class DownloadFailed(RegistryError):
    """The address did not give a file, or not all of one."""

    status = HTTPStatus.BAD_GATEWAY
    title = "The address gave no file"

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(f"{url}: {reason}")
