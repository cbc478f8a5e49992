"""Confirming an address at which mail came back: a mail with a link, and its page."""

from allauth.account.models import EmailAddress
from allauth.core import ratelimit
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.core.signing import BadSignature, Signer
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from registry.accounts.middleware import SignedInRequest
from registry.core.exceptions import NotPermitted
from registry.core.form_views import get_or_post
from registry.mail import outbox
from registry.mail.bounces import bounces_at, clear_bounce
from registry.mail.models import BouncedAddress

SALT = "registry.accounts.bounced_addresses"


@require_POST
def check_address(request: SignedInRequest, pk: int) -> HttpResponse:
    """Mail a link to a confirmed address of the user at which mail came back."""
    address = get_object_or_404(EmailAddress, pk=pk, user=request.user, verified=True)
    bounce = bounces_at([address.email]).get(address.email.lower())
    if bounce is None:
        messages.info(request, f"No mail to {address.email} came back since it was confirmed.")
    elif not ratelimit.consume(request, action="confirm_email", key=bounce.address):
        messages.error(request, "A link was mailed less than 3 minutes ago. Try again in 3 minutes.")
    else:
        path = reverse("account:confirm_bounced_address", args=[token_for(bounce)])
        outbox.post("check_address", to=[address.email], context={"path": path, "bounce": bounce})
        messages.success(request, f"A link was mailed to {address.email}. Open it to confirm the address.")
    return redirect("account:overview")


@login_not_required
@get_or_post
@never_cache
def confirm_by_link(request: HttpRequest, token: str) -> HttpResponse:
    """The page of the mailed link. Only its button confirms the address."""
    try:
        key, bounced_at = Signer(salt=SALT).unsign_object(token)
    except BadSignature as fault:
        raise NotPermitted("This is not a link that the registry mailed.") from fault
    bounce = BouncedAddress.objects.filter(pk=key).first()
    if bounce is None or bounce.bounced_at.timestamp() != bounced_at:
        raise NotPermitted("This link is no longer valid: the address was confirmed, or mail bounced again.")
    if request.method != "POST":
        return render(request, "accounts/confirm_bounced_address.html", {"bounce": bounce})
    clear_bounce(bounce.address)
    messages.success(request, f"{bounce.address} is confirmed.")
    return redirect("home")


def token_for(bounce: BouncedAddress) -> str:
    """The link names no address, which must not be in logs, and confirms nothing if mail comes back again."""
    return Signer(salt=SALT).sign_object([bounce.pk, bounce.bounced_at.timestamp()])
