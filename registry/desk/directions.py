"""What waits for the approval body, and so for its liaison: reports, appeals, bodies to be recognised."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from registry.desk.assignments import latest_submissions
from registry.record.models import Event
from registry.registrations.clocks import Clock, clock_of
from registry.registrations.models import Registration, Review, State, Submission, Verdict

# What experts said to the approval body: their report, or, of a case that was appealed, why they declined.
SAID_TO_BODY = frozenset({Verdict.REPORT, Verdict.DECLINE})


@dataclass(frozen=True, slots=True)
class Question:
    """A case in which the approval body is asked something, and all that it needs to answer."""

    case: Registration
    submission: Submission
    reviews: tuple[Review, ...]
    appeal: Event | None
    clock: Clock | None

    @property
    def is_about_body(self) -> bool:
        return self.case.state == State.IN_REVIEW


def questions_of(cases: Sequence[Registration]) -> list[Question]:
    """The cases of a page; each comes with its namespace, its registrant and its body."""
    submissions, appeals = latest_submissions(cases), _appeals(cases)
    reviews = defaultdict(list)
    said = Review.objects.filter(submission__in=submissions.values(), verdict__in=SAID_TO_BODY)
    for review in said.select_related("expert").order_by("pk"):
        reviews[review.submission_id].append(review)
    questions = []
    for case in cases:
        if submission := submissions.get(case.pk):
            case.latest_submission = submission
            of_round = tuple(reviews[submission.pk])
            questions.append(Question(case, submission, of_round, appeals.get(case.pk), clock_of(case)))
    return questions


def _appeals(cases: Sequence[Registration]) -> dict[int, Event]:
    numbers = [case.pk for case in cases if case.appealed_at]
    if not numbers:
        return {}
    events = Event.objects.filter(registration_number__in=numbers, verb="appeal").select_related("actor")
    return {event.registration_number: event for event in events if event.registration_number}
