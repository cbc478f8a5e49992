"""Default deny: sign-in is required for all views that are not marked as public."""

from collections.abc import Callable
from typing import Any

from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponseBase

from registry.accounts.models import User
from registry.core import form_views


class SignedInRequest(HttpRequest):
    """The request of a view that requires sign-in."""

    user: User


class DefaultDenyMiddleware(LoginRequiredMiddleware):
    """Django's LoginRequiredMiddleware, without access to the session for public views.

    Django reads the session first. This takes two queries for signed-in visitors and adds "Vary: Cookie" to every
    response, so that shared caches cannot store it.
    """

    def process_view(
        self,
        request: HttpRequest,
        view_func: Callable[..., HttpResponseBase],
        view_args: tuple[Any, ...],
        view_kwargs: dict[str, Any],
    ) -> HttpResponseBase | None:
        if not getattr(view_func, "login_required", True):
            return None
        refusal = super().process_view(request, view_func, view_args, view_kwargs)
        return refusal and (form_views.session_expired(request) or refusal)
