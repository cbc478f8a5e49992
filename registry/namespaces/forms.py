"""Forms of namespaces: search, comparison, moves, profiles."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Generic, TypeVar

from django import forms

from registry.actions.forms import ActionForm
from registry.core.exceptions import RegistryError
from registry.namespaces.actions import profiles
from registry.namespaces.models import Kind
from registry.namespaces.profile_documents import profile_from_toml, to_toml
from registry.namespaces.search import KEYSETS, Order, SearchQuery, Status
from registry.namespaces.search_terms import MAX_QUERY_LENGTH
from urnsyntax.profiles import Profile
from urnsyntax.profiles.profile import SUBJECTS

MAX_KEY_LENGTH = len("YYYY-MM-DD.") + 32


def search_field(label: str) -> forms.CharField:
    """The field of a search in a list: words, or the beginning of a name, which browsers do not complete."""
    attrs = {"autocapitalize": "none", "autocomplete": "off", "spellcheck": "false"}
    return forms.CharField(
        label=label, max_length=MAX_QUERY_LENGTH, required=False, widget=forms.SearchInput(attrs)
    )


class SearchForm(forms.Form):
    """The filters of the list. `after` is the key after which the page starts."""

    q = search_field("NID or words")
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


Compared = TypeVar("Compared")


class ComparisonForm(forms.Form, Generic[Compared]):
    """Two of `versions`, named by `from` and `to`; by default, the latest two. `noun` is what a version is called."""

    def __init__(
        self, query: Mapping[str, str], versions: Mapping[int, Compared], *, noun: str = "version"
    ) -> None:
        self.versions, self.noun = versions, noun
        self.is_possible = len(versions) > 1
        latest_two = dict(zip(("from", "to"), list(versions)[-2:], strict=False))
        super().__init__({name: query.get(name, latest_two.get(name, "")) for name in ("from", "to")})
        for name in ("from", "to"):
            self.fields[name] = VersionField(list(versions), noun, label=f"{name.capitalize()} {noun}")

    @property
    def pair(self) -> tuple[Compared, Compared]:
        """The two versions, if the form is valid."""
        return self.cleaned_data["from"], self.cleaned_data["to"]

    def clean(self) -> dict[str, Compared]:
        numbers = dict(self.cleaned_data)
        for name in [name for name in numbers if numbers[name] not in self.versions]:
            there_are = ", ".join(str(version) for version in self.versions)
            message = f"There is no {self.noun} {numbers[name]}. Choose one of {there_are}."
            self.add_error(name, forms.ValidationError(message, code="no_such_version"))
        return {name: self.versions[numbers[name]] for name in self.cleaned_data}

    @property
    def status(self) -> HTTPStatus:
        if self.is_valid():
            return HTTPStatus.OK
        is_unknown = any(self.has_error(name, "no_such_version") for name in self.fields)
        return HTTPStatus.NOT_FOUND if is_unknown else HTTPStatus.BAD_REQUEST


class VersionField(forms.RegexField):
    """The number of a version, in ASCII digits, chosen from a list."""

    def __init__(self, numbers: list[int], noun: str, *, label: str) -> None:
        widget = forms.Select(choices=[(str(number), str(number)) for number in numbers])
        message = f"Enter a {noun}: a whole number of 1 or more."
        super().__init__(
            r"\A[1-9][0-9]{0,9}\Z",
            label=label,
            widget=widget,
            strip=False,
            error_messages={"invalid": message},
        )

    def clean(self, value: object) -> int:
        return int(super().clean(value))


class SetProfileForm(ActionForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        last = self.subject.profile_versions.last()
        self.current = last if last and last.value else None
        self.initial["profile"] = to_toml(self.current.value) if self.current else ""

    def clean_profile(self) -> Profile | None:
        """The profile, whose examples behave as it says; None for an empty text."""
        document = self.cleaned_data["profile"]
        if not document:
            return None
        try:
            profile = profile_from_toml(document)
            profiles.check_profile(self.subject, profile)
        except profiles.NamesContradict as refusal:
            raise forms.ValidationError([refusal.title, *refusal.failures]) from refusal
        except RegistryError as error:
            raise forms.ValidationError(str(error), code="invalid") from error
        return profile
