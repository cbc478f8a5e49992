"""Secrets that were just made, and are stored nowhere."""

from typing import Generic, NamedTuple, TypeVar

Record = TypeVar("Record")


class WithSecret(NamedTuple, Generic[Record]):
    """A token or a webhook with its new secret, which reports of errors do not contain."""

    record: Record
    secret: str

    def __repr__(self) -> str:
        return f"{self.record!r} with its secret"
