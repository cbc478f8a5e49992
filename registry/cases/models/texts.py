"""Models of comments and canned texts."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils import timezone

from registry.cases.models.rounds import Round
from registry.core.text_limits import MAX_TITLE_LENGTH
from registry.registration_template.sections import SECTION_BY_KEY


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
