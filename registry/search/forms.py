"""The search field in the header of every page."""

from django import forms

from registry.namespaces.search_terms.words import MAX_QUERY_LENGTH


class SearchForm(forms.Form):
    q = forms.CharField(label="Search", max_length=MAX_QUERY_LENGTH)
