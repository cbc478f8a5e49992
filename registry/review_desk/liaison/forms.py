"""The form of a body."""

from typing import Any

from django import forms

from registry.accounts.forms.fields import AccountField
from registry.accounts.models import Body, User
from registry.cases import bodies
from registry.cases.forms.transitions import text_field
from registry.cases.workflow.parameters import reference


class OptionalAccountField(forms.EmailField):
    """As an AccountField, but it may stay empty; its value is None then."""

    def clean(self, value: str) -> User | None:
        address = super().clean(value)
        return AccountField().clean(address) if address else None


class BodyForm(forms.Form):
    """What the approval body said of a body."""

    SAID = (
        ("recognise_body", "Recognised for the fast track"),
        ("refuse_body", "Does not qualify for the fast track"),
        ("withdraw_recognition", "The earlier decision no longer applies: decide in each case"),
    )
    said = forms.ChoiceField(label="Decision", choices=SAID, widget=forms.RadioSelect)
    reference = text_field(reference("Reference to the decision"))
    representative = OptionalAccountField(
        label="E-mail address of a representative",
        help_text="Only for a recognised body. Cases that its representatives submit are recognised automatically.",
        required=False,
        widget=forms.EmailInput({"autocomplete": "off"}),
    )

    def __init__(self, *args: Any, body: Body, **kwargs: Any) -> None:
        self.body = body
        super().__init__(*args, **kwargs)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("representative") and cleaned.get("said") not in {"recognise_body", None}:
            self.add_error("representative", "Only a recognised body has a representative. Leave this empty.")
        return cleaned

    def make(self, *, by: User) -> Body:
        said, reference = self.cleaned_data["said"], self.cleaned_data["reference"]
        if said == "recognise_body":
            who = self.cleaned_data["representative"]
            return bodies.recognise_body(self.body, by=by, reference=reference, representative=who)
        if said == "refuse_body":
            return bodies.refuse_body(self.body, by=by, reference=reference)
        return bodies.withdraw_recognition(self.body, by=by, reference=reference)
