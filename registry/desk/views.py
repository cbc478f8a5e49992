"""/desk/: what waits for somebody in each of their roles."""

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import RoleName, User
from registry.desk.queue import GROUP_BY_SLUG, part_of, parts_of
from registry.errors import NotForYou
from registry.registrations.waiting import desks_of, waiting_for_registrant

SHOWN = 8
PAGE_SIZE = 50
OF_EXPERTS = frozenset({RoleName.EXPERT, RoleName.LEADER})


def check_has_desk(user: User) -> None:
    """Raise NotForYou unless `user` holds a role."""
    if not user.roles:
        raise NotForYou("The desk is for designated experts, administrators and liaisons.")


def has_queue(user: User) -> bool:
    """Whether `user` works as an expert, or leads those who do."""
    return bool(user.roles & OF_EXPERTS)


@require_safe
def desk(request: SignedInRequest) -> HttpResponse:
    """What waits for this person, in each role that they hold."""
    user = request.user
    check_has_desk(user)
    context = {
        "parts": parts_of(user, at_most=SHOWN) if has_queue(user) else [],
        "desks": [each for each in desks_of(user, at_most=SHOWN) if each.role != RoleName.EXPERT],
        "is_of_experts": has_queue(user),
        "is_expert": RoleName.EXPERT in user.roles,
        "own": waiting_for_registrant(user)[:SHOWN],
    }
    return render(request, "desk/desk.html", context)


@require_safe
def group(request: SignedInRequest, name: str) -> HttpResponse:
    """One group of the experts' queue, page by page."""
    if not has_queue(request.user):
        raise NotForYou("The queue is for designated experts.")
    if name not in GROUP_BY_SLUG:
        raise Http404(f"There is no group “{name}”.")
    after = request.GET.get("after", "")
    part = part_of(GROUP_BY_SLUG[name], request.user, at_most=PAGE_SIZE, after=after)
    is_expert = RoleName.EXPERT in request.user.roles
    return render(request, "desk/group.html", {"part": part, "is_expert": is_expert})
