"""Middleware that leads a person whose role is suspended to a second factor, instead of a page that is not found."""

from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from registry.accounts.models import User
from registry.core.exceptions import NotPermitted
from registry.core.form_recovery import recovered_texts_of


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
