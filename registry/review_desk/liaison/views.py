"""The liaison's pages below /desk/: requests to the approval body, and bodies that request the fast track."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Prefetch, QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import Body, RoleName, User
from registry.actions.pages import decisions_page
from registry.audit_log.models import Event
from registry.cases.bodies import DECISIONS
from registry.cases.deadlines import Deadline, deadline_of
from registry.cases.models import Case, Review, Round, State, Verdict, known_bodies
from registry.cases.permissions import is_liaison
from registry.cases.workflow.available import transitions_with
from registry.core.pagination import Keyset
from registry.review_desk.administrators.assignments import latest_rounds
from registry.review_desk.decision_lists import DecisionList, decision_page
from registry.review_desk.permissions import check_has_role

# The reviews to show to the approval body: reports and, in an appeal, the reasons for declining.
VERDICTS_FOR_BODY = frozenset({Verdict.REPORT, Verdict.DECLINE})


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """A case that the approval body must decide, with its reviews and appeal."""

    case: Case
    round: Round
    reviews: tuple[Review, ...]
    appeal: Event | None
    deadline: Deadline | None

    @property
    def is_about_body(self) -> bool:
        return self.case.state == State.IN_REVIEW


def approval_requests_for(cases: Sequence[Case]) -> list[ApprovalRequest]:
    """The requests of a page. The namespace, registrant and body of each case must be loaded."""
    rounds, appeals = latest_rounds(cases), _appeals(cases)
    reviews = defaultdict(list)
    body_reviews = Review.objects.filter(round__in=rounds.values(), verdict__in=VERDICTS_FOR_BODY)
    for review in body_reviews.select_related("expert", "taken_back").order_by("pk"):
        reviews[review.round_id].append(review)
    requests = []
    for case in cases:
        if round_ := rounds.get(case.pk):
            case.latest_round = round_
            of_round = tuple(reviews[round_.pk])
            requests.append(ApprovalRequest(case, round_, of_round, appeals.get(case.pk), deadline_of(case)))
    return requests


def _appeals(cases: Sequence[Case]) -> dict[int, Event]:
    numbers = [case.pk for case in cases if case.appealed_at]
    if not numbers:
        return {}
    events = Event.objects.filter(case_number__in=numbers, verb="appeal").select_related("actor")
    return {event.case_number: event for event in events if event.case_number}


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


PAGE_SIZE = 30
CASES_SHOWN = 5
BY_NAME = Keyset("name", "pk")


def _with_cases(bodies: QuerySet[Body], most: int) -> QuerySet[Body]:
    cases = Case.objects.public().select_related("namespace").order_by("-pk")[:most]
    return bodies.prefetch_related("representatives", Prefetch("cases", cases, to_attr="latest_cases"))


@require_safe
def bodies(request: SignedInRequest) -> HttpResponse:
    """The recognised bodies and those in public cases, by name."""
    check_has_role(request.user, RoleName.ADMINISTRATOR, RoleName.LIAISON)
    found = _with_cases(known_bodies(), CASES_SHOWN)
    page = BY_NAME.page(found, request.GET.get("after", ""), PAGE_SIZE)
    return render(request, "review_desk/liaison/bodies.html", {"page": page})


def _find_body(user: User, pk: int) -> Body:
    check_has_role(user, RoleName.ADMINISTRATOR, RoleName.LIAISON)
    return get_object_or_404(_with_cases(known_bodies(), PAGE_SIZE), pk=pk)


# One body, and the forms with which the liaison records a decision on it.
body = decisions_page(
    DECISIONS,
    _find_body,
    "review_desk/liaison/body.html",
    to=lambda user, body: reverse("review_desk:body", args=[body.pk]),
)
