"""/desk/liaison/: requests to the approval body."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import RoleName
from registry.cases.permissions import is_liaison
from registry.cases.workflow.available import transitions_with
from registry.review_desk.decision_lists import DecisionList, decision_page
from registry.review_desk.liaison.approval_requests import approval_requests_for

APPROVAL_REQUEST_LIST = DecisionList(
    RoleName.LIAISON,
    "review_desk:approval_requests",
    "review_desk/liaison/approval_requests.html",
    transitions_with(is_liaison),
    approval_requests_for,
)


@require_safe
def approval_requests(request: SignedInRequest) -> HttpResponse:
    """The requests to the approval body, longest waiting first."""
    return decision_page(request, APPROVAL_REQUEST_LIST)
