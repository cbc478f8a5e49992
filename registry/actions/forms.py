"""The form of an action, built from its parameters.

The cleaned fields are the arguments of the action. The action itself checks them, so that a page and the API
refuse the same text with the same message.
"""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

from django import forms
from django.forms import BoundField

from registry.accounts.models import User
from registry.actions.declarations import Action
from registry.actions.parameters import Address, AddressPart, FieldParameter, Stamp, Text
from registry.core.exceptions import RegistryError
from registry.core.form_views import FormInvalid, with_values
from registry.core.validators import TextRefused, check_address


class ActionForm(forms.Form):
    """The form of an action of `by` on a subject; `perform` carries it out."""

    # The fields of texts that a person types.
    text_fields: ClassVar[tuple[type[forms.Field], ...]] = (forms.CharField,)

    def __init__(
        self,
        posted: Any = None,
        *,
        action: Action[Any],
        subject: Any,
        by: User,
        address: Mapping[str, Any] = MappingProxyType({}),
        initial: Mapping[str, Any] = MappingProxyType({}),
        **kwargs: Any,
    ) -> None:
        self.action, self.subject, self.by = action, subject, by
        # The arguments that are parts of the address.
        self.given = {
            each.argument: address[each.argument]
            for each in action.parameters
            if isinstance(each, AddressPart)
        }
        super().__init__(posted, initial={**self.stamps(subject), **initial}, **kwargs)
        for parameter in self.parameters:
            self.fields[parameter.field_name] = parameter.form_field(subject, by)

    @property
    def effect(self) -> str:
        """What the action will do to its subject."""
        return self.action.effect_on(self.subject)

    @property
    def parameters(self) -> Sequence[FieldParameter]:
        """The parameters that have a field. A subclass adds the fields of others."""
        return [each for each in self.action.parameters if isinstance(each, FieldParameter)]

    def stamps(self, subject: Any) -> dict[str, int]:
        """The hidden fields that identify what the person has seen."""
        return {each.field_name: each.current(subject) for each in self._stamps()}

    def _stamps(self) -> Iterator[Stamp]:
        return (each for each in self.action.parameters if isinstance(each, Stamp))

    def refresh_stamps(self, refusal: RegistryError) -> None:
        """Keep the texts. If a refusal says that a stamp is out of date, take the current one.

        The refusal does not say what else has changed, so the other stamps stay: the action then refuses them.
        """
        refused, current = self.refused_stamps(refusal), self.stamps(self.subject)
        self.data = with_values(self.data, **{name: current[name] for name in refused})

    def refused_stamps(self, refusal: RegistryError) -> set[str]:
        """The names of the stamps that are out of date by a refusal."""
        return {each.field_name for each in self._stamps() if isinstance(refusal, each.refusal)}

    def check_open(self) -> None:
        """Raise a RegistryError if the form can't be offered."""
        self.action.check_open(self.subject)

    def clean(self) -> dict[str, Any]:
        """Name all that is wrong at once, and before an attempt is counted. Of a single text that is missing, the action says
        which it is, unless it counts attempts.
        """
        cleaned = super().clean() or self.cleaned_data
        missing = [
            each.field_name
            for each in self.parameters
            if isinstance(each, Text)
            and self.fields[each.field_name].required
            and not cleaned.get(each.field_name, "-").strip()
        ]
        for each in self.parameters:
            if isinstance(each, Address) and each.field_name not in missing:
                self._check_address(each, cleaned)
        if missing and (self.errors or len(missing) > 1 or self.action.limit):
            for name in missing:
                self.add_error(name, str(self.fields[name].error_messages["required"]))
        return cleaned

    def _check_address(self, parameter: Address, cleaned: Mapping[str, Any]) -> None:
        name = parameter.field_name
        given = cleaned.get(name, "-@example.org")
        if parameter.is_optional and not given:
            return
        try:
            check_address(given)
        except RegistryError as refusal:
            self.add_error(name, str(refusal))

    def arguments(self) -> dict[str, Any]:
        """The keyword arguments of the action, from a valid form."""
        return self.given | {each.argument: self.cleaned_data[each.field_name] for each in self.parameters}

    def perform(self) -> Any:
        return self.action.function(self.subject, by=self.by, **self.arguments())

    def parameter_fields(self) -> list[BoundField]:
        """The visible fields of the parameters that have one field."""
        names = {each.field_name for each in self.parameters}
        return [field for field in self.visible_fields() if field.name in names]

    def show_refusal(self, refusal: RegistryError) -> RegistryError:
        """Show a refused text at its field. Returns the refusal that the page shows above the form."""
        if not isinstance(refusal, TextRefused):
            return refusal
        texts = [each.field_name for each in self.parameters if isinstance(each, Text)]
        field = refusal.argument or (texts[0] if len(texts) == 1 else "")
        if field not in self.fields:
            return refusal
        self.add_error(field, str(refusal))
        return FormInvalid(self)

    def entered_texts(self) -> Iterator[tuple[str, str]]:
        """The entered texts by label, for a page that can't show the form."""
        for field in self.visible_fields():
            if isinstance(field.field, self.text_fields) and (text := field.value()):
                yield str(field.label), str(text)
