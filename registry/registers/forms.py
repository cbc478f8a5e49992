"""The forms of actions on registers that have more than a field for each input: values of fields, and declarations of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from django import forms
from django.forms import BoundField
from django.forms.formsets import BaseFormSet, formset_factory
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.text import capfirst

from registry.actions.forms import ActionForm
from registry.actions.parameters import FieldParameter, text_widget
from registry.core.exceptions import RegistryError
from registry.core.form_views import FormInvalid, with_values
from registry.registers.entries import check_label, checked_reference, checked_title
from registry.registers.fields import (
    MAX_CHOICE,
    MAX_CHOICES,
    MAX_DECLARED,
    MAX_FIELD_HELP,
    MAX_FIELD_LABEL,
    FieldKind,
    FieldRefused,
    FieldValueRefused,
    RegisterField,
    check_value,
    fault_of_values,
    faults_of_fields,
)
from registry.registers.models import Entry, Register
from registry.registers.permissions import changes_at_once
from registry.registers.policies import Policy
from registry.registers.subjects import register_of
from urnsyntax.profiles.schema import MAX_URL_LENGTH
from urnsyntax.profiles.subnamespaces.lists import MAX_FIELD_VALUE

MOST_BUTTONS = 5  # choices that are shown beside each other
EMPTY_ROWS = 3
ENDS_OF_SENTENCES = ".!?:…。"
PUBLIC = "It is public when the entry is."
BEFORE_VALUES = ("label", "title", "reference")
ROWS = "fields"  # the prefix of the rows in a form
TO_CORRECT = "Correct the fields below."
MAX_PLACE = 99
MOST_OF_CHOICES = MAX_CHOICES * (MAX_CHOICE + 2)  # characters


# Values


def _widget_of(declared: RegisterField, stored: str) -> forms.Widget:
    """The control that fits the kind of a field, and shows a stored value also if that no longer fits."""
    if declared.kind == FieldKind.CHOICE:
        choices = [(each, each) for each in dict.fromkeys((*declared.choices, *filter(None, [stored])))]
        if len(choices) > MOST_BUTTONS:
            return forms.Select(choices=[("", "Choose one" if declared.required else "No answer"), *choices])
        return forms.RadioSelect(choices=choices if declared.required else [("", "No answer"), *choices])
    if "\n" in stored or (stored and fault_of_values([declared], {declared.name: stored})):
        return text_widget(4, {})
    if declared.kind == FieldKind.DATE:
        return forms.DateInput({"type": "date"})
    if declared.kind == FieldKind.URL:
        return forms.URLInput({"autocomplete": "off"})
    # An input of the type "number" would lose what is no number.
    attrs = {"inputmode": "numeric", "autocomplete": "off"} if declared.kind == FieldKind.NUMBER else {}
    return text_widget(4 if declared.kind == FieldKind.LINES else 1, attrs)


def _sentence(text: str) -> str:
    """A text, with a full stop if it lacks an end, so that another sentence can follow."""
    return f"{text}." if text and text[-1] not in ENDS_OF_SENTENCES else text


class ValueField(forms.CharField):
    """The value of a field that a register declares, checked as the action checks it. `stored` is what the entry has, which is
    not judged again; None for a new entry.
    """

    def __init__(self, declared: RegisterField, stored: str | None = None) -> None:
        widget = _widget_of(declared, stored or "")
        super().__init__(
            label=declared.label,
            help_text=f"{_sentence(declared.help)} {PUBLIC}".lstrip(),
            required=declared.required and stored != "",
            widget=widget,
            strip=False,
        )
        self.declared, self.stored = declared, stored
        if declared.kind in {FieldKind.TEXT, FieldKind.LINES, FieldKind.URL}:
            longest = MAX_URL_LENGTH if declared.kind == FieldKind.URL else MAX_FIELD_VALUE
            self.widget.attrs["maxlength"] = str(longest)

    def clean(self, value: Any) -> str:
        text = str(self.to_python(value)).replace("\r\n", "\n")
        if text == self.stored:
            return text
        if self.required and self.declared.kind == FieldKind.CHOICE and not text.strip():
            raise forms.ValidationError(f"Choose “{self.declared.label}”.")
        try:
            return check_value(self.declared, text)
        except FieldValueRefused as refusal:
            raise forms.ValidationError(refusal.reason) from refusal


class ValuesForm(ActionForm):
    """The form of an action with values of the fields of a register."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.declared = register_of(self.subject).declared
        for each in self.declared:
            self.fields[each.field_name] = ValueField(each, self.stored_value(each.name))
        self.order_fields([*BEFORE_VALUES, *(each.field_name for each in self.declared)])
        if "label" in self.fields:
            self._check_while_typing(self["label"])

    @property
    def is_reviewed(self) -> bool:
        """Whether someone decides on what is sent, or did before it was sent again."""
        return not (isinstance(self.subject, Register) and self.subject.policy == Policy.FIRST_COME)

    @property
    def parameters(self) -> Sequence[FieldParameter]:
        """Without a note to reviewers if there are none, unless one was typed before they ended."""
        has_note = self.is_reviewed or self.data.get("note")
        return [each for each in super().parameters if has_note or each.argument != "note"]

    def _check_while_typing(self, label: BoundField) -> None:
        """Let the page show below the label what stands against it, by what is public."""
        label.field.is_checked = True  # type: ignore[attr-defined]  # read by _field.html
        label.field.widget.attrs |= {
            "data-hx-get": reverse("registers:check_label", kwargs=register_of(self.subject).address),
            "data-hx-trigger": "input changed delay:300ms",
            "data-hx-target": f"#{label.auto_id}_check",
            "data-hx-sync": "this:replace",
        }

    def stored_value(self, name: str) -> str | None:
        """What the entry has in a field; None if it is a new one."""
        return None

    def clean(self) -> dict[str, Any]:
        """Without a stamp, the action would not notice that a field was removed after the form was opened."""
        cleaned = super().clean() or self.cleaned_data
        self._check_texts(cleaned)
        if self.lost_texts and not any(self._stamps()):
            names = ", ".join(f"“{name}”" for name, _ in self.lost_texts)
            raise forms.ValidationError(
                f"The register no longer has {names}. Read the form again, and send it without."
            )
        return cleaned

    def _check_texts(self, cleaned: Mapping[str, Any]) -> None:
        """Name what is wrong with the other texts, too, if there is more than one fault: the action names the first one."""
        register = register_of(self.subject)
        checks: dict[str, Callable[[Register, str], object]] = {
            "title": lambda _, title: checked_title(title),
            "reference": checked_reference,
            "label": check_label,
        }
        faults = dict[str, str]()
        for name in (each for each in checks if each in cleaned and cleaned[each] != self.initial.get(each)):
            if name == "label" and not (self.errors or faults):
                continue  # if it alone is wrong, the action says so, which compares it with the list anyway
            try:
                checks[name](register, cleaned[name])
            except RegistryError as refusal:
                faults[name] = str(refusal)
        if self.errors or len(faults) > 1:
            for name in faults.keys() - self.errors.keys():
                self.add_error(name, faults[name])

    def arguments(self) -> dict[str, Any]:
        values = {each.name: self.cleaned_data[each.field_name] for each in self.declared}
        return super().arguments() | {"fields": values}

    @property
    def lost_texts(self) -> list[tuple[str, str]]:
        """What was typed into fields that the register no longer declares."""
        left = (name for name in self.data if name.startswith("field_") and name not in self.fields)
        return [(name.removeprefix("field_"), text) for name in left if (text := str(self.data[name]))]


