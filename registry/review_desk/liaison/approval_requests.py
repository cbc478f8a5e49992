"""Requests to the approval body, for the liaison: reports, appeals, and recognition of bodies."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from registry.audit_log.models import Event
from registry.cases.deadlines import Deadline, deadline_of
from registry.cases.models import Case, Review, Round, State, Verdict
from registry.review_desk.administrators.assignments import latest_rounds

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
