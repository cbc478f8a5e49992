"""What people say of a case besides reviews: comments, and the words that experts keep ready."""

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils import timezone

from registry.audit_log.triggers import immutable
from registry.cases.models.rounds import Round
from registry.registration_template.sections import SECTION_BY_KEY


def stays_in_its_case() -> pgtrigger.Trigger:
    """Refuses a comment that answers one of another case, which no constraint of one row can see."""
    return pgtrigger.Trigger(
        name="stays_in_its_case",
        when=pgtrigger.Before,
        operation=pgtrigger.Insert,
        condition=pgtrigger.Q(new__answered__isnull=False),
        func=(
            "IF NOT EXISTS (SELECT 1 FROM cases_comment answered"
            " JOIN cases_round theirs ON theirs.id = answered.round_id"
            " JOIN cases_round ours ON ours.case_id = theirs.case_id"
            " WHERE answered.id = NEW.answered_id AND ours.id = NEW.round_id) THEN"
            " RAISE EXCEPTION 'a comment answers one of the same case'"
            " USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW;"
        ),
    )


class Comment(models.Model):
    """What anyone signed in says of one submission, of one section of it or of the whole."""

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="comments")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="comments")
    # The comment that this one answers. It may be of an earlier round: a thread goes on where it began.
    answered = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="answers")
    section = models.CharField(max_length=40, blank=True)
    text = models.TextField()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]
        triggers = [immutable(), stays_in_its_case()]
        constraints = [
            models.CheckConstraint(
                condition=Q(section__in=["", *SECTION_BY_KEY]), name="comment_names_a_section_or_none"
            ),
            models.CheckConstraint(condition=~Q(text=""), name="comment_says_something"),
            models.CheckConstraint(
                condition=Q(answered=None) | Q(answered__lt=models.F("pk")), name="answers_come_later"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.author} on {self.round}"

    def get_absolute_url(self) -> str:
        return f"/cases/{self.round.case_id}/#comment-{self.pk}"

    @property
    def place(self) -> str:
        """What it speaks of, as it is named everywhere."""
        part = f"section {self.section_title}" if self.section else "as a whole"
        return f"round {self.round.number}, {part}"

    @property
    def section_title(self) -> str:
        return SECTION_BY_KEY[self.section].title if self.section else "the whole template"


class CannedText(models.Model):
    """Words that the experts need again and again, to begin a review with."""

    title = models.CharField(max_length=100)
    text = models.TextField()
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["title"]
        constraints = [
            models.UniqueConstraint(Lower("title"), name="one_canned_text_per_title"),
            models.CheckConstraint(condition=~Q(text=""), name="canned_text_says_something"),
        ]

    def __str__(self) -> str:
        return self.title
