"""Forms of the public pages of cases: comment, and filter of the list."""

from typing import Any, ClassVar

from django import forms
from django.db.models import Q

from registry.cases.forms.begin import SECTION_CHOICES
from registry.cases.models import (
    CLOSED_STATES,
    OPEN_STATES,
    PUBLIC_STATES,
    CaseQuerySet,
    Procedure,
    State,
)
from registry.core.form_recovery import with_values
from registry.core.text_limits import MAX_COMMENT_LENGTH
from registry.namespaces.models import Kind
from registry.namespaces.queries import nid_in
from registry.namespaces.search_terms.words import MAX_QUERY_LENGTH

MAX_KEY = 2**63 - 1
DAY = forms.DateInput({"type": "date"}, format="%Y-%m-%d")


class CommentForm(forms.Form):
    """A comment on a section of a round or on the whole round; or a reply, which has the section of its comment."""

    round_number = forms.IntegerField(widget=forms.HiddenInput)
    reply_to = forms.IntegerField(widget=forms.HiddenInput, required=False, min_value=1, max_value=MAX_KEY)
    section = forms.ChoiceField(
        choices=[("", "The whole template"), *SECTION_CHOICES], required=False, label="About"
    )
    text = forms.CharField(
        widget=forms.Textarea({"rows": 5}), max_length=MAX_COMMENT_LENGTH, required=False, label="Comment"
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self["reply_to"].value():
            self.fields["text"].label = "Reply"

    def drop_reply_to(self) -> None:
        """Turn a reply to a comment that does not exist into a comment."""
        self.fields["text"].label = "Comment"
        if self.is_bound:
            self.data = with_values(self.data, reply_to="")


class CaseFilter(forms.Form):
    """The filter of the public list of cases."""

    STATES: ClassVar[dict[str, frozenset[State]]] = {
        "open": OPEN_STATES,
        "closed": CLOSED_STATES,
        **{state: frozenset({state}) for state in PUBLIC_STATES},
    }

    q = forms.CharField(
        required=False,
        label="Words",
        max_length=MAX_QUERY_LENGTH,
        widget=forms.SearchInput(),
    )
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
            *((state.value, state.label) for state in PUBLIC_STATES),
        ],
    )
    kind = forms.ChoiceField(required=False, choices=[("", "Both kinds"), *Kind.choices])
    procedure = forms.ChoiceField(required=False, choices=[("", "Both procedures"), *Procedure.choices])
    registrant = forms.CharField(required=False, label="Registrant", max_length=MAX_QUERY_LENGTH)
    expert = forms.CharField(required=False, label="Reviewed by", max_length=MAX_QUERY_LENGTH)
    since = forms.DateField(required=False, label="State changed from (UTC)", widget=DAY)
    until = forms.DateField(required=False, label="State changed until (UTC)", widget=DAY)

    def clean_nid(self) -> str:
        return nid_in(self.cleaned_data["nid"])

    @property
    def chosen(self) -> dict[str, Any]:
        """The valid filters that are not empty."""
        known = self.cleaned_data
        return {name: known[name] for name in self.fields if known.get(name)}

    def narrow(self, cases: CaseQuerySet) -> CaseQuerySet:
        cases = cases.searched(self.chosen)
        for name in ("nid", "state", "kind", "procedure"):
            if value := self.chosen.get(name):
                cases = cases.filter(self._means(name, value))
        return cases

    def _means(self, name: str, value: str) -> Q:
        if name == "nid":
            return Q(requested_nid__contains=value) | Q(namespace__nid__contains=value)
        return Q(state__in=sorted(self.STATES[value])) if name == "state" else Q(**{name: value})
