"""/desk/: the overview of each role, the queue, and transitions made from a list of decisions."""

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import RoleName, User
from registry.accounts.recent_sign_in import recent_sign_in_for
from registry.actions.declarations import Action
from registry.cases.inbox import desks_of, waiting_for_registrant
from registry.cases.models import Case
from registry.core.http.request_limits import accepts_body
from registry.core.validators import BodySize
from registry.review_desk.administrators.views import ASSIGNMENT_LIST
from registry.review_desk.decision_lists import perform_transition_from
from registry.review_desk.experts.actions import TAKE_CASE
from registry.review_desk.experts.queue import QUEUE_GROUP_BY_SLUG, queue_page, queue_pages
from registry.review_desk.liaison.views import APPROVAL_REQUEST_LIST
from registry.review_desk.permissions import QUEUE_ROLES, check_has_role, has_queue

SHOWN = 8
PAGE_SIZE = 50
DECISION_BY_SLUG = {
    transition.slug: (transition, decision_list)
    for decision_list in (ASSIGNMENT_LIST, APPROVAL_REQUEST_LIST)
    for transition in decision_list.transitions
}


@require_safe
def overview(request: SignedInRequest) -> HttpResponse:
    """The tasks of the user in each of their roles."""
    user = request.user
    check_has_role(user)
    context = {
        "queue_pages": queue_pages(user, limit=SHOWN) if has_queue(user) else [],
        "desks": [each for each in desks_of(user, at_most=SHOWN) if each.role != RoleName.EXPERT],
        "has_queue": has_queue(user),
        "take": _take_for(user),
        "own": waiting_for_registrant(user)[:SHOWN],
    }
    return render(request, "review_desk/overview.html", context)


@require_safe
def queue_group(request: SignedInRequest, name: str) -> HttpResponse:
    """One group of the experts' queue."""
    check_has_role(request.user, *QUEUE_ROLES)
    if name not in QUEUE_GROUP_BY_SLUG:
        raise Http404(f"There is no group “{name}”.")
    after = request.GET.get("after", "")
    page = queue_page(QUEUE_GROUP_BY_SLUG[name], request.user, limit=PAGE_SIZE, after=after)
    context = {"queue_page": page, "take": _take_for(request.user)}
    return render(request, "review_desk/experts/queue_group.html", context)


def _take_for(user: User) -> Action[Case] | None:
    """The action of the buttons in the queue, for experts."""
    return TAKE_CASE if RoleName.EXPERT in user.roles else None


@accepts_body(BodySize.TEXTS)
@require_POST
@recent_sign_in_for(*(transition for transition, _ in DECISION_BY_SLUG.values()))
def perform_transition(request: SignedInRequest, pk: int, name: str) -> HttpResponse:
    """Carry out a transition from a list of decisions, and return to the list."""
    slug = name.replace("_", "-")
    if slug not in DECISION_BY_SLUG:
        raise Http404(f"There is no transition “{name}” on the desk.")
    transition, decision_list = DECISION_BY_SLUG[slug]
    return perform_transition_from(decision_list, transition, request, pk)
