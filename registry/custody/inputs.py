"""The inputs of claims."""

from dataclasses import dataclass
from typing import Any

from django import forms

from registry.accounts.models import User
from registry.actions.parameters import Parameter
from registry.core.text_limits import MAX_URL_LENGTH

MAX_LINKS = 10


class LinksField(forms.CharField):
    """Web addresses, one on each line. The action checks them."""

    def clean(self, value: str) -> list[str]:
        return str(super().clean(value)).split()


@dataclass(frozen=True, slots=True)
class Links(Parameter):
    """At most MAX_LINKS web addresses, which the registry never requests."""

    def form_field(self, subject: Any = None, by: User | None = None) -> forms.Field:
        return LinksField(
            label=self.label,
            help_text=self.help_text,
            max_length=MAX_LINKS * (MAX_URL_LENGTH + 2),
            required=False,
            widget=forms.Textarea({"rows": 3, "spellcheck": "false"}),
        )
