"""The columns of a template that was submitted or registered."""

from typing import Any

from django.db import models

from registry.registration_template.commitments import commit_to
from registry.registration_template.formatting import format_template
from registry.registration_template.template import RegistrationTemplate


class StoredTemplate(models.Model):
    """A template that is written once. Only personal data in the section Registrant can be erased from it."""

    content = models.JSONField()
    text = models.TextField()
    # The salts and digests of the fields of the registrant: `registration_template.commitments`.
    commitments = models.JSONField(default=dict)
    # That of the template with these commitments, which the audit log records.
    digest = models.CharField(max_length=64)

    class Meta:
        abstract = True

    @property
    def template(self) -> RegistrationTemplate:
        return RegistrationTemplate.from_json(self.content)

    @staticmethod
    def columns_of(template: RegistrationTemplate, earlier: "StoredTemplate | None" = None) -> dict[str, Any]:
        """The columns for a template. With the commitments of an earlier one, equal templates have equal digests."""
        is_same = earlier is not None and earlier.template.registrant == template.registrant
        committed = earlier.commitments if earlier and is_same else commit_to(template.registrant)
        return {
            "content": template.to_json(),
            "text": format_template(template),
            "commitments": committed,
            "digest": template.digest(committed),
        }
