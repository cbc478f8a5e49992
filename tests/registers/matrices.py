"""What the tests of tables share in which a cell says what each role may do in a state of a register."""

from collections.abc import Callable, Mapping
from typing import Any

from django.db import transaction

from registry.accounts.models import User
from registry.core.exceptions import RegistryError
from registry.namespaces.actions.deprecation import deprecate
from registry.registers.actions.registers import change_register, suspend_register
from registry.registers.models import Register


def brought_to(column: str, register: Register, people: Mapping[str, Any]) -> Register:
    """A register in the state of a column: under a policy, suspended, or below a deprecated namespace."""
    holder: User = people["holder"]
    administrator: User = people["administrator"]
    if column == "suspended":
        return suspend_register(register, by=administrator, reason="Order of a court.")
    if column == "deprecated":
        deprecate(register.namespace, by=administrator, statement="No one uses it.")
    elif column != register.policy:
        changed = {"policy": column, "title": register.title, "replaces": register.version}
        return change_register(register, by=holder, **changed)
    return register


def letter_of(
    attempt: Callable[[], object], letters: Mapping[str, object], done: Callable[[], object]
) -> str:
    """The letter of what an attempt leads to, or the name of a refusal that has none. It is undone.

    `letters` has the refusals, and what `done` returns after an attempt that is not refused.
    """
    found = {meaning: letter for letter, meaning in letters.items()}
    with transaction.atomic():
        try:
            attempt()
            return found[done()]
        except RegistryError as refusal:
            return found.get(type(refusal), type(refusal).__name__)
        finally:
            transaction.set_rollback(True)
