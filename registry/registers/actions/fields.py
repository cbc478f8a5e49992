"""Declaring the fields that a register asks for, beside label, title and specification."""

from collections.abc import Mapping, Sequence
from typing import Any

from registry.accounts.gravity import Gravity
from registry.actions.declarations import Action, ActionContext
from registry.actions.engine import performs
from registry.registers.actions.registers import HOLDER_ONLY, past_of
from registry.registers.fields import MAX_DECLARED, declared_fields
from registry.registers.inputs import FieldDeclarations
from registry.registers.models import Register
from registry.registers.permissions import holds
from registry.registers.subjects import BELOW, REGISTER, RegisterUnchanged, mail_all
from registry.registers.versions import REPLACES, begin_version, check_replaces

DECLARE_FIELDS = Action[Register](
    name="declare_fields",
    label="Change the fields",
    button="Save the fields",
    effect=(
        "Requests and new entries have these fields from now on, beside label, title and specification. Their values are public "
        "with the entry, so ask for nothing personal. Entries keep the values that they have, also of a field that is removed. "
        "Requests that wait are accepted only if they have what the fields ask for."
    ),
    success="The fields were changed.",
    past=past_of("Fields of the register changed"),
    details=(BELOW,),
    permission=holds,
    not_permitted=HOLDER_ONLY,
    gravity=Gravity.CONTROL,
    parameters=(
        REPLACES,
        FieldDeclarations(
            "fields",
            f"The fields of the register, in order, at most {MAX_DECLARED}",
            "Those that are left out are removed. A field keeps its name, and a new one without a name gets one from its label",
            sample=[
                {
                    "label": "Kind of garden",
                    "help": "Where its trees stand.",
                    "kind": "choice",
                    "choices": ["Park", "Arboretum"],
                    "required": True,
                },
                {"label": "Opened on", "kind": "date"},
            ],
        ),
    ),
    refusals=(RegisterUnchanged,),
    notify=mail_all,
)
# By the part of its address.
ACTIONS = {"fields": DECLARE_FIELDS}


@performs(DECLARE_FIELDS, REGISTER)
def declare_fields(
    context: ActionContext[Register], *, fields: Sequence[Mapping[str, Any]], replaces: int
) -> None:
    """Replace the fields of a register; see `declared_fields`. `replaces` is its current version, which is kept."""
    register = context.subject
    check_replaces(register, replaces)
    wanted = [each.stored for each in declared_fields(fields)]
    if wanted == register.fields:
        raise RegisterUnchanged(f"“{register}” has these fields already.")
    register.fields = wanted
    begin_version(register)
