"""Imports run one way, and nothing has a name that says nothing."""

import re

import pytest

from tests.contracts.code import Source, imports_of, sources

# Each room, and the rooms that it may import from besides itself. Written by hand: this is the plan of the
# house. What stands in `registry/` itself (settings, errors, words …) is the ground for all.
GROUND = {"record", "accounts", "mail"}
MAY_IMPORT = {
    "appendix_a": set(),
    # Who acted is a person, and what happens to a person's roles is an event: these two know each other.
    "record": {"accounts"},
    # Whoever signs up or forgets a password gets a mail, and it leaves by the outbox as all mail does.
    "accounts": {"record", "mail"},
    "mail": set(),
    "namespaces": {"appendix_a"} | GROUND,
    "registrations": {"namespaces", "appendix_a"} | GROUND,
    # What is published tells of cases opened for review too, and everything goes out in an escrow.
    # Of the figures it needs to know which there are, so that each has its file.
    "publication": {"figures", "registrations", "namespaces", "appendix_a"} | GROUND,
    "resolution": {"namespaces", "appendix_a"} | GROUND,
    "inspector": {"namespaces", "appendix_a", "resolution"} | GROUND,
    # Administrators answer for what was imported, and for what is published.
    "desk": {"publication", "registrations", "namespaces", "appendix_a"} | GROUND,
    "figures": {"registrations", "namespaces", "appendix_a"} | GROUND,
    "api": {"registrations", "namespaces", "publication", "resolution", "appendix_a"} | GROUND,
}
# The front of the house joins the rooms: addresses, settings, the first page, the server.
FRONT = {f"registry.{name}" for name in ("urls", "settings", "home", "wsgi", "serving", "access", "metrics")}
# What every room may stand on.
FLOOR = {"errors", "unsent", "words", "characters", "copying", "collecting", "partials", "paging", "database"}
FLOOR |= {"embedded_postgres"}

BANNED = {
    "utils", "helpers", "services", "common", "core", "managers", "mixins", "signals",
    "data", "info", "item", "obj", "handler", "manager", "process", "util",
}  # fmt: skip


def room_of(module: str) -> str:
    """The second part of "registry.<room>.…"; "" for what is not in the registry."""
    parts = module.split(".")
    return parts[1] if parts[0] == "registry" and len(parts) > 1 else ""


def trespasses(source: Source) -> list[str]:
    """The imports of a file that run the wrong way."""
    home, wrong = room_of(source.module), []
    for line, module in imports_of(source):
        target = room_of(module)
        if source.module in FRONT or target in FLOOR | {home, ""}:
            continue
        if target not in MAY_IMPORT.get(home, set()):
            wrong.append(f"{source.path}:{line} imports {module}")
    return wrong


def test_imports_run_one_way() -> None:
    assert [each for source in sources("registry") for each in trespasses(source)] == []


def test_the_syntax_stands_on_the_standard_library_alone() -> None:
    import sys

    wrong = [
        f"{source.path}:{line} imports {module}"
        for source in sources("urnsyntax")
        for line, module in imports_of(source)
        if module.split(".")[0] not in sys.stdlib_module_names | {"urnsyntax"}
    ]
    assert wrong == []


def test_the_form_asks_no_database() -> None:
    wrong = [
        f"{source.path}:{line} imports {module}"
        for source in sources("registry")
        if source.module.startswith("registry.appendix_a")
        for line, module in imports_of(source)
        if module.startswith("django.db")
    ]
    assert wrong == []


def test_every_room_is_on_the_plan() -> None:
    found = {room_of(source.module) for source in sources("registry") if source.module.count(".") > 1}
    assert found <= set(MAY_IMPORT)


def test_nothing_has_a_name_that_says_nothing() -> None:
    named = {part: source.path for source in sources() for part in source.module.split(".")}
    assert {path for part, path in named.items() if part in BANNED} == set()


@pytest.mark.parametrize("template_or_test", ["templates", "tests"])
def test_no_folder_has_one_either(template_or_test: str) -> None:
    from tests.contracts.code import ROOT

    folders = [path for path in (ROOT / template_or_test).rglob("*") if path.is_dir()]
    assert folders
    assert [str(path) for path in folders if path.name in BANNED] == []


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("registry.namespaces.models", "from registry.registrations import actions"),
        ("registry.namespaces.models", "import registry.registrations.actions"),
        ("registry.namespaces.models", "from ..registrations import actions"),
        ("registry.namespaces.models", "def later():\n    from registry.api import nids"),
        ("registry.mail.outbox", "from registry import namespaces"),
        ("registry.registrations.actions", "from registry.publication import importing"),
        ("registry.appendix_a.checks", "from registry.accounts.models import User"),
        ("registry.new_room.views", "from registry.namespaces import models"),
    ],
)
def test_this_test_sees_an_import_that_runs_the_wrong_way(module: str, line: str) -> None:
    import ast

    source = Source(module, module.replace(".", "/") + ".py", ast.parse(line))
    assert len(trespasses(source)) == 1


def test_the_names_are_single_words_or_joined_by_underscores() -> None:
    parts = {part for source in sources() for part in source.module.split(".")}
    assert {part for part in parts if not re.fullmatch("[a-z0-9_]+", part)} == set()
