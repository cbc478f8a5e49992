"""Pages to list, create and revoke one's tokens."""

from http import HTTPStatus

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_safe

from registry.accounts.forms.tokens import MakeTokenForm
from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import Token
from registry.accounts.services.tokens import revoke_token
from registry.accounts.views.roles import get_or_post
from registry.core.exceptions import RegistryError


@require_safe
def tokens(request: SignedInRequest) -> HttpResponse:
    mine = Token.objects.filter(owner=request.user, revoked_at=None)
    return render(request, "accounts/tokens/list.html", {"tokens": mine})


@get_or_post
@never_cache
@sensitive_variables("secret")
def make(request: SignedInRequest) -> HttpResponse:
    """Create a token and show its secret in this response; the secret is not stored."""
    form = MakeTokenForm(request.POST if request.method == "POST" else None)
    context: dict[str, object] = {"form": form}
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.is_bound else HTTPStatus.OK
    if form.is_bound and form.is_valid():
        try:
            token, secret = form.make(by=request.user)
        except RegistryError as refusal:
            context["refusal"], status = refusal, refusal.status
        else:
            return render(request, "accounts/tokens/created.html", {"token": token, "secret": secret})
    return render(request, "accounts/tokens/create.html", context, status=status)


@get_or_post
def revoke(request: SignedInRequest, pk: int) -> HttpResponse:
    token = get_object_or_404(Token, pk=pk, owner=request.user)
    if request.method == "POST":
        revoke_token(token, by=request.user)
        messages.success(request, f"The token “{token}” was revoked.")
        return redirect("tokens:list")
    return render(request, "accounts/tokens/revoke.html", {"token": token})
