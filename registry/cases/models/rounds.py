"""The rounds of a case: what was submitted, what the experts say of it, and what the registrant answers."""

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from registry.audit_log.triggers import immutable
from registry.cases.models.states import Outcome, Verdict
from registry.registration_template.sections import SECTION_BY_KEY
from registry.registration_template.template import RegistrationTemplate


class Round(models.Model):
    """The frozen template text of one round of a registration: round 1, 2, 3 …"""

    case = models.ForeignKey("cases.Case", on_delete=models.PROTECT, related_name="rounds")
    number = models.PositiveIntegerField()
    content = models.JSONField()
    text = models.TextField()
    digest = models.CharField(max_length=64)
    submitted_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    submitted_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["number"]
        triggers = [immutable()]
        constraints = [
            models.UniqueConstraint("case", "number", name="a_round_is_submitted_once"),
            models.CheckConstraint(condition=Q(number__gt=0), name="rounds_count_from_1"),
        ]

    def __str__(self) -> str:
        return f"case {self.case_id}, round {self.number}"

    @property
    def template(self) -> RegistrationTemplate:
        return RegistrationTemplate.from_json(self.content)


class Review(models.Model):
    """What a designated expert says of one submission: a verdict, a rationale, action points."""

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="reviews")
    expert = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="reviews")
    verdict = models.CharField(max_length=16, choices=Verdict.choices)
    rationale = models.TextField()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]
        triggers = [immutable()]
        constraints = [
            models.CheckConstraint(condition=Q(verdict__in=Verdict.values), name="verdict_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.get_verdict_display()} by {self.expert} ({self.round})"


class ActionPoint(models.Model):
    """One thing that a review asks the registrant to change, in one section of the template."""

    review = models.ForeignKey(Review, on_delete=models.PROTECT, related_name="action_points")
    section = models.CharField(max_length=40)
    text = models.TextField()

    class Meta:
        ordering = ["pk"]
        triggers = [immutable()]
        constraints = [
            models.CheckConstraint(
                condition=Q(section__in=list(SECTION_BY_KEY)), name="action_point_names_a_section"
            ),
            models.CheckConstraint(condition=~Q(text=""), name="action_point_says_something"),
        ]

    def __str__(self) -> str:
        return f"{self.section_title}: {self.text}"

    @property
    def section_title(self) -> str:
        return SECTION_BY_KEY[self.section].title


_ANSWERS_A_LATER_ROUND = """
    IF NOT EXISTS (
        SELECT 1
        FROM cases_actionpoint point
        JOIN cases_review review ON review.id = point.review_id
        JOIN cases_round asked ON asked.id = review.round_id
        JOIN cases_round answering ON answering.case_id = asked.case_id
        WHERE point.id = NEW.point_id AND answering.id = NEW.round_id AND answering.number > asked.number
    ) THEN
        RAISE EXCEPTION 'an action point is answered by a later round of its own case'
        USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
"""


class Reply(models.Model):
    """What the registrant says to one action point with the next round: that it is done, or why not."""

    point = models.OneToOneField(ActionPoint, on_delete=models.PROTECT, related_name="reply")
    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="replies")
    outcome = models.CharField(max_length=8, choices=Outcome.choices)
    text = models.TextField(blank=True)

    class Meta:
        verbose_name_plural = "replies"
        ordering = ["point"]
        triggers = [
            immutable(),
            pgtrigger.Trigger(
                name="answers_a_later_round",
                when=pgtrigger.Before,
                operation=pgtrigger.Insert,
                func=_ANSWERS_A_LATER_ROUND,
            ),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(outcome__in=Outcome.values), name="outcome_is_known"),
            models.CheckConstraint(
                condition=Q(outcome=Outcome.DONE) | ~Q(text=""), name="a_point_not_done_says_why"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_outcome_display()}: {self.text}" if self.text else self.get_outcome_display()


class Dismissal(models.Model):
    """A finding on one round that an expert set aside, and why. It stays so while the section says the same."""

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="dismissals")
    section = models.CharField(max_length=40)
    code = models.CharField(max_length=60)
    message = models.TextField()
    reason = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = verbose_name_plural = "dismissed findings"
        ordering = ["pk"]
        triggers = [immutable()]
        constraints = [
            models.UniqueConstraint("round", "section", "code", name="a_finding_is_dismissed_once"),
            models.CheckConstraint(
                condition=Q(section__in=list(SECTION_BY_KEY)), name="dismissal_names_a_section"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="dismissal_says_why"),
        ]

    def __str__(self) -> str:
        return f"{self.section} {self.code} ({self.round})"
