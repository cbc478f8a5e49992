"""The groups of the queue of the designated experts: which cases wait for a person, and which stand apart."""

from collections.abc import Callable
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from registry.accounts.models import RoleName, User
from registry.cases.deadlines import overdue
from registry.cases.inbox import finds_waiting_cases
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
from registry.core.pagination import Keyset
from registry.review_desk.models import Absence, Claim

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


def _is_with_another(user: User) -> Q:
    """Whether another expert has claimed the case, who is not away, can still act in it, and can decide it alone."""
    away = Absence.objects.on(timezone.now().date()).values("person")
    case_and_person = {"case": OuterRef("case"), "user": OuterRef("person")}
    conflict = Exists(Recusal.objects.filter(**case_and_person)) | Exists(
        CoEditor.objects.filter(**case_and_person)
    )
    claims = Claim.objects.current().filter(
        ~conflict, case=OuterRef("pk"), person__is_active=True, person__granted_roles__name=RoleName.EXPERT
    )
    return Q(Exists(claims.exclude(person=user).exclude(person__in=away)), needs_two_experts=False)


@finds_waiting_cases(RoleName.EXPERT)
def waiting_for(user: User) -> CaseQuerySet:
    """The cases that wait for `user`, and not for another expert who claimed them."""
    return _open_to(user).exclude(_is_with_another(user))


def _claimed(user: User) -> CaseQuerySet:
    return _open_to(user).filter(_is_with_another(user))


def _first(user: User) -> CaseQuerySet:
    return waiting_for(user).filter(~Exists(REVIEWS))


def _resubmitted(user: User) -> CaseQuerySet:
    unanswered = ~Exists(Review.objects.filter(**SINCE_ARRIVAL))
    mine = Exists(REVIEWS.filter(expert=user)) | Exists(claimed_by(user))
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
    return Case.objects.open().filter(Exists(claimed_by(user)), state__in=sorted(EXPERT_STATES))


def _elsewhere(user: User) -> CaseQuerySet:
    return Case.objects.open().filter(Exists(claimed_by(user))).exclude(state__in=sorted(EXPERT_STATES))


def _decided(user: User) -> CaseQuerySet:
    return Case.objects.public().filter(state__in=DECIDED)


def claimed_by(user: User) -> QuerySet[Claim]:
    return Claim.objects.current().filter(case=OuterRef("pk"), person=user)


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
        "mine", "Mine", "Cases in review that are assigned to you.", "You have not claimed any cases.", _mine
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
        "Claimed by others",
        "Cases in review that another expert has claimed. You can still review them.",
        "",
        _claimed,
    ),
    QueueGroup(
        "decided", "Decided", "Recent decisions, latest first.", "No decisions yet.", _decided, NEWEST_FIRST
    ),
)
QUEUE_GROUP_BY_SLUG = {group.slug: group for group in QUEUE_GROUPS}
