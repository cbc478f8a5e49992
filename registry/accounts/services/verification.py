"""The check that an account is verified: its owner has confirmed the e-mail address."""

from http import HTTPStatus

from registry.accounts.models import User
from registry.core.exceptions import RegistryError


class AddressNotConfirmed(RegistryError):
    """The account has no confirmed address, so it can't act, and gets no role, part or offer."""

    status = HTTPStatus.FORBIDDEN
    title = "The address is not confirmed"


def check_is_verified(person: User) -> None:
    """Raise AddressNotConfirmed unless the owner of the account has confirmed its address."""
    if not person.is_verified:
        raise AddressNotConfirmed(
            f"The e-mail address of {person} has not been confirmed. "
            "The owner confirms it with the link that the registry mailed, on the page “E-mail addresses”."
        )
