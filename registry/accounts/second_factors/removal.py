"""Removal of the second factors of a person who lost them, from the command line."""

from http import HTTPStatus

from allauth.mfa.models import Authenticator
from django.db import transaction

from registry.accounts.models import RoleName, User, addresses
from registry.audit_log import log
from registry.core.exceptions import RegistryError
from registry.mail import outbox


class NoSecondFactor(RegistryError):
    """The account has no second factor."""

    status = HTTPStatus.CONFLICT
    title = "No second factor"


@transaction.atomic
def remove_second_factors(person: User, *, reason: str) -> None:
    """Remove passkeys, app and recovery codes. The person, all administrators and the audit log learn of it.

    The password still signs in. A role that needs a second factor is suspended until the person adds one.
    """
    deleted, _ = Authenticator.objects.filter(user=person).delete()
    if not deleted:
        raise NoSecondFactor(
            f"The account of {person} has no passkey, no authenticator app and no recovery code."
        )
    event = log.append("remove_second_factors", by=None, reason=reason, person=person.pk)
    administrators = User.objects.holding(RoleName.ADMINISTRATOR)
    context = {"event": event, "person": person}
    to = addresses([person, *administrators])
    outbox.post("remove_second_factors", to=to, context=context, event_number=event.number)
