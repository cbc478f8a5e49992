"""The form for the decision on a body."""

from typing import Any

from django import forms

from registry.accounts.forms import AccountField
from registry.accounts.models import Body, User
from registry.actions.parameters import reference
from registry.cases import bodies


class OptionalAccountField(forms.EmailField):
    """An AccountField that can be empty; its value is then None."""

    def clean(self, value: str) -> User | None:
        address = super().clean(value)
        return AccountField().clean(address) if address else None


class BodyForm(forms.Form):
    """The decision of the approval body on a body."""

    decision = forms.TypedChoiceField(
        label="Decision",
        choices=[(each.name, each.label) for each in bodies.DECISIONS.values()],
        coerce=bodies.DECISIONS.__getitem__,
        widget=forms.RadioSelect,
    )
    reference = reference("Reference to the decision").form_field()
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
        if cleaned.get("representative") and cleaned.get("decision") not in {bodies.RECOGNISE_BODY, None}:
            self.add_error("representative", "Only a recognised body has a representative. Leave this empty.")
        return cleaned

    def perform(self, *, by: User) -> Body:
        return bodies.decide_on_body(self.body, by=by, **self.cleaned_data)
