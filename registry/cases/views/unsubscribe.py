"""/cases/unsubscribe/<key>/: the link in the headers of a mail. It works without signing in (RFC 8058)."""

from django.contrib.auth.decorators import login_not_required
from django.core.signing import BadSignature
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt

from registry.accounts.models import User
from registry.cases.models import Case
from registry.cases.notifications.subscriptions import unsubscribe
from registry.core.form_views import get_or_post, posted
from registry.mail.unsubscribe_links import read_key


@csrf_exempt  # the key is the permission; mail providers send no cookie
@login_not_required
@get_or_post
@never_cache
def unsubscribe_by_mail(request: HttpRequest, key: str) -> HttpResponse:
    """Only a POST unsubscribes, by the button of the page or by a mail provider: scanners follow links."""
    is_done = posted(request) is not None
    try:
        thread, number = read_key(key)
    except BadSignature as fault:
        raise Http404("This link is not one of the registry, or it was shortened.") from fault
    person = get_object_or_404(User, pk=number, is_active=True)
    case = get_object_or_404(Case.objects.public(), pk=thread.removeprefix("case-"))
    if is_done:
        unsubscribe(case, by=person)
    return render(request, "cases/unsubscribe_by_mail.html", {"case": case, "is_done": is_done})
