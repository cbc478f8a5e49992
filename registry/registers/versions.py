"""Versions of a register: a change names the one that it replaces, and begins the next one, which people read before they act."""

from django.utils import timezone

from registry.actions.parameters import Stamp
from registry.registers.models import Register
from registry.registers.subjects import StaleRegister

REPLACES = Stamp(
    "replaces",
    "The version of the register that this change replaces",
    current=lambda register: register.version,
    refusal=StaleRegister,
)


def check_replaces(register: Register, version: int) -> None:
    """Raise StaleRegister unless the person who changes the register read it as it is."""
    if version != register.version:
        raise StaleRegister(
            f"“{register}” was changed after you read it. Read it again before you change it."
        )


def begin_version(register: Register) -> None:
    """Store a changed register as its next version. A trigger keeps the one before."""
    register.version += 1
    register.changed_at = timezone.now()
    register.save()
