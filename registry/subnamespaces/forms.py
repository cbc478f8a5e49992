"""The filters of a list of sub-namespaces."""

from django import forms

from registry.namespaces.search_terms import MAX_QUERY_LENGTH
from registry.subnamespaces.models import Status


class SubNamespaceFilter(forms.Form):
    """The beginning of a prefix, or words; and a status."""

    q = forms.CharField(
        label="Beginning of a prefix, or words",
        max_length=MAX_QUERY_LENGTH,
        required=False,
        widget=forms.SearchInput(
            attrs={"autocapitalize": "none", "autocomplete": "off", "spellcheck": "false"}
        ),
    )
    status = forms.ChoiceField(label="Status", choices=[("", "All"), *Status.choices], required=False)
