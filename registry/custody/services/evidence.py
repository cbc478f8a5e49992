"""The evidence of a claim: a ground, a statement, and links, which the registry never requests."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import URLValidator

from registry.accounts.models import User
from registry.actions.parameters import FieldParameter
from registry.core.shortening import shortened
from registry.core.text_limits import MAX_BASIS_LENGTH, MAX_URL_LENGTH
from registry.core.validators import check_optional_text
from registry.custody.exceptions import InvalidEvidence
from registry.custody.models import Ground

MAX_LINKS = 10
_is_web_address = URLValidator(schemes=["http", "https"])


class LinksField(forms.CharField):
    """Web addresses, one on each line. The action checks them."""

    def clean(self, value: str) -> list[str]:
        return str(super().clean(value)).split()


@dataclass(frozen=True, slots=True)
class Links(FieldParameter):
    """At most MAX_LINKS web addresses, which the registry never requests."""

    def form_field(self, subject: Any = None, by: User | None = None) -> forms.Field:
        return LinksField(
            label=self.label,
            help_text=self.help_text,
            max_length=MAX_LINKS * (MAX_URL_LENGTH + 2),
            required=False,
            widget=forms.Textarea({"rows": 3, "spellcheck": "false"}),
        )


def check_evidence(ground: str, statement: str, links: Iterable[str]) -> dict[str, Any]:
    """Return the columns for evidence. Raises InvalidEvidence, and the errors of texts."""
    if ground not in Ground.values:
        raise InvalidEvidence(
            f"“{shortened(ground)}” is not a ground. Choose one of: {', '.join(Ground.values)}."
        )
    statement = check_optional_text(
        statement, "the statement", longest=MAX_BASIS_LENGTH, argument="statement"
    )
    if not statement:
        raise InvalidEvidence("Say who you are, and what proves that the namespace is yours.")
    kept = list(dict.fromkeys(_link(each) for each in links if each.strip()))
    if len(kept) > MAX_LINKS:
        raise InvalidEvidence(f"Give at most {MAX_LINKS} links; describe the others in the statement.")
    return {"ground": ground, "statement": statement, "links": kept}


def _link(text: str) -> str:
    link = check_optional_text(text, "a link", longest=MAX_URL_LENGTH, argument="links")
    try:
        _is_web_address(link)
    except ValidationError as fault:
        message = f"“{shortened(link)}” is not a web address. It begins with https://."
        raise InvalidEvidence(message) from fault
    return link
