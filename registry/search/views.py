"""The page of results, or the page that the text names. The home page is its address."""

from http import HTTPStatus

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render

from registry.namespaces.search_terms import MAX_QUERY_LENGTH
from registry.search.results import address_of, search
from urnsyntax.profiles.profile import SUBJECTS


class SearchForm(forms.Form):
    q = forms.CharField(label="Search", max_length=MAX_QUERY_LENGTH)


def search_results(request: HttpRequest) -> HttpResponse:
    """The results for the parameter `q`; a URN or a registered NID redirects to its page."""
    text = request.GET["q"].strip()
    if address := address_of(text):
        return HttpResponseRedirect(address)
    form, status = SearchForm(request.GET), HTTPStatus.BAD_REQUEST
    context: dict[str, object] = {"form": form, "search_text": text, "all_subjects": SUBJECTS}
    if form.is_valid():
        context, status = {**context, "results": search(text)}, HTTPStatus.OK
    return render(request, "search/results.html", context, status=status)
