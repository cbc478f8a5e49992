"""/desk/: what waits for somebody in each of their roles."""

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import RoleName, User
from registry.cases.inbox import desks_of, waiting_for_registrant
from registry.core.exceptions import NotPermitted
from registry.review_desk.experts.queue import QUEUE_GROUP_BY_SLUG, queue_page, queue_pages

SHOWN = 8
PAGE_SIZE = 50
QUEUE_ROLES = frozenset({RoleName.EXPERT, RoleName.LEADER})


def check_has_role(user: User) -> None:
    """Raise NotPermitted unless `user` holds a role."""
    if not user.roles:
        raise NotPermitted("The desk is for designated experts, administrators and liaisons.")


def has_queue(user: User) -> bool:
    """Whether `user` works as an expert, or leads those who do."""
    return bool(user.roles & QUEUE_ROLES)


@require_safe
def overview(request: SignedInRequest) -> HttpResponse:
    """What waits for this person, in each role that they hold."""
    user = request.user
    check_has_role(user)
    context = {
        "queue_pages": queue_pages(user, limit=SHOWN) if has_queue(user) else [],
        "desks": [each for each in desks_of(user, at_most=SHOWN) if each.role != RoleName.EXPERT],
        "has_queue": has_queue(user),
        "is_expert": RoleName.EXPERT in user.roles,
        "own": waiting_for_registrant(user)[:SHOWN],
    }
    return render(request, "review_desk/overview.html", context)


@require_safe
def queue_group(request: SignedInRequest, name: str) -> HttpResponse:
    """One group of the experts' queue, page by page."""
    if not has_queue(request.user):
        raise NotPermitted("The queue is for designated experts.")
    if name not in QUEUE_GROUP_BY_SLUG:
        raise Http404(f"There is no group “{name}”.")
    after = request.GET.get("after", "")
    page = queue_page(QUEUE_GROUP_BY_SLUG[name], request.user, limit=PAGE_SIZE, after=after)
    is_expert = RoleName.EXPERT in request.user.roles
    return render(
        request, "review_desk/experts/queue_group.html", {"queue_page": page, "is_expert": is_expert}
    )
