"""Models of rounds with their texts, of drafts and their versions, reviews, action points, replies and dismissals."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils import timezone

from registry.cases.models.states import DECIDING_VERDICTS, Outcome, Verdict
from registry.core.validators import MAX_TITLE_LENGTH
from registry.namespaces.models import StoredTemplate
from registry.namespaces.proposals.proposed_profile import MEMBERS, ProposedProfile
from registry.registration_template.sections import SECTION_BY_KEY, SECTIONS
from registry.registration_template.template import RegistrationTemplate


class Round(StoredTemplate):
    """One submitted version of the template of a case: round 1, 2, 3 …"""

    case = models.ForeignKey("cases.Case", on_delete=models.PROTECT, related_name="rounds")
    number = models.PositiveIntegerField()
    submitted_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    submitted_at = models.DateTimeField(default=timezone.now)
    # What it states beside the template, which is not part of its text: `ProposedProfile.to_json()`.
    profile = models.JSONField(default=dict)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint("case", "number", name="one_round_per_case_and_number"),
            models.CheckConstraint(condition=Q(number__gt=0), name="round_number_is_positive"),
        ]

    def __str__(self) -> str:
        return f"case {self.case_id}, round {self.number}"

    def get_absolute_url(self) -> str:
        return f"/cases/{self.case_id}/#round-{self.number}"

    @property
    def proposed_profile(self) -> ProposedProfile:
        return ProposedProfile.from_json(self.profile)


class ReviewQuerySet(models.QuerySet["Review"]):
    def verdicts(self) -> "ReviewQuerySet":
        """The reviews that end a review, except those that were taken back."""
        return self.filter(verdict__in=DECIDING_VERDICTS, taken_back=None)

    def deciding(self) -> "ReviewQuerySet":
        """The verdicts that count for a decision: those given since the case came to the experts. Earlier ones on the
        same round led to a report that the approval body returned.
        """
        return self.verdicts().filter(at__gte=models.F("round__case__state_since"))


class Review(models.Model):
    """The verdict of a designated expert on a round, with rationale and action points.

    `case_since` is the time since which the case was in review, to which its deadline returns if the expert takes the
    verdict back.
    """

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="reviews")
    expert = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="reviews")
    verdict = models.CharField(max_length=16, choices=Verdict.choices)
    rationale = models.TextField()
    at = models.DateTimeField(default=timezone.now)
    case_since = models.DateTimeField(default=timezone.now)

    objects: ClassVar[models.Manager["Review"]] = ReviewQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(condition=Q(verdict__in=Verdict.values), name="review_verdict_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.outcome} by {self.expert} ({self.round})"

    @property
    def is_taken_back(self) -> bool:
        return hasattr(self, "taken_back")

    @property
    def outcome(self) -> str:
        """The verdict, for example "approved", and whether it was taken back."""
        return self.get_verdict_display() + (", taken back" if self.is_taken_back else "")


class TakenBackReview(models.Model):
    """A verdict that its expert took back. The review stays on record."""

    review = models.OneToOneField(Review, on_delete=models.PROTECT, related_name="taken_back")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"taken back: {self.review}"


class ActionPoint(models.Model):
    """A change that a review requests, in one section of the template."""

    review = models.ForeignKey(Review, on_delete=models.PROTECT, related_name="action_points")
    section = models.CharField(max_length=40)
    text = models.TextField()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(section__in=list(SECTION_BY_KEY)), name="action_point_section_is_known"
            ),
            models.CheckConstraint(condition=~Q(text=""), name="action_point_text_is_not_empty"),
        ]

    def __str__(self) -> str:
        return f"{self.section_title}: {self.text}"

    @property
    def section_title(self) -> str:
        return SECTION_BY_KEY[self.section].title


class Reply(models.Model):
    """The answer to an action point in the next round: that it is done, or why it is not."""

    point = models.OneToOneField(ActionPoint, on_delete=models.PROTECT, related_name="reply")
    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="replies")
    outcome = models.CharField(max_length=8, choices=Outcome.choices)
    text = models.TextField(blank=True)

    class Meta:
        verbose_name_plural = "replies"
        ordering = ["point"]
        constraints = [
            models.CheckConstraint(condition=Q(outcome__in=Outcome.values), name="reply_outcome_is_known"),
            models.CheckConstraint(
                condition=Q(outcome=Outcome.DONE) | ~Q(text=""), name="not_done_requires_text"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_outcome_display()}: {self.text}" if self.text else self.get_outcome_display()


class Dismissal(models.Model):
    """The dismissal of a finding by an expert, with a reason. It applies while the section is unchanged."""

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
        constraints = [
            models.UniqueConstraint("round", "section", "code", name="one_dismissal_per_finding"),
            models.CheckConstraint(
                condition=Q(section__in=list(SECTION_BY_KEY)), name="dismissal_section_is_known"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="dismissal_reason_is_not_empty"),
        ]

    def __str__(self) -> str:
        return f"{self.section} {self.code} ({self.round})"


class Comment(models.Model):
    """A comment of a participant on a round or on one of its sections."""

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="comments")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="comments")
    # The comment to which this one replies. It may belong to an earlier round.
    reply_to = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="replies")
    section = models.CharField(max_length=40, blank=True)
    text = models.TextField()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(section__in=["", *SECTION_BY_KEY]), name="comment_section_is_known"
            ),
            models.CheckConstraint(condition=~Q(text=""), name="comment_text_is_not_empty"),
            models.CheckConstraint(
                condition=Q(reply_to=None) | Q(reply_to__lt=models.F("pk")),
                name="reply_is_newer_than_comment",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.author} on {self.round}"

    def get_absolute_url(self) -> str:
        return f"/cases/{self.round.case_id}/#comment-{self.pk}"

    @property
    def place(self) -> str:
        """The round and section of the comment, for display."""
        part = f"section {self.section_title}" if self.section else "as a whole"
        return f"round {self.round.number}, {part}"

    @property
    def section_title(self) -> str:
        return SECTION_BY_KEY[self.section].title if self.section else "the whole template"


class CannedText(models.Model):
    """A reusable text for reviews."""

    title = models.CharField(max_length=MAX_TITLE_LENGTH)
    text = models.TextField()
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["title"]
        constraints = [
            models.UniqueConstraint(Lower("title"), name="one_canned_text_per_title"),
            models.CheckConstraint(condition=~Q(text=""), name="canned_text_is_not_empty"),
        ]

    def __str__(self) -> str:
        return self.title


TITLES = {each.key: each.title for each in SECTIONS} | {each.name: each.title for each in MEMBERS}


class DraftChange(models.TextChoices):
    STARTED = "started", "Started"
    EDITED = "edited", "Edited"
    REPLACED = "replaced", "Replaced or removed text"
    RESTORED = "restored", "Restored an earlier text"


class DraftVersion(models.Model):
    """A text of a draft, after the changes that one editor made from `began_at` to `saved_at`."""

    case = models.ForeignKey("cases.Case", on_delete=models.PROTECT, related_name="draft_versions")
    number = models.PositiveIntegerField()
    change = models.CharField(max_length=8, choices=DraftChange.choices)
    # The keys of the sections, and the members of the proposed profile, that were changed.
    changed = models.JSONField(default=list)
    draft = models.JSONField()
    profile = models.JSONField(default=dict)
    editor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    began_at = models.DateTimeField(default=timezone.now)
    saved_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint("case", "number", name="one_draft_version_per_case_and_number"),
            models.CheckConstraint(
                condition=models.Q(change__in=DraftChange.values), name="draft_change_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"text {self.number} of the draft of case {self.case_id}"

    @property
    def template(self) -> RegistrationTemplate:
        return RegistrationTemplate.from_json(self.draft)

    @property
    def proposed_profile(self) -> ProposedProfile:
        return ProposedProfile.from_json(self.profile)

    @property
    def changed_titles(self) -> list[str]:
        """The titles of what was changed, in the order of the template."""
        return [title for key, title in TITLES.items() if key in self.changed]
