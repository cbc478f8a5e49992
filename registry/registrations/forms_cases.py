"""What the public pages of cases ask for: a comment, a choice of cases, two rounds to compare."""

from typing import Any, ClassVar

from django import forms
from django.db.models import Q
from django.utils.http import urlencode

from registry.namespaces.models import Kind
from registry.registrations.discussion import MAX_COMMENT
from registry.registrations.forms import SECTION_CHOICES
from registry.registrations.models import (
    CLOSED_STATES,
    OPEN_STATES,
    Procedure,
    RegistrationQuerySet,
    State,
    Submission,
)

LONGEST_KEY = 2**63 - 1


class CommentForm(forms.Form):
    """A comment on one round: on a section, or on the whole; or an answer, which has its comment's section."""

    round_number = forms.IntegerField(widget=forms.HiddenInput)
    answered = forms.IntegerField(
        widget=forms.HiddenInput, required=False, min_value=1, max_value=LONGEST_KEY
    )
    section = forms.ChoiceField(
        choices=[("", "The whole template"), *SECTION_CHOICES], required=False, label="About"
    )
    text = forms.CharField(
        widget=forms.Textarea({"rows": 5}), max_length=MAX_COMMENT, required=False, label="Comment"
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self["answered"].value():
            self.fields["text"].label = "Answer"


class CaseFilter(forms.Form):
    """Which cases the public list shows."""

    STATES: ClassVar[dict[str, frozenset[State]]] = {
        "open": OPEN_STATES,
        "closed": CLOSED_STATES,
        **{state: frozenset({state}) for state in State if state != State.DRAFT},
    }

    nid = forms.CharField(
        required=False,
        label="NID",
        max_length=60,
        widget=forms.TextInput({"autocapitalize": "none", "spellcheck": "false", "size": 16}),
    )
    state = forms.ChoiceField(
        required=False,
        choices=[
            ("", "All states"),
            ("open", "all open"),
            ("closed", "all closed"),
            *(choice for choice in State.choices if choice[0] != State.DRAFT),
        ],
    )
    kind = forms.ChoiceField(required=False, choices=[("", "Both kinds"), *Kind.choices])
    procedure = forms.ChoiceField(required=False, choices=[("", "Both procedures"), *Procedure.choices])

    def clean_nid(self) -> str:
        return str(self.cleaned_data["nid"]).strip().lower().removeprefix("urn:").rstrip(":")

    @property
    def chosen(self) -> dict[str, str]:
        """What narrows the list, among what can be understood."""
        known = self.cleaned_data if self.is_bound and hasattr(self, "cleaned_data") else {}
        return {name: str(known[name]) for name in self.fields if known.get(name)}

    @property
    def query(self) -> str:
        """The same for an address, with what joins it to more; "" when everything is shown."""
        return urlencode(self.chosen) + "&" if self.chosen else ""

    def narrow(self, cases: RegistrationQuerySet) -> RegistrationQuerySet:
        for name, value in self.chosen.items():
            cases = cases.filter(self._means(name, value))
        return cases

    def _means(self, name: str, value: str) -> Q:
        if name == "nid":
            return Q(requested_nid__contains=value) | Q(namespace__nid__contains=value)
        return Q(state__in=sorted(self.STATES[value])) if name == "state" else Q(**{name: value})


class ComparisonForm(forms.Form):
    """Two rounds of a case; the two latest, unless others are asked for."""

    def __init__(self, *args: Any, rounds: list[Submission], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [(each.round, f"Round {each.round}, {each.submitted_at:%Y-%m-%d}") for each in rounds]
        latest = rounds[-1].round
        for name, label, initial in (("from", "From", max(latest - 1, 1)), ("to", "To", latest)):
            self.fields[name] = forms.TypedChoiceField(
                label=label, choices=choices, initial=initial, coerce=int
            )
