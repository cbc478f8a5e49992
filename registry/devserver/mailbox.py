"""/demo/mailbox/: the mails of the demonstration, which has no mail server. A deployment has no such page."""

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from registry.core.pagination import Keyset
from registry.mail.models import Message

SHOWN = 20
NEWEST_FIRST = Keyset("-pk")


@login_not_required
@require_safe
@never_cache
def mailbox(request: HttpRequest) -> HttpResponse:
    """Show all mails, or those to one address. Newcomers who are not signed in find their confirmation link here."""
    if not settings.IS_DEMONSTRATION:
        raise Http404("Only the demonstration shows its mails.")
    address = request.GET.get("to", "").replace("\0", "").strip()
    mails = Message.objects.filter(to__iexact=address) if address else Message.objects.all()
    page = NEWEST_FIRST.page(mails, request.GET.get("after", ""), SHOWN)
    return render(request, "devserver/mailbox.html", {"page": page, "address": address})
