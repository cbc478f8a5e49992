"""What may be asked of the list and of the comparison, in a query string."""

from collections.abc import Mapping
from http import HTTPStatus

from django import forms

from registry.namespaces.models import Kind, Namespace, Revision
from registry.namespaces.search import Order, SearchQuery, Status


class SearchForm(forms.Form):
    """`after` is the NID behind which the page begins."""

    q = forms.CharField(
        label="NID, registrant, purpose or text",
        max_length=200,
        required=False,
        widget=forms.SearchInput(
            attrs={"autocapitalize": "none", "autocomplete": "off", "spellcheck": "false"}
        ),
    )
    kind = forms.ChoiceField(label="Kind", choices=[("", "All kinds"), *Kind.choices], required=False)
    status = forms.ChoiceField(
        label="Status", choices=[("", "All statuses"), *Status.choices], required=False
    )
    rules = forms.ChoiceField(
        label="Rules",
        choices=[("", "With or without rules"), ("yes", "With rules"), ("no", "Without rules")],
        required=False,
    )
    sort = forms.ChoiceField(label="Sort by", choices=Order.choices, required=False)
    after = forms.CharField(max_length=32, required=False, widget=forms.HiddenInput)

    @property
    def search_query(self) -> SearchQuery:
        """What is asked, once the form is valid."""
        asked = self.cleaned_data
        return SearchQuery(
            text=asked["q"],
            kind=asked["kind"],
            status=asked["status"],
            order=asked["sort"] or Order.NID,
            after=asked["after"],
            has_rules={"yes": True, "no": False}.get(asked["rules"]),
        )


class CompareForm(forms.Form):
    """Two versions of one namespace, `from` and `to`; the latest two where the query does not say."""

    def __init__(self, query: Mapping[str, str], *, namespace: Namespace) -> None:
        self.revisions = {
            each.version: each for each in namespace.revisions.order_by("version").defer("text")
        }
        numbers = list(self.revisions)
        self.is_possible = len(numbers) > 1
        latest_two = dict(zip(("from", "to"), numbers[-2:], strict=False))
        super().__init__({name: query.get(name, latest_two.get(name, "")) for name in ("from", "to")})
        for name in ("from", "to"):
            self.fields[name] = VersionField(numbers, label=f"{name.capitalize()} version")

    @property
    def pair(self) -> tuple[Revision, Revision]:
        """The two revisions, once the form is valid."""
        return self.cleaned_data["from"], self.cleaned_data["to"]

    def clean(self) -> dict[str, Revision]:
        numbers = dict(self.cleaned_data)
        for name in [name for name in numbers if numbers[name] not in self.revisions]:
            there_are = ", ".join(str(version) for version in self.revisions)
            message = f"There is no version {numbers[name]}; there are versions {there_are}."
            self.add_error(name, forms.ValidationError(message, code="no_such_version"))
        return {name: self.revisions[numbers[name]] for name in self.cleaned_data}

    @property
    def status(self) -> HTTPStatus:
        if self.is_valid():
            return HTTPStatus.OK
        is_unknown = any(self.has_error(name, "no_such_version") for name in self.fields)
        return HTTPStatus.NOT_FOUND if is_unknown else HTTPStatus.BAD_REQUEST


class VersionField(forms.RegexField):
    """The number of a version, in ASCII digits, chosen from a list."""

    def __init__(self, numbers: list[int], *, label: str) -> None:
        widget = forms.Select(choices=[(str(number), str(number)) for number in numbers])
        message = "A version is a whole number from 1 upwards."
        super().__init__(
            r"\A[1-9][0-9]{0,9}\Z",
            label=label,
            widget=widget,
            strip=False,
            error_messages={"invalid": message},
        )

    def clean(self, value: object) -> int:
        return int(super().clean(value))
