"""/accounts/tokens/: list, create, rotate and revoke the tokens of the user."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from registry.accounts.forms import MakeTokenForm
from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import Token
from registry.accounts.recent_sign_in import ACCOUNT_CHANGES, recent_sign_in_required
from registry.accounts.tokens import revoke_token, rotate_token
from registry.core.form_views import form_page, get_or_post, lead_to, posted, process_form, take_action
from registry.core.new_secrets import WithSecret


@require_safe
def tokens(request: SignedInRequest) -> HttpResponse:
    mine = Token.objects.filter(owner=request.user, revoked_at=None)
    return render(request, "accounts/tokens/list.html", {"tokens": mine})


@get_or_post
@recent_sign_in_required(ACCOUNT_CHANGES)
@never_cache
def make(request: SignedInRequest) -> HttpResponse:
    """Create a token. The response is the only place where its secret is shown."""
    form = MakeTokenForm(posted(request))

    def create() -> HttpResponse:
        return _show_secret(request, form.create(by=request.user))

    return process_form(form, create, form_page(request, "accounts/tokens/create.html", {"form": form}))


@get_or_post
@recent_sign_in_required(ACCOUNT_CHANGES)
@never_cache
def rotate(request: SignedInRequest, pk: int) -> HttpResponse:
    """Replace the secret of a token. The response is the only place where the new one is shown."""
    token = get_object_or_404(Token, pk=pk, owner=request.user)
    page = form_page(request, "accounts/tokens/rotate.html", {"token": token})
    if request.method != "POST":
        return page()
    return take_action(lambda: _show_secret(request, rotate_token(token, by=request.user)), page)


def _show_secret(request: SignedInRequest, made: WithSecret[Token]) -> HttpResponse:
    return render(request, "accounts/tokens/created.html", {"token": made.record, "made": made})


@get_or_post
@recent_sign_in_required(ACCOUNT_CHANGES)
def revoke(request: SignedInRequest, pk: int) -> HttpResponse:
    token = get_object_or_404(Token, pk=pk, owner=request.user)
    if request.method == "POST":
        revoke_token(token, by=request.user)
        return lead_to(request, f"The token “{token}” was revoked.", "tokens:list")
    return render(request, "accounts/tokens/revoke.html", {"token": token})