class ChangeForm(ValuesForm):
    """The form of a change of an entry."""

    @property
    def is_reviewed(self) -> bool:
        return not (isinstance(self.subject, Entry) and changes_at_once(self.by, self.subject))

    def stored_value(self, name: str) -> str | None:
        entry = self.subject if isinstance(self.subject, Entry) else self.subject.entry
        return str(dict(entry.content.fields).get(name, ""))


def values_for_form(stored: Mapping[str, str]) -> dict[str, str]:
    """Stored values by the names of their fields in a form."""
    return {f"field_{name}": value for name, value in stored.items()}


# Declarations


def _too_long(what: str, longest: int) -> dict[str, str]:
    return {"max_length": f"Shorten {what} to at most {longest:,} characters."}


class FieldRow(forms.Form):
    """One field of the register. A row without a label is left out, and so is one that is to be removed."""

    name = forms.CharField(widget=forms.HiddenInput, required=False)
    label = forms.CharField(
        max_length=MAX_FIELD_LABEL,
        error_messages=_too_long("the label", MAX_FIELD_LABEL),
        required=False,
        help_text="What people read at the field, such as “Opened on”. Without it, the field is removed.",
    )
    help = forms.CharField(
        label="Help text",
        max_length=MAX_FIELD_HELP,
        error_messages=_too_long("the help text", MAX_FIELD_HELP),
        required=False,
        help_text="What they should know to fill it in.",
    )
    kind = forms.ChoiceField(
        choices=[(value, capfirst(label)) for value, label in FieldKind.choices],
        initial=FieldKind.TEXT,
        required=False,
        help_text="What a value is.",
    )
    choices = forms.CharField(
        max_length=MOST_OF_CHOICES,
        error_messages=_too_long("the choices", MOST_OF_CHOICES),
        required=False,
        widget=forms.Textarea({"rows": 3}),
        help_text="Only for the kind “one of choices”: one on each line.",
    )
    required = forms.BooleanField(label="Each entry needs a value", required=False)
    order = forms.IntegerField(
        label="Place",
        min_value=1,
        max_value=MAX_PLACE,
        error_messages=dict.fromkeys(
            ("invalid", "min_value", "max_value"), f"Enter a number from 1 to {MAX_PLACE}."
        ),
        required=False,
        help_text="Where it stands among the fields: 1 is the first.",
    )
    remove = forms.BooleanField(label="Remove this field. Entries keep their values of it.", required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not self["name"].value():
            del self.fields["remove"]

    @property
    def other_fields(self) -> list[BoundField]:
        """Those after label, help text and kind."""
        return [each for each in self.visible_fields() if each.name not in {"label", "help", "kind"}]

    @property
    def is_kept(self) -> bool:
        """Whether it declares a field."""
        given = self.cleaned_data
        return bool(given.get("label")) and not given.get("remove")

    def clean(self) -> dict[str, Any]:
        given = super().clean() or self.cleaned_data
        typed = given.get("help") or given.get("choices")
        if typed and not given.get("label") and not given.get("name") and "label" not in self.errors:
            self.add_error("label", "Enter a label, or empty the row.")
        return given

    @property
    def declaration(self) -> dict[str, Any]:
        """The members of `RegisterField` that were entered, as far as they can be read."""
        given = self.cleaned_data
        texts = {name: given.get(name, "") for name in ("name", "label", "help")}
        kind = given.get("kind") or FieldKind.TEXT.value
        return texts | {
            "kind": kind,
            "choices": given.get("choices", "").splitlines(),
            "required": given["required"],
        }


def _rows_of(declared: tuple[RegisterField, ...]) -> list[dict[str, Any]]:
    return [
        {**each.stored, "choices": "\n".join(each.choices), "order": place}
        for place, each in enumerate(declared, 1)
    ]


class DeclareFieldsForm(ActionForm):
    """The form of the fields of a register, with some empty rows for new ones."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.field_rows = self._rows(self.data if self.is_bound else None)

    def _rows(self, posted: Any) -> "BaseFormSet[FieldRow]":
        declared = self.subject.declared
        blank = formset_factory(
            FieldRow,
            extra=min(EMPTY_ROWS, MAX_DECLARED - len(declared)),
            max_num=MAX_DECLARED,
            absolute_max=2 * MAX_DECLARED,
        )
        lost = "The form was incomplete. Submit it again from this page."
        return blank(
            posted,
            prefix=ROWS,
            # What was posted is whole, also if the register was changed since.
            initial=_rows_of(declared) if posted is None else None,
            error_messages={"missing_management_form": lost},
        )

    def add_rows(self) -> None:
        """Show more empty rows, if there can be more fields."""
        count = str(self.data.get(f"{ROWS}-TOTAL_FORMS", ""))
        rows = int(count) if count.isascii() and count.isdigit() and len(count) < 4 else 0
        self.data = with_values(self.data, **{f"{ROWS}-TOTAL_FORMS": min(rows + EMPTY_ROWS, MAX_DECLARED)})
        self.field_rows = self._rows(self.data)

    @property
    def has_more_rows(self) -> bool:
        """Whether rows can be added."""
        return self.field_rows.total_form_count() < MAX_DECLARED

    @cached_property
    def _kept(self) -> list[FieldRow]:
        """The rows that declare a field, in the order of their places; those without one are the last."""
        rows = [each for each in self.field_rows if each.is_kept]
        return sorted(rows, key=lambda each: each.cleaned_data.get("order") or MAX_DECLARED * 10)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        is_valid = self.field_rows.is_valid()
        faults = faults_of_fields([each.declaration for each in self._kept])
        for fault in faults:
            self._show_at_row(fault)
        if faults or not is_valid:
            raise forms.ValidationError(TO_CORRECT)
        return cleaned

    def arguments(self) -> dict[str, Any]:
        return super().arguments() | {"fields": [each.declaration for each in self._kept]}

    def show_refusal(self, refusal: RegistryError) -> RegistryError:
        if not isinstance(refusal, FieldRefused):
            return super().show_refusal(refusal)
        self.add_error(None, TO_CORRECT)
        self._show_at_row(refusal)
        return FormInvalid(self)

    def _show_at_row(self, refusal: FieldRefused) -> None:
        row = self._kept[refusal.row - 1] if refusal.row <= len(self._kept) else None
        if row is not None and refusal.member in row.fields and not row[refusal.member].is_hidden:
            if refusal.member not in row.errors:
                row.add_error(refusal.member, refusal.reason)
        else:
            self.field_rows.non_form_errors().append(str(refusal))

    def entered_texts(self) -> Iterator[tuple[str, str]]:
        for number, row in enumerate(self.field_rows, 1):
            for each in row.visible_fields():
                if isinstance(each.field, self.text_fields) and (text := each.value()):
                    yield f"Field {number}: {each.label}", str(text)
