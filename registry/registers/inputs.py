"""The inputs of registers that are more than one field on a page: the fields that a register declares, and their values."""

from dataclasses import dataclass

from registry.actions.parameters import Parameter
from registry.core.exceptions import RegistryError
from registry.core.validators import BodySize
from registry.registers.fields import FieldRefused, FieldValueRefused


@dataclass(frozen=True, slots=True)
class FieldDeclarations(Parameter):
    """The fields of a register, in order, as the members of `RegisterField`. They are rows on a page."""

    @property
    def body_size(self) -> BodySize:
        return BodySize.TEXTS

    @property
    def refusals(self) -> tuple[type[RegistryError], ...]:
        return (FieldRefused,)


@dataclass(frozen=True, slots=True)
class FieldValues(Parameter):
    """The values of the fields that a register declares, by their names. Each is a field on a page."""

    @property
    def body_size(self) -> BodySize:
        return BodySize.TEXTS

    @property
    def refusals(self) -> tuple[type[RegistryError], ...]:
        return (FieldValueRefused,)


VALUES = FieldValues(
    "fields",
    "Values of the fields that the register declares, by name",
    "Each is a text, also a number or a date. They are public when the entry is.",
)
