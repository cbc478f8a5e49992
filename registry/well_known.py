"""Well-known addresses (RFC 8615): the security contact, and where to change a password."""

from datetime import UTC, datetime, time, timedelta

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_safe

# RFC 9116, Section 2.5.5, recommends less than a year. The date moves on for as long as the registry runs.
VALID_FOR = timedelta(days=90)


@login_not_required
@require_safe
def security_txt(request: HttpRequest) -> HttpResponse:
    """The contact for reports of vulnerabilities (RFC 9116); 404 without SECURITY_CONTACT."""
    if not settings.SECURITY_CONTACT:
        raise Http404
    expires = datetime.combine(timezone.now().date() + VALID_FOR, time(), UTC)
    lines = [
        *(f"Contact: {contact}" for contact in settings.SECURITY_CONTACT),
        f"Expires: {expires:%Y-%m-%dT%H:%M:%SZ}",
        "Preferred-Languages: en",
        f"Canonical: {settings.PUBLIC_ORIGIN}/.well-known/security.txt",
    ]
    return HttpResponse("".join(f"{line}\n" for line in lines), "text/plain; charset=utf-8")


@login_not_required
@require_safe
def change_password(request: HttpRequest) -> HttpResponse:
    """Lead password managers to the form (https://w3c.github.io/webappsec-change-password-url/)."""
    return redirect("account_change_password")
