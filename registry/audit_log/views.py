"""Pages about the audit log: its published heads, and how to check them."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from registry.audit_log.heads import get_head
from registry.audit_log.models import LogPosition, SignedHead
from registry.audit_log.signing_keys import trusted_keys
from registry.core.pagination import Keyset

PAGE_SIZE = 50
NEWEST_FIRST = Keyset("-size")


@login_not_required
@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """The verifier keys, and the published heads, newest first."""
    page = NEWEST_FIRST.page(SignedHead.objects.all(), request.GET.get("after", ""), PAGE_SIZE)
    context = {
        "page": page,
        "newest": SignedHead.objects.last(),
        "keys": trusted_keys(),
        "events": LogPosition.current().number,
    }
    return render(request, "audit_log/overview.html", context)


@login_not_required
@require_safe
def checkpoint(request: HttpRequest) -> HttpResponse:
    """The newest signed head as a signed note."""
    return HttpResponse(get_head().note, content_type="text/plain; charset=utf-8")
