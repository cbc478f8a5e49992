"""The query string of a comparison: two versions of a namespace, or two rounds of a case."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Generic, TypeVar

from django import forms

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
