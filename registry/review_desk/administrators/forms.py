"""What the desks of administrators and of the liaison ask for, apart from transitions."""

from typing import Any

from django import forms

from registry.accounts.forms.roles import AccountField, reason_field
from registry.accounts.models import Body, User
from registry.audit_log.models import Event
from registry.cases import bodies, corrections
from registry.cases.forms.transitions import text_field
from registry.cases.workflow.parameters import Text, reference


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


class CorrectForm(forms.Form):
    wrong = text_field(Text("wrong", "Error", "What is wrong in the entry. This is public.", lines=4))
    right = text_field(Text("right", "Correction", lines=4))
    reference = forms.CharField(
        label="Reference",
        help_text="A public source for the correction.",
        max_length=corrections.LONGEST_REFERENCE,
        required=False,
    )

    def make(self, event: Event, *, by: User) -> Event:
        return corrections.correct(event, by=by, **self.cleaned_data)


class DiscardForm(forms.Form):
    reason = reason_field("The reason is recorded in the audit log.", required=False)


class HistorySearchForm(forms.Form):
    """Whose history is meant."""

    of = forms.CharField(
        label="Case number or namespace identifier",
        max_length=40,
        widget=forms.TextInput({"autocapitalize": "none", "spellcheck": "false"}),
    )
