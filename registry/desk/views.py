"""/desk/: what waits for somebody in each of their roles."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import User
from registry.errors import NotForYou
from registry.registrations.waiting import desks_of

SHOWN = 10


def check_has_desk(user: User) -> None:
    """Raise NotForYou unless `user` holds a role."""
    if not user.roles:
        raise NotForYou("The desk is for designated experts, administrators and liaisons.")


@require_safe
def desk(request: SignedInRequest) -> HttpResponse:
    """What waits for this person, in each role that they hold."""
    check_has_desk(request.user)
    return render(request, "desk/desk.html", {"desks": desks_of(request.user, at_most=SHOWN)})
