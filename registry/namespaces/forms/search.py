"""The query string of the list."""

from django import forms

from registry.namespaces.models import Kind
from registry.namespaces.search import KEYSETS, Order, SearchQuery, Status
from registry.namespaces.search_terms.words import MAX_QUERY_LENGTH
from urnsyntax.profiles.profile import SUBJECTS

MAX_KEY_LENGTH = len("YYYY-MM-DD.") + 32


class SearchForm(forms.Form):
    """The filters of the list. `after` is the key after which the page starts."""

    q = forms.CharField(
        label="NID or words",
        max_length=MAX_QUERY_LENGTH,
        required=False,
        widget=forms.SearchInput(
            attrs={"autocapitalize": "none", "autocomplete": "off", "spellcheck": "false"}
        ),
    )
    kind = forms.ChoiceField(label="Kind", choices=[("", "All"), *Kind.choices], required=False)
    status = forms.ChoiceField(label="Status", choices=[("", "All"), *Status.choices], required=False)
    grammar = forms.ChoiceField(
        label="Grammar",
        choices=[("", "All"), ("yes", "With"), ("no", "Without")],
        required=False,
    )
    subject = forms.ChoiceField(
        label="Subject",
        choices=[("", "All"), *((each, each.capitalize()) for each in SUBJECTS)],
        required=False,
    )
    sort = forms.ChoiceField(label="Sort by", choices=Order.choices, required=False)
    after = forms.CharField(max_length=MAX_KEY_LENGTH, required=False, widget=forms.HiddenInput)

    @property
    def search_query(self) -> SearchQuery:
        """The query of a valid form."""
        values = self.cleaned_data
        return SearchQuery(
            text=values["q"],
            kind=values["kind"],
            status=values["status"],
            keyset=KEYSETS[values["sort"] or Order.NID],
            after=values["after"],
            has_grammar={"yes": True, "no": False}.get(values["grammar"]),
            subject=values["subject"],
        )
