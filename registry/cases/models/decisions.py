"""Earlier decisions in a case that keep a person from another decision in it: the separation of duties."""

from django.conf import settings
from django.db.models import BigIntegerField, Q, QuerySet
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast

from registry.accounts.models import RoleName, User
from registry.audit_log.models import Event, EventQuerySet
from registry.cases.models.states import State, Verdict

# The event of the first of two equal verdicts.
FIRST_VERDICT_NAME = "first_verdict"
COMMENT_NAME = "comment"


def _first_verdict(verdict: Verdict) -> Q:
    return Q(verb=FIRST_VERDICT_NAME, details__verdict=verdict.value)


# Events of people who act for themselves, not for the registry.
PERSONAL_ACTIONS = (COMMENT_NAME, "recuse", "accept_invitation", "decline_invitation", "remove_co_editor")
APPROVALS = (
    Q(verb__in=[Verdict.APPROVE.value, "recognise"])
    | Q(verb="direct", to_state=State.APPROVED)
    | _first_verdict(Verdict.APPROVE)
)
DECLINES = Q(verb=Verdict.DECLINE.value) | _first_verdict(Verdict.DECLINE)
# Decisions on a body that also hold for later cases of the body.
STANDING_RECOGNITIONS = Q(verb="recognise_body") | Q(verb="recognise", details__for_later_cases=True)
# A person who approved a case does not register it; one who declined it does not direct its appeal.
EXCLUDED_BY_DECISION = {RoleName.ADMINISTRATOR: APPROVALS, RoleName.LIAISON: DECLINES}


def excluding_decisions(role: RoleName, user: User) -> EventQuerySet:
    """The decisions of `user` after which they can't act in `role` in the same case."""
    decisions = EXCLUDED_BY_DECISION.get(role)
    if decisions is None or not settings.SEPARATE_DUTIES:
        return Event.objects.none()
    return Event.objects.filter(decisions, actor=user)


def bodies_recognised_by(user: User) -> QuerySet[Event, int]:
    """The keys of the bodies that `user` recognised: a decision in advance on each of their fast-track cases."""
    made = Event.objects.filter(STANDING_RECOGNITIONS, actor=user, details__has_key="body")
    if not settings.SEPARATE_DUTIES:
        made = made.none()
    body = Cast(KeyTextTransform("body", "details"), BigIntegerField())
    return made.annotate(body=body).values_list("body", flat=True)
