"""What the public pages of cases ask for: a comment, a choice of cases, two rounds to compare."""

from typing import Any, ClassVar

from django import forms
from django.db.models import Q
from django.utils.http import urlencode

from registry.cases.discussion.comments import MAX_COMMENT
from registry.cases.forms.begin import SECTION_CHOICES, with_values
from registry.cases.models import CLOSED_STATES, OPEN_STATES, CaseQuerySet, Procedure, Round, State
from registry.namespaces.models import Kind

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
            self.fields["text"].label = "Reply"

    def forget_answered(self) -> None:
        """What is answered is not there: let the words be sent as a comment of their own."""
        self.fields["text"].label = "Comment"
        if self.is_bound:
            self.data = with_values(self.data, answered="")


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

    def narrow(self, cases: CaseQuerySet) -> CaseQuerySet:
        for name, value in self.chosen.items():
            cases = cases.filter(self._means(name, value))
        return cases

    def _means(self, name: str, value: str) -> Q:
        if name == "nid":
            return Q(requested_nid__contains=value) | Q(namespace__nid__contains=value)
        return Q(state__in=sorted(self.STATES[value])) if name == "state" else Q(**{name: value})


class ComparisonForm(forms.Form):
    """Two rounds of a case; the two latest, unless others are asked for."""

    def __init__(self, *args: Any, rounds: list[Round], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [(each.number, f"Round {each.number}, {each.submitted_at:%Y-%m-%d}") for each in rounds]
        latest = rounds[-1].number
        for name, label, initial in (("from", "From", max(latest - 1, 1)), ("to", "To", latest)):
            self.fields[name] = forms.TypedChoiceField(
                label=label, choices=choices, initial=initial, coerce=int
            )
