"""What waits in the inbox about addresses at which mail came back: for their owners, and for administrators."""

from datetime import timedelta

from allauth.account.models import EmailAddress
from django.db.models import Exists, F, OuterRef, QuerySet
from django.db.models.functions import Lower
from django.urls import reverse
from django.utils import timezone

from registry.accounts.models import RoleName, User
from registry.accounts.waiting import Line, WaitingKind, declare
from registry.mail.models import BouncedAddress

# Administrators can't confirm an address of another person: after this time, it is on the page of the outbox only.
NEW_FOR = timedelta(days=30)


def _own(user: User) -> QuerySet[BouncedAddress]:
    """The confirmed addresses of `user` at which mail came back."""
    confirmed = EmailAddress.objects.filter(user=user, verified=True).annotate(lowered=Lower("email"))
    return BouncedAddress.objects.filter(address__in=confirmed.values("lowered"))


def _of_others(user: User) -> QuerySet[BouncedAddress]:
    """For administrators: those of other active accounts at which mail came back lately."""
    if RoleName.ADMINISTRATOR not in user.roles:
        return BouncedAddress.objects.none()
    owned = EmailAddress.objects.alias(lowered=Lower("email")).filter(
        lowered=OuterRef("address"), verified=True, user__is_active=True
    )
    recent = BouncedAddress.objects.filter(bounced_at__gt=timezone.now() - NEW_FOR)
    return recent.filter(Exists(owned.exclude(user=user)))


declare(
    WaitingKind(
        name="own_bounce",
        label="Mail to you that came back",
        rows=_own,
        show=lambda bounce: Line(
            f"Mail to {bounce.address} came back",
            "confirm the address, or change it.",
            reverse("account:overview"),
        ),
        since="bounced_at",
        assignee=True,
    )
)
declare(
    WaitingKind(
        name="bounce",
        label="Mail that came back",
        rows=_of_others,
        show=lambda bounce: Line(
            f"Mail to {bounce.address} came back",
            "reach the person in another way. Only they can confirm the address.",
            f"{reverse('review_desk:outbox')}#bounced",
        ),
        since="bounced_at",
        person=F("address"),
        is_in_summary=True,
    )
)
