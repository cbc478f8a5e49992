"""Working data of the review desk: assignments of cases, absences, checklist marks, drafts of verdicts, internal notes, reminders and
summaries.
"""

from collections.abc import Iterable
from datetime import date
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from registry.cases.models import Case, Round, Verdict
from registry.review_desk.experts.checklist import QUESTION_BY_KEY


class CaseAssignmentQuerySet(models.QuerySet["CaseAssignment"]):
    def current(self) -> "CaseAssignmentQuerySet":
        return self.filter(released_at=None)

    def current_of(self, *cases: Case) -> "CaseAssignmentQuerySet":
        """The current assignments of the cases, with the people."""
        return self.current().filter(case__in={case.pk for case in cases}).select_related("person")


class CaseAssignment(models.Model):
    """Since when a case is assigned to an expert, and until when it was. Other experts can still decide the case."""

    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="assignments")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    assigned_at = models.DateTimeField(default=timezone.now, db_column="claimed_at")
    released_at = models.DateTimeField(null=True)

    objects: ClassVar[models.Manager["CaseAssignment"]] = CaseAssignmentQuerySet.as_manager()

    class Meta:
        # The table, its column and its constraints have the names that earlier releases read.
        db_table = "review_desk_claim"
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint("case", name="one_open_claim_per_case", condition=Q(released_at=None)),
            models.CheckConstraint(
                condition=Q(released_at=None) | Q(released_at__gte=F("assigned_at")),
                name="claim_ends_after_start",
            ),
        ]

    def __str__(self) -> str:
        return f"case {self.case_id}, assigned to {self.person}"


class AbsenceQuerySet(models.QuerySet["Absence"]):
    def on(self, day: date) -> "AbsenceQuerySet":
        return self.filter(first_day__lte=day, last_day__gte=day)

    def from_day(self, day: date) -> "AbsenceQuerySet":
        """The absences that end on this day or later."""
        return self.filter(last_day__gte=day)

    def current_of(self, people: Iterable[int]) -> dict[int, "Absence"]:
        """Today's absences of these people, by primary key; for each person the one that ends last."""
        today = self.on(timezone.now().date()).filter(person__in=set(people))
        return {absence.person_id: absence for absence in today.order_by("last_day")}


class Absence(models.Model):
    """The days on which a person is out of office, including the first and the last."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="absences")
    first_day = models.DateField()
    last_day = models.DateField()

    objects: ClassVar[models.Manager["Absence"]] = AbsenceQuerySet.as_manager()

    class Meta:
        ordering = ["first_day", "pk"]
        constraints = [
            models.CheckConstraint(condition=Q(last_day__gte=F("first_day")), name="absence_ends_after_start")
        ]

    def __str__(self) -> str:
        return f"{self.person} is away from {self.first_day} to {self.last_day}"


class ChecklistMark(models.Model):
    """The tick and the note of one expert on one question of the checklist, for one round."""

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="marks")
    expert = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    question = models.CharField(max_length=40)
    is_ticked = models.BooleanField(default=False)
    note = models.TextField(blank=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint("round", "expert", "question", name="one_mark_per_round_expert_question"),
            models.CheckConstraint(
                condition=Q(question__in=list(QUESTION_BY_KEY)), name="checklist_question_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.question} ({self.round})"


class VerdictDraft(models.Model):
    """What an expert has written of a verdict that is not given yet.

    `texts` are the values of its fields by name, `points` its action points: [{"section": …, "text": …}].
    """

    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="+")
    expert = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    verdict = models.CharField(max_length=16, choices=Verdict.choices)
    texts = models.JSONField(default=dict)
    points = models.JSONField(default=list)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint("case", "expert", "verdict", name="one_draft_per_case_expert_verdict"),
            models.CheckConstraint(condition=Q(verdict__in=Verdict.values), name="drafted_verdict_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.get_verdict_display()} (draft, case {self.case_id})"


class StaffNote(models.Model):
    """An internal note on a case, which only people with a role and no conflict of interest in the case can read."""

    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="staff_notes")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    text = models.TextField()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]
        constraints = [models.CheckConstraint(condition=~Q(text=""), name="staff_note_is_not_empty")]

    def __str__(self) -> str:
        return f"note on case {self.case_id}"


class ReminderKind(models.TextChoices):
    BEFORE = "before", "due soon"
    AFTER = "after", "overdue"
    ESCALATED = "escalated", "escalated to the leader"


class Reminder(models.Model):
    """A reminder that was sent: at most one of each kind for each time that a case is in a state."""

    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="reminders")
    state_since = models.DateTimeField()
    kind = models.CharField(max_length=10, choices=ReminderKind.choices)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint("case", "state_since", "kind", name="one_reminder_per_case_state_kind"),
            models.CheckConstraint(condition=Q(kind__in=ReminderKind.values), name="reminder_kind_is_known"),
        ]

    def __str__(self) -> str:
        return f"case {self.case_id}: {self.get_kind_display()}"


class SentSummary(models.Model):
    """A daily summary that was sent."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    day = models.DateField()

    class Meta:
        verbose_name_plural = "summaries"
        constraints = [models.UniqueConstraint("person", "day", name="one_summary_per_person_and_day")]

    def __str__(self) -> str:
        return f"{self.person}, {self.day}"
