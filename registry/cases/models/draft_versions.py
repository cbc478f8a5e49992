"""Model of the history of a draft: its earlier texts, which only its editors see."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from registry.namespaces.proposals.proposed_profile import MEMBERS, ProposedProfile
from registry.registration_template.sections import SECTIONS
from registry.registration_template.template import RegistrationTemplate

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
