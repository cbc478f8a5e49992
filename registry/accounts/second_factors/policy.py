"""The second factor that roles need (`Role.suspended_from`): the notice before a role is suspended, and the page after it.

The days count from the first sign-in with the role, or from its grant until then.
"""

from collections.abc import Callable
from datetime import datetime
from http import HTTPStatus

from django.conf import settings
from django.contrib.auth.signals import user_logged_in
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from registry.accounts.models import Role, User
from registry.core.exceptions import NotPermitted
from registry.core.form_views import recovered_texts_of


def first_suspension(person: User) -> datetime | None:
    """Return the time from which a role of the person is suspended, or will be; None if none is."""
    times = [role.suspended_from for role in person.granted_roles.all() if role.suspended_from]
    return None if not times or person.has_second_factor else min(times)


def note_first_sign_in(user: User, **_signal: object) -> None:
    if settings.REQUIRE_SECOND_FACTOR:
        Role.objects.filter(user=user, signed_in_at=None).update(signed_in_at=timezone.now())


user_logged_in.connect(note_first_sign_in, dispatch_uid="second_factors.policy")


class SuspendedRoleMiddleware:
    """Answers a missing permission of a person whose role is suspended."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        user = request.user
        if not isinstance(exception, NotPermitted) or not isinstance(user, User) or not user.suspended_roles:
            return None
        # The page of the form, not what its button does.
        context = {"onward": request.get_full_path(), "recovered_texts": recovered_texts_of(request)}
        return render(request, "mfa/required.html", context, status=HTTPStatus.FORBIDDEN)
