"""Operations of migrations: SQL files beside them, and operations that take effect together."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from django.contrib.postgres.operations import AddConstraintNotValid
from django.db.migrations import CreateModel, RunSQL
from django.db.migrations.operations.base import Operation
from django.db.migrations.operations.fields import FieldOperation
from django.db.migrations.operations.models import IndexOperation
from django.db.migrations.state import ProjectState


def run_sql_file(migration: str, name: str, *, is_repeatable: bool = False, undone_by: str = "") -> RunSQL:
    """Return the operation that runs the file `name`.sql in the folder of `migration`, a `__file__`.

    Statements that are repeatable can stay when the migration is undone, because it may run again. Others are undone by
    another file, `undone_by`.sql, or not at all.
    """

    def text_of(file: str) -> str:
        return Path(migration).with_name(f"{file}.sql").read_text(encoding="utf-8")

    return RunSQL(text_of(name), text_of(undone_by) if undone_by else RunSQL.noop if is_repeatable else None)


# Operations that change one model that is there.
OF_MODEL = (FieldOperation, IndexOperation)


class Together(Operation):
    """Operations of which none needs the state of the models before another one.

    Alone, each would make Django render again all models that are related to its own: those that have anything to do with an
    account, so almost all. That is most of the time of a first migration.

    A constraint that is not validated at once comes after the columns of its condition, in a group of its own.
    """

    def __init__(self, operations: Sequence[Operation]) -> None:
        self.operations = operations

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        rendered = vars(state).pop("apps", None)  # without it, no operation renders models
        for each in self.operations:
            each.state_forwards(app_label, state)
        if rendered is None:
            return
        added = [each for each in self.operations if isinstance(each, CreateModel)]
        changed = [
            (app_label, each.model_name_lower) for each in self.operations if isinstance(each, OF_MODEL)
        ]
        if len(added) == len(self.operations):
            # Rendered alone, as the classes of models are at the start of a process. Those that were there know of their relations
            # to the new ones when they are rendered again.
            vars(state)["apps"] = rendered
            rendered.render_multiple([state.models[app_label, each.name_lower] for each in added])
        elif len(changed) == len(self.operations):
            vars(state)["apps"] = rendered
            state.reload_models(changed)  # with the models that they relate to; what needs more renders all

    def database_forwards(
        self, app_label: str, schema_editor: Any, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        for each in self.operations:
            each.database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(
        self, app_label: str, schema_editor: Any, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        for each in reversed(self.operations):
            each.database_backwards(app_label, schema_editor, from_state, to_state)

    def describe(self) -> str:
        return "; ".join(each.describe() for each in self.operations)


def created_together(operations: Iterable[Operation]) -> list[Operation]:
    """Return the operations of a migration, in which models that are created one after another are created together."""
    found: list[Operation] = []
    for is_creation, group in groupby(operations, lambda each: isinstance(each, CreateModel)):
        neighbours = list(group)
        found += [Together(neighbours)] if is_creation else neighbours
    return found


class WidenConstraint(AddConstraintNotValid):
    """Replaces a check by one with its name that permits more, in one transaction; a later migration validates it.

    Undone, the check comes back for new rows alone: others can have what only the wider one permits.
    """

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        state.remove_constraint(app_label, self.model_name_lower, self.constraint.name)
        super().state_forwards(app_label, state)

    def database_forwards(
        self, app_label: str, schema_editor: Any, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        model = from_state.apps.get_model(app_label, self.model_name)
        drop = self.constraint.remove_sql(model, schema_editor)
        schema_editor.execute(f"-- squawk-ignore ban-drop-constraint\n{drop}", params=None)
        super().database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(
        self, app_label: str, schema_editor: Any, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        super().database_backwards(app_label, schema_editor, from_state, to_state)
        constraints = to_state.apps.get_model(app_label, self.model_name)._meta.constraints
        (former,) = (each for each in constraints if each.name == self.constraint.name)
        again = AddConstraintNotValid(self.model_name, former)
        again.database_forwards(app_label, schema_editor, to_state, to_state)
