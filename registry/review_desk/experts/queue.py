"""The experts' queue: cases in groups, each with its reviewer, its deadline and what is new.

A case can be in several groups, such as “Overdue” and “Resubmitted”. The overview shows it once, in the first of them.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

from django.db.models import (
    BooleanField,
    Count,
    DateTimeField,
    Exists,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
)
from django.db.models.functions import Coalesce, Greatest
from django.urls import reverse
from django.utils import timezone

from registry.accounts.models import RoleName, User
from registry.accounts.waiting import declare
from registry.cases.deadlines import Deadline, deadline_of, overdue
from registry.cases.inbox import finds_waiting_cases, shows_case, task_in, waiting_cases, waiting_in
from registry.cases.models import (
    EXPERT_STATES,
    PUBLIC_STATES,
    REGISTRANT_STATES,
    Case,
    CaseQuerySet,
    CoEditor,
    Comment,
    Recusal,
    Review,
    Round,
    State,
)
from registry.core.pagination import MOST_COUNTED, Keyset, Page, Span
from registry.review_desk.models import Absence, CaseAssignment, ChecklistMark
from registry.review_desk.permissions import QUEUE_ROLES

# The states after the experts' decision.
DECIDED = sorted({*PUBLIC_STATES} - REGISTRANT_STATES - EXPERT_STATES - {State.WITHDRAWN})

ROUNDS = Round.objects.filter(case=OuterRef("pk")).order_by("-number")
REVIEWS = Review.objects.filter(round__case=OuterRef("pk"))
ON_LATEST = {"round": OuterRef("latest")}
# Reviews of the latest round since the case came to the experts, except those that were taken back.
SINCE_ARRIVAL = {**ON_LATEST, "at__gte": OuterRef("state_since"), "taken_back": None}

OLDEST_FIRST = Keyset("-is_mine", "state_since", "pk")
NEWEST_FIRST = Keyset("-state_since", "-pk")


@dataclass(frozen=True, slots=True)
class QueueGroup:
    """One group of the queue. `cases` returns the cases in it for one person. Without `empty_text`, the overview shows it
    only with cases.
    """

    slug: str
    label: str
    description: str
    empty_text: str
    cases: Callable[[User], CaseQuerySet]
    keyset: Keyset = OLDEST_FIRST


def _open_to(user: User) -> CaseQuerySet:
    """The cases in review in which `user` can act as expert."""
    waiting = Case.objects.waiting_for(RoleName.EXPERT, user)
    return waiting.annotate(latest=Subquery(ROUNDS.values("pk")[:1]))


def _holders(user: User) -> QuerySet[CaseAssignment]:
    """Of a case, the assignment to `user`, or to another expert who is not away, and can still act in it."""
    away = Absence.objects.on(timezone.now().date()).values("person")
    case_and_person = {"case": OuterRef("case"), "user": OuterRef("person")}
    conflict = Exists(Recusal.objects.filter(**case_and_person)) | Exists(
        CoEditor.objects.filter(**case_and_person)
    )
    experts = User.objects.holding(RoleName.EXPERT).exclude(pk__in=away).values("pk")
    assignments = CaseAssignment.objects.current().filter(case=OuterRef("pk"))
    return assignments.filter(Q(person=user) | Q(~conflict, person__in=experts))


def _is_with_another(user: User) -> Q:
    """Whether the case is assigned to another expert, and they can decide it alone."""
    return Q(Exists(_holders(user).exclude(person=user)), needs_two_experts=False)


@finds_waiting_cases(RoleName.EXPERT)
def waiting_for(user: User) -> CaseQuerySet:
    """The cases that wait for `user`, and not for another expert to whom they are assigned."""
    return _open_to(user).exclude(_is_with_another(user))


declare(
    waiting_cases(
        name="review",
        label="Case to review",
        rows=waiting_in(RoleName.EXPERT),
        show=shows_case(partial(task_in, RoleName.EXPERT), "review_desk:review"),
        # A case of an expert who is away can be taken over.
        assignee=lambda user: Subquery(_holders(user).values("person")),
        claim=lambda case: reverse("review_desk:take", args=[case.pk]),
    )
)
declare(
    waiting_cases(
        name="hand_over",
        label="Case to hand over",
        # Experts who are leaders have them to review.
        rows=lambda user: (
            waiting_for(user) if user.roles & QUEUE_ROLES == {RoleName.LEADER} else Case.objects.none()
        ),
        show=shows_case(lambda case: "hand the case over to an expert.", "review_desk:review"),
    )
)


def _with_another(user: User) -> CaseQuerySet:
    return _open_to(user).filter(_is_with_another(user))


def _first(user: User) -> CaseQuerySet:
    return waiting_for(user).filter(~Exists(REVIEWS))


def _resubmitted(user: User) -> CaseQuerySet:
    unanswered = ~Exists(Review.objects.filter(**SINCE_ARRIVAL))
    mine = Exists(REVIEWS.filter(expert=user)) | Exists(assigned_to(user))
    return waiting_for(user).filter(Exists(REVIEWS), unanswered).annotate(is_mine=mine)


def _overdue(user: User) -> CaseQuerySet:
    return waiting_for(user).filter(overdue())


def _discussed(user: User) -> CaseQuerySet:
    comments, reviews = Comment.objects.filter(**ON_LATEST), Review.objects.filter(**ON_LATEST)
    return waiting_for(user).filter(Exists(comments) | Exists(reviews))


def _disputed(user: User) -> CaseQuerySet:
    """The cases in which the experts of the latest round disagree."""
    deciding = Review.objects.deciding()
    other = Exists(deciding.filter(round=OuterRef("round")).exclude(verdict=OuterRef("verdict")))
    split = Exists(deciding.filter(other, **ON_LATEST))
    return waiting_for(user).filter(split, needs_two_experts=True)


def _mine(user: User) -> CaseQuerySet:
    return Case.objects.open().filter(Exists(assigned_to(user)), state__in=sorted(EXPERT_STATES))


def _elsewhere(user: User) -> CaseQuerySet:
    return Case.objects.open().filter(Exists(assigned_to(user))).exclude(state__in=sorted(EXPERT_STATES))


def _decided(user: User) -> CaseQuerySet:
    return Case.objects.public().filter(state__in=DECIDED)


def assigned_to(user: User) -> QuerySet[CaseAssignment]:
    return CaseAssignment.objects.current().filter(case=OuterRef("pk"), person=user)


QUEUE_GROUPS = (
    QueueGroup("overdue", "Overdue", "Past their due date.", "No cases are overdue.", _overdue),
    QueueGroup(
        "disputed",
        "Experts disagree",
        "Two experts must agree, and gave different verdicts on the latest round.",
        "",
        _disputed,
    ),
    QueueGroup(
        "mine", "Mine", "Cases in review that are assigned to you.", "No cases are assigned to you.", _mine
    ),
    QueueGroup(
        "resubmitted",
        "Resubmitted",
        "Cases with a new round, a returned report or a verdict that was taken back. Cases that you reviewed come first.",
        "No resubmitted cases.",
        _resubmitted,
    ),
    QueueGroup(
        "first",
        "Awaiting first review",
        "Cases that no expert has reviewed yet.",
        "Every case has been reviewed.",
        _first,
    ),
    QueueGroup(
        "discussed",
        "Under discussion",
        "Cases with comments or reviews on the latest round.",
        "No cases under discussion.",
        _discussed,
    ),
    QueueGroup(
        "elsewhere",
        "Yours, with others",
        "Open cases assigned to you that wait for the registrant, the approval body or an administrator.",
        "",
        _elsewhere,
    ),
    QueueGroup(
        "claimed",
        "Assigned to others",
        "Cases in review that are assigned to another expert. You can still review them.",
        "",
        _with_another,
    ),
    QueueGroup(
        "decided", "Decided", "Recent decisions, latest first.", "No decisions yet.", _decided, NEWEST_FIRST
    ),
)
QUEUE_GROUP_BY_SLUG = {group.slug: group for group in QUEUE_GROUPS}


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A case in the queue, with its deadline, its assignment, and the current absence of the reviewer, if any."""

    case: Case
    deadline: Deadline | None
    assignment: CaseAssignment | None
    absence: Absence | None
    is_mine: bool
    # The number of the latest round, and of comments by others since `user` last did something in the case.
    round_number: int
    new_comments: int
    # The labels of the other groups that contain the case.
    reasons: tuple[str, ...] = ()

    @property
    def waits_for_experts(self) -> bool:
        return self.case.state in EXPERT_STATES


