"""Secrets that were just made, and are stored nowhere."""

from typing import Generic, NamedTuple, TypeVar

Owner = TypeVar("Owner")


class WithSecret(NamedTuple, Generic[Owner]):
    """A token or a webhook with its new secret, which reports of errors do not contain."""

    owner: Owner
    secret: str

    def __repr__(self) -> str:
        return f"{self.owner!r} with its secret"
