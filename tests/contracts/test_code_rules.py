"""Rules for the code: constructs that are forbidden or allowed in one place only."""

import ast
import re
from inspect import Parameter, signature

import pytest
from django.apps import apps
from django.conf import settings
from django.urls import reverse

from registry.actions.declarations import Action
from registry.cases.workflow.declarations import actions, reviews, transitions
from registry.cases.workflow.declarations.actions import ACTIONS, COMMENT
from registry.cases.workflow.declarations.definition import CaseEvent, Transition
from registry.cases.workflow.declarations.transitions import (
    ACTION_BY_SLUG,
    ALL_ACTIONS,
    EVENT_TYPE_BY_NAME,
    TRANSITIONS,
)
from tests.contracts.source_code import Source, sources

EMAILS = settings.BASE_DIR / "templates" / "emails"


def source_of(text: str) -> Source:
    return Source("registry.sample", "registry/sample.py", ast.parse(text))


def switched_off_triggers(source: Source) -> list[str]:
    """Find ways to bypass triggers."""
    said = [
        (node.lineno, node.value)
        for node in source.nodes(ast.Constant)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    words = ("DISABLE TRIGGER", "session_replication_role")
    wrong = [line for line, text in said if any(word.lower() in text.lower() for word in words)]
    return [f"{source.path}:{line}" for line in wrong]


def caught_blindly(source: Source) -> list[str]:
    """Find `except:`, `except Exception` and `except BaseException`, alone or in a tuple."""
    wrong = []
    for node in source.nodes(ast.ExceptHandler):
        assert isinstance(node, ast.ExceptHandler)
        caught = (
            {each.id for each in ast.walk(node.type) if isinstance(each, ast.Name)} if node.type else {""}
        )
        if caught & {"", "Exception", "BaseException"}:
            wrong.append(f"{source.path}:{node.lineno}")
    return wrong


def raised_without_a_reason(source: Source) -> list[str]:
    """Find `raise ValueError` and `raise Exception`, with or without a message."""
    wrong = []
    for node in source.nodes(ast.Raise):
        assert isinstance(node, ast.Raise)
        raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        if isinstance(raised, ast.Name) and raised.id in {"ValueError", "Exception", "RuntimeError"}:
            wrong.append(f"{source.path}:{node.lineno}")
    return wrong


def writers_of_a_state(source: Source) -> list[str]:
    """Find functions that assign to `.state` or call `update(state=…)`."""
    wrong: list[str] = []
    for function in source.nodes(ast.FunctionDef):
        assert isinstance(function, ast.FunctionDef)
        if any(_writes_a_state(node) for node in ast.walk(function)):
            wrong.append(f"{source.module}.{function.name}")
    outside = [node for node in source.tree.body if not isinstance(node, ast.FunctionDef | ast.ClassDef)]
    if any(_writes_a_state(node) for statement in outside for node in ast.walk(statement)):
        wrong.append(source.module)
    return wrong


def _writes_a_state(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr == "state" and isinstance(node.ctx, ast.Store | ast.Del)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "setattr":
        return any(isinstance(each, ast.Constant) and each.value == "state" for each in node.args)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        writes = node.func.attr in {"update", "bulk_update", "update_or_create"}
        return writes and any(keyword.arg in {"state", None} for keyword in node.keywords)
    return False


def test_no_trigger_is_ever_switched_off() -> None:
    assert [each for source in sources() for each in switched_off_triggers(source)] == []


def test_no_exception_is_caught_without_saying_which() -> None:
    assert [each for source in sources() for each in caught_blindly(source)] == []


def test_every_refusal_has_a_class_of_its_own() -> None:
    assert [each for source in sources() for each in raised_without_a_reason(source)] == []


def test_one_function_writes_the_state_of_a_case() -> None:
    # The first looks at a copy, to see who could act if the case were elsewhere; it saves nothing.
    assert [each for source in sources() for each in writers_of_a_state(source)] == [
        "registry.cases.audiences.next_to_act",
        "registry.cases.workflow.subject.write_state",
        # That of a request for an entry of a register.
        "registry.registers.actions.requests.set_state",
        # That of a sighting.
        "registry.sightings.actions._decide",
    ]


def test_models_have_a_correct_plural() -> None:
    """Models need a `verbose_name_plural` if appending an “s” is wrong."""
    named = {str(each._meta.verbose_name_plural) for each in apps.get_models()}
    assert not [name for name in named if re.search(r"([^aeiou]y|s|x|z|ch|sh)s$|\biana|\bco ", name)]


@pytest.mark.parametrize(
    ("find", "text"),
    [
        (switched_off_triggers, "sql = 'alter table t disable trigger all'"),
        (switched_off_triggers, "sql = 'SET session_replication_role = replica'"),
        (caught_blindly, "try: pass\nexcept: pass"),
        (caught_blindly, "try: pass\nexcept Exception: pass"),
        (caught_blindly, "try: pass\nexcept (OSError, BaseException) as e: pass"),
        (raised_without_a_reason, "raise ValueError"),
        (raised_without_a_reason, "raise ValueError('no')"),
        (raised_without_a_reason, "raise Exception('no')"),
        (writers_of_a_state, "def f(case): case.state = 'draft'"),
        (writers_of_a_state, "def f(case): before, case.state = case.state, 'draft'"),
        (writers_of_a_state, "def f(case): setattr(case, 'state', 'draft')"),
        (writers_of_a_state, "def f(cases): cases.filter(pk=1).update(state='draft')"),
        (writers_of_a_state, "def f(cases, fields): cases.update(**fields)"),
        (writers_of_a_state, "class A:\n    def f(self): self.case.state = 'draft'"),
        (writers_of_a_state, "case.state = 'draft'"),
    ],
)
def test_this_test_sees_what_it_forbids(find: object, text: str) -> None:
    assert callable(find)
    assert len(find(source_of(text))) == 1


# The function, the page, the mail and the test of a transition have its name.


@pytest.mark.parametrize("transition", TRANSITIONS, ids=lambda transition: transition.name)
def test_names_of_function_mail_url_and_test_match(transition: Transition) -> None:
    assert transition.function.__name__ == transition.name
    assert transition.function.__module__.startswith("registry.cases.workflow.functions.")
    assert (EMAILS / f"{transition.name}.txt").is_file()
    address = reverse("cases:transition", args=(1, transition.slug))
    assert address == f"/cases/1/{transition.name.replace('_', '-')}/"
    tests = settings.BASE_DIR / "tests" / "cases" / "transitions"
    assert (tests / f"test_{transition.name}.py").is_file()


def test_every_action_takes_its_parameters() -> None:
    """The function of an action has the arguments that its form and its endpoint send, and needs no others."""
    for action in (*ALL_ACTIONS, COMMENT):
        context, *others = signature(action.function).parameters.values()
        assert context.name == "context"
        assert all(each.kind == Parameter.KEYWORD_ONLY for each in others), action.name
        assert {each.name for each in others} == {each.argument for each in action.parameters}


def test_actions_by_slug_contains_each_action_once() -> None:
    assert set(ACTION_BY_SLUG.values()) == {*TRANSITIONS, *ACTIONS}
    assert len(ACTION_BY_SLUG) == len(TRANSITIONS) + len(ACTIONS)


def test_no_other_address_hides_the_page_of_an_action() -> None:
    from django.urls import resolve

    for transition in (*TRANSITIONS, *ACTIONS):
        assert resolve(reverse("cases:transition", args=(1, transition.slug))).url_name == "transition"


def test_every_declared_event_type_is_listed() -> None:
    """The history and the public events read the list, so no declaration may be missing."""
    modules = (transitions, reviews, reviews, actions)
    values: list[object] = [value for module in modules for value in vars(module).values()]
    listed = {each for each in values if isinstance(each, CaseEvent | Action)}
    assert listed == set(EVENT_TYPE_BY_NAME.values())