@dataclass(frozen=True, slots=True)
class QueuePage:
    """A page of a group. `after` is the key of the next page, "" on the last page.

    `shown_above` is the number of its cases that the overview shows in earlier groups.
    """

    group: QueueGroup
    rows: list[QueueRow]
    after: str
    is_later: bool
    shown_above: int = 0
    span: Callable[[], Span] | None = None

    @property
    def count(self) -> int:
        return len(self.rows) + self.shown_above

    @property
    def total(self) -> str:
        """How many cases the group has, in words. Only a group with further pages is counted in the database."""
        if not self.after or self.span is None:
            return str(self.count)
        total = self.span().total
        return f"more than {MOST_COUNTED:,}" if total is None else f"{total:,}"


def queue_pages(user: User, *, limit: int) -> list[QueuePage]:
    """The first page of every group. The number of queries does not depend on the number of cases."""
    return _each_once(_with_rows([(group, _cases(group, user, limit)) for group in QUEUE_GROUPS], user))


def _each_once(pages: list[QueuePage]) -> list[QueuePage]:
    """Each case in the first of its groups, which names the others."""
    labels = defaultdict(list)
    for page in pages:
        for row in page.rows:
            labels[row.case.pk].append(page.group.label)
    shown = []
    for page in pages:
        rows = [
            replace(row, reasons=tuple(labels[row.case.pk][1:]))
            for row in page.rows
            if labels[row.case.pk][0] == page.group.label
        ]
        shown.append(replace(page, rows=rows, shown_above=len(page.rows) - len(rows)))
    return shown


