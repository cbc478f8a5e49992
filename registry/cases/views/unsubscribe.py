"""/cases/unsubscribe/<key>/: the link in the headers of a mail. It works without signing in (RFC 8058)."""

from functools import partial
from http import HTTPStatus
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.core.signing import BadSignature
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt

from registry.accounts.models import User
from registry.cases.models import Case
from registry.cases.notifications.subscriptions import subscribed_by, unsubscribe
from registry.core.form_views import get_or_post, posted
from registry.mail.kinds import KIND_BY_NAME, Delivery
from registry.mail.preferences import choose, deliveries_of
from registry.mail.unsubscribe_links import read_key


@csrf_exempt  # the key is the permission; mail providers send no cookie
@login_not_required
@get_or_post
@never_cache
def unsubscribe_by_mail(request: HttpRequest, key: str) -> HttpResponse:
    """Only a POST unsubscribes, by the button of the page or by a mail provider: scanners follow links."""
    try:
        link = read_key(key)
    except (BadSignature, TypeError) as fault:
        raise Http404("This link is not from this registry, or it is incomplete.") from fault
    person = get_object_or_404(User, pk=link.person, is_active=True)
    context: dict[str, Any] = {"is_done": posted(request) is not None, "is_stale": not link.is_for(person)}
    if kind := KIND_BY_NAME.get(link.subject):
        context |= {"kind": kind, "was_off": deliveries_of(person).get(kind, Delivery.OFF) == Delivery.OFF}
        stop = partial(choose, person, {kind.name: Delivery.OFF})
    else:
        case = get_object_or_404(Case.objects.public(), pk=link.subject.removeprefix("case-"))
        context |= {"case": case, "was_off": not subscribed_by(person).filter(pk=case.pk).exists()}
        stop = partial(unsubscribe, case, by=person)
    if context["is_done"] and not context["is_stale"]:
        stop()
    status = HTTPStatus.GONE if context["is_stale"] else HTTPStatus.OK
    return render(request, "cases/unsubscribe_by_mail.html", context, status=status)
