"""`manage.py lint_migrations`: migrations that stop requests, or break the previous release, are reported."""

from itertools import pairwise
from unittest import mock

import pytest
from django.contrib.postgres.operations import AddConstraintNotValid
from django.core.management import call_command
from django.db import connection, models
from django.db.migrations import (
    AddConstraint,
    AddField,
    AddIndex,
    CreateModel,
    RemoveField,
    RenameField,
    RunSQL,
)
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ModelState

from registry.core.database.migration_operations import Together, WidenConstraint
from registry.devserver import migration_safety
from registry.devserver.migration_safety import findings, later_migrations

pytestmark = pytest.mark.django_db


def sql_of(operation: Operation) -> str:
    """The SQL of an operation on the model of cases."""
    before = MigrationLoader(connection).project_state()
    after = before.clone()
    operation.state_forwards("cases", after)
    with connection.schema_editor(collect_sql=True, atomic=False) as editor:
        operation.database_forwards("cases", editor, before, after)
    return "\n".join(editor.collected_sql)


@pytest.mark.parametrize(
    ("operation", "rule"),
    [
        (AddField("case", "rank", models.IntegerField(default=0)), "ban-drop-default"),
        (AddIndex("case", models.Index(fields=["state"], name="x")), "require-concurrent-index-creation"),
        (RenameField("case", "state", "status"), "renaming-column"),
        (RemoveField("case", "state"), "ban-drop-column"),
        (RunSQL("ALTER TABLE cases_case ALTER COLUMN state TYPE varchar(9)"), "changing-column-type"),
        (RunSQL("ALTER TABLE cases_case ADD CHECK (id > 0)"), "constraint-missing-not-valid"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_a_migration_that_locks_or_breaks_is_reported(operation: Operation, rule: str) -> None:
    found = findings("cases/0002_x", sql_of(operation))
    assert rule in found
    assert "cases/0002_x" in found


@pytest.mark.parametrize(
    "sql",
    [
        AddField("case", "note", models.TextField(null=True)),
        AddField("case", "rank", models.IntegerField(db_default=0)),
        AddConstraintNotValid("case", models.CheckConstraint(condition=models.Q(pk__gt=0), name="positive")),
        WidenConstraint(
            "case", models.CheckConstraint(condition=models.Q(pk__gt=0), name="case_state_is_known")
        ),
        # What AddIndexConcurrently and ValidateConstraint run.
        'CREATE INDEX CONCURRENTLY "x" ON "cases_case" ("state")',
        'ALTER TABLE "cases_case" VALIDATE CONSTRAINT "positive"',
    ],
    ids=str,
)
def test_an_expanding_migration_is_safe(sql: Operation | str) -> None:
    assert findings("cases/0002_x", sql if isinstance(sql, str) else sql_of(sql)) == ""


def test_initial_migrations_create_tables_together_and_with_their_indexes_and_constraints() -> None:
    """As operations of their own, Django renders all related models again for each: seconds of every set-up."""
    for migration in MigrationLoader(None).disk_migrations.values():
        if migration.initial and migration.__module__.startswith("registry."):
            creates = [isinstance(each, (CreateModel, Together)) for each in migration.operations]
            assert (True, True) not in pairwise(creates), migration
            later = {each.model_name for each in migration.operations if isinstance(each, AddField)}
            added = [each for each in migration.operations if isinstance(each, (AddIndex, AddConstraint))]
            assert [each for each in added if each.model_name not in later] == [], migration


def test_operations_together_render_each_model_once() -> None:
    state = MigrationLoader(None).project_state(("registers", "0001_initial"))
    rendered = state.apps
    link = models.ForeignKey("registers.register", models.PROTECT, null=True, related_name="linked")
    index = AddIndex("register", models.Index("first", name="by_first"))
    together = [
        AddField("register", "first", models.IntegerField(null=True)),
        index,
        AddField("entry", "second", link),
    ]
    with mock.patch.object(ModelState, "render", autospec=True, side_effect=ModelState.render) as render:
        Together(together).state_forwards("registers", state)
    names = [(each.args[0].app_label, each.args[0].name) for each in render.mock_calls]
    assert state.apps is rendered
    assert ("registers", "Register") in names
    assert len(names) == len(set(names))
    register, entry = (rendered.get_model("registers", name) for name in ("register", "entry"))
    assert entry._meta.get_field("second").related_model is register
    assert {"first", "linked"} <= {each.name for each in register._meta.get_fields()}
    assert [each.name for each in register._meta.indexes if each.name == "by_first"]


def test_models_created_together_are_rendered_alone() -> None:
    state = MigrationLoader(None).project_state(("registers", "0001_initial"))
    rendered = state.apps
    link = models.ForeignKey("registers.register", models.PROTECT, related_name="+")
    made = CreateModel("Note", [("id", models.BigAutoField(primary_key=True)), ("register", link)])
    with mock.patch.object(ModelState, "render", autospec=True, side_effect=ModelState.render) as render:
        Together([made]).state_forwards("registers", state)
    assert [each.args[0].name for each in render.mock_calls] == ["Note"]
    assert state.apps is rendered
    note, register = (rendered.get_model("registers", name) for name in ("note", "register"))
    assert note._meta.get_field("register").related_model is register


def test_a_migration_without_a_transaction_has_one_operation() -> None:
    """What ran before one that fails is not undone, so the migration could not be run again."""
    several = [
        str(migration)
        for migration in MigrationLoader(None).disk_migrations.values()
        if migration.__module__.startswith("registry.")
        if not migration.atomic and len(migration.operations) > 1
    ]
    assert several == []


@pytest.mark.exhaustive
def test_initial_migrations_are_not_judged_and_all_others_are_safe(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    later = list(later_migrations())
    assert not any(name.endswith("/0001_initial") for name, *_ in later)
    judged = "registry.devserver.management.commands.lint_migrations.later_migrations"
    monkeypatch.setattr(judged, lambda: later)
    call_command("lint_migrations")
    assert "All migrations can run" in capsys.readouterr().out
    monkeypatch.setattr(judged, lambda: [("cases/0002_x", "DROP TABLE cases_case;")])
    with pytest.raises(SystemExit, match="1"):
        call_command("lint_migrations")
    assert "ban-drop-table" in capsys.readouterr().out


def test_later_migrations_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def loader(*arguments: object, **options: object) -> MigrationLoader:
        loaded = MigrationLoader(*arguments, **options)  # type: ignore[arg-type]
        loaded.disk_migrations["mail", "0001_initial"].initial = False
        return loaded

    monkeypatch.setattr(migration_safety, "MigrationLoader", loader)
    sql = {name: text for name, text, _ in later_migrations()}["mail/0001_initial"]
    assert 'CREATE TABLE "mail_message"' in sql
