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
        ("recognise_body", "It is recognised for the fast track"),
        ("refuse_body", "It is none for the fast track"),
        ("withdraw_recognition", "What was said before holds no more: ask anew in each case"),
    )
    said = forms.ChoiceField(label="The approval body said", choices=SAID, widget=forms.RadioSelect)
    reference = text_field(reference("Reference to the decision"))
    representative = OptionalAccountField(
        label="E-mail address of somebody who speaks for it",
        help_text="With a recognition only: the cases that they submit for it need no further word.",
        required=False,
        widget=forms.EmailInput({"autocomplete": "off"}),
    )

    def __init__(self, *args: Any, body: Body, **kwargs: Any) -> None:
        self.body = body
        super().__init__(*args, **kwargs)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("representative") and cleaned.get("said") not in {"recognise_body", None}:
            self.add_error(
                "representative", "Only a recognised body has somebody who speaks for it. Leave this empty."
            )
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
    wrong = text_field(
        Text("wrong", "What is wrong", "In the entry as it stands. Everyone can read this.", lines=4)
    )
    right = text_field(Text("right", "What is right", lines=4))
    reference = forms.CharField(
        label="Reference",
        help_text="Where that can be read. It may stay empty.",
        max_length=corrections.LONGEST_REFERENCE,
        required=False,
    )

    def make(self, event: Event, *, by: User) -> Event:
        return corrections.correct(event, by=by, **self.cleaned_data)


class DiscardForm(forms.Form):
    reason = reason_field("Why nobody is to get this mail. It becomes part of the record.", required=False)


class HistorySearchForm(forms.Form):
    """Whose history is meant."""

    of = forms.CharField(
        label="Number of a case, or identifier of a namespace",
        max_length=40,
        widget=forms.TextInput({"autocapitalize": "none", "spellcheck": "false"}),
    )