def queue_page(group: QueueGroup, user: User, *, limit: int, after: str = "") -> QueuePage:
    """One page of a group after the key `after`. An invalid key is the beginning."""
    return _with_rows([(group, _cases(group, user, limit, after))], user)[0]


def _cases(group: QueueGroup, user: User, limit: int, after: str = "") -> Page[Case]:
    cases = group.cases(user)
    if "is_mine" not in cases.query.annotations:
        cases = cases.annotate(is_mine=Value(False, BooleanField()))
    return group.keyset.page(
        cases.select_related("namespace", "body", "organisation", "registrant"), after, limit
    )


def next_case(user: User, *, after: int) -> Case | None:
    """The case that `user` can review next, other than the case `after`: their own first, then the longest waiting.

    Cases that wait for another expert to whom they are assigned are left out, and those of which `user` reviewed the latest round.
    """
    cases = (
        waiting_for(user)
        .exclude(pk=after)
        .filter(~Exists(Review.objects.filter(expert=user, **SINCE_ARRIVAL)))
    )
    return (
        cases.select_related("namespace")
        .order_by(Exists(assigned_to(user)).desc(), "state_since", "pk")
        .first()
    )


def _with_rows(pages: Sequence[tuple[QueueGroup, Page[Case]]], user: User) -> list[QueuePage]:
    rows = _rows([case for _, page in pages for case in page.rows], user)
    return [
        QueuePage(group, [rows[case.pk] for case in page.rows], page.after, page.is_later, span=page.span)
        for group, page in pages
    ]


def _rows(cases: list[Case], user: User) -> dict[int, QueueRow]:
    assignment_by_case = {each.case_id: each for each in CaseAssignment.objects.current_of(*cases)}
    absence_by_person = Absence.objects.current_of(each.person_id for each in assignment_by_case.values())
    facts = _facts(cases, user)
    return {
        case.pk: _row(
            case, assignment_by_case.get(case.pk), absence_by_person, user, facts.get(case.pk, (0, 0))
        )
        for case in cases
    }


def _facts(cases: Iterable[Case], user: User) -> dict[int, tuple[int, int]]:
    """The number of the latest round of each case, and of comments by others since `user` last acted in it."""

    def last(rows: QuerySet[Any]) -> Subquery:
        return Subquery(rows.order_by("-at").values("at")[:1])

    comments = Comment.objects.filter(round__case=OuterRef("pk"))
    marks = ChecklistMark.objects.filter(round__case=OuterRef("pk"), expert=user)
    seen = Greatest(last(REVIEWS.filter(expert=user)), last(comments.filter(author=user)), last(marks))
    unseen = comments.exclude(author=user).filter(at__gt=OuterRef("seen")).order_by()
    counted = unseen.values("round__case").annotate(count=Count("pk")).values("count")
    rows = Case.objects.filter(pk__in={case.pk for case in cases}).annotate(
        seen=Coalesce(seen, Value(datetime.min.replace(tzinfo=UTC), DateTimeField())),
        new_comments=Coalesce(Subquery(counted), 0),
        round_number=Coalesce(Subquery(ROUNDS.values("number")[:1]), 0),
    )
    return {
        key: (number, count) for key, number, count in rows.values_list("pk", "round_number", "new_comments")
    }


def _row(
    case: Case,
    assignment: CaseAssignment | None,
    absence_by_person: dict[int, Absence],
    user: User,
    facts: tuple[int, int],
) -> QueueRow:
    absence = absence_by_person.get(assignment.person_id) if assignment else None
    is_mine = assignment is not None and assignment.person_id == user.pk
    return QueueRow(case, deadline_of(case), assignment, absence, is_mine, *facts)
