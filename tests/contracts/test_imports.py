"""Imports run in one direction, and module names are meaningful."""

import re
from graphlib import TopologicalSorter

import pytest

from tests.contracts.source_code import Source, imports_of, sources

# Each package, and the other packages that it may import. Written by hand: this is the architecture.
BASE = {"audit_log", "accounts", "mail", "actions"}
MAY_IMPORT = {
    "core": set(),
    # Demonstration data, generated documentation and the examples of the API come from the whole registry.
    "devserver": {
        "api",
        "publication",
        "resolution",
        "cases",
        "custody",
        "sightings",
        "registers",
        "subnamespaces",
        "namespaces",
        "organisations",
        "registration_template",
        "webhooks",
    }
    | BASE,
    "observability": set(),
    "registration_template": set(),
    # Signed heads leave by mail.
    "audit_log": {"mail"},
    # Mails about accounts leave from the outbox like all others.
    "accounts": {"audit_log", "mail"},
    "mail": {"observability"},
    # The kernel of actions: an actor, an event, a limit.
    "actions": {"audit_log", "accounts"},
    # Namespaces and cases belong to organisations.
    "organisations": BASE,
    "domains": {"organisations"} | BASE,
    "namespaces": {"organisations", "registration_template"} | BASE,
    "subnamespaces": {"namespaces"} | BASE,
    # Entries of registers are sub-namespaces. Closing an account locks its namespaces in one order with custody.
    "registers": {"custody", "subnamespaces", "namespaces", "organisations"} | BASE,
    "resolution": {"observability", "subnamespaces", "namespaces", "registration_template"} | BASE,
    "custody": {"domains", "namespaces", "organisations", "registration_template"} | BASE,
    # The check of a NID names sightings.
    "sightings": {"namespaces", "registration_template"} | BASE,
    "cases": {"custody", "sightings", "namespaces", "organisations", "registration_template"} | BASE,
    # Feeds list cases opened for review, and an escrow contains everything. The statistics are published as files,
    # so their list is imported. The packages for use without a network have confirmed hosts and sightings.
    "publication": {
        "resolution",
        "sightings",
        "statistics",
        "cases",
        "registers",
        "subnamespaces",
        "namespaces",
        "registration_template",
    }
    | BASE,
    "urns": {"resolution", "sightings", "subnamespaces", "namespaces", "registration_template"} | BASE,
    "search": {"cases", "subnamespaces", "namespaces"},
    # Administrators manage imports and published files, and what they read in the tables is logged.
    "review_desk": {
        "observability",
        "resolution",
        "publication",
        "cases",
        "custody",
        "domains",
        "sightings",
        "registers",
        "subnamespaces",
        "namespaces",
        "organisations",
        "registration_template",
    }
    | BASE,
    "statistics": {"cases", "subnamespaces", "namespaces", "registration_template"} | BASE,
    # A webhook sends what the API lists.
    "events": {"cases", "namespaces"} | BASE,
    "webhooks": {"events", "observability"} | BASE,
    "api": {
        "events",
        "resolution",
        "cases",
        "custody",
        "domains",
        "sightings",
        "registers",
        "subnamespaces",
        "namespaces",
        "organisations",
        "publication",
        "registration_template",
        "statistics",
        "webhooks",
    }
    | BASE,
}
# These modules join the packages: URLs, settings, the WSGI application, the home page.
ENTRY_POINTS = {"registry.urls", "registry.settings", "registry.wsgi", "registry.views"}
# Every package may import these.
SHARED = {"core", "environment"}

BANNED = {"utils", "util", "helpers", "common", "misc"}


def package_of(module: str) -> str:
    """Return the second part of "registry.<package>.…", "" for modules outside the registry."""
    parts = module.split(".")
    return parts[1] if parts[0] == "registry" and len(parts) > 1 else ""


def forbidden_imports(source: Source) -> list[str]:
    """Return the imports of a file that run in the wrong direction."""
    home, wrong = package_of(source.module), []
    for line, module in imports_of(source):
        target = package_of(module)
        if source.module in ENTRY_POINTS or target in SHARED | {home, ""}:
            continue
        if target not in MAY_IMPORT.get(home, set()):
            wrong.append(f"{source.path}:{line} imports {module}")
    return wrong


def test_imports_run_one_way() -> None:
    assert [each for source in sources("registry") for each in forbidden_imports(source)] == []


def test_no_packages_import_each_other() -> None:
    """Imports inside functions and for types count, too."""
    assert set(TopologicalSorter(MAY_IMPORT).static_order()) == set(MAY_IMPORT)


def test_no_modules_import_each_other() -> None:
    modules = {source.module: source for source in sources("registry")}
    imported: dict[str, set[str]] = {}
    for name, source in modules.items():
        found = {each if each in modules else each.rpartition(".")[0] for _, each in imports_of(source)}
        imported[name] = found & modules.keys() - {name}
    assert len(list(TopologicalSorter(imported).static_order())) == len(modules)


# `urnsyntax.profiles` is an optional part; all other modules work without these packages.
PACKAGES_OF_PROFILES = {"re2", "stdnum"}


def test_urnsyntax_imports_only_the_standard_library() -> None:
    import sys

    wrong = [
        f"{source.path}:{line} imports {module}"
        for source in sources("urnsyntax")
        for line, module in imports_of(source)
        if module.split(".")[0]
        not in sys.stdlib_module_names
        | {"urnsyntax"}
        | (PACKAGES_OF_PROFILES if source.module.startswith("urnsyntax.profiles") else set())
    ]
    assert wrong == []


def test_the_registration_template_uses_no_database() -> None:
    wrong = [
        f"{source.path}:{line} imports {module}"
        for source in sources("registry")
        if source.module.startswith("registry.registration_template")
        for line, module in imports_of(source)
        if module.startswith("django.db")
    ]
    assert wrong == []


def test_every_package_is_listed() -> None:
    found = {package_of(source.module) for source in sources("registry") if source.module.count(".") > 1}
    assert found == set(MAY_IMPORT)


def test_module_names_are_meaningful() -> None:
    named = {part: source.path for source in sources() for part in source.module.split(".")}
    assert {path for part, path in named.items() if part in BANNED} == set()


@pytest.mark.parametrize("template_or_test", ["templates", "tests"])
def test_no_folder_has_one_either(template_or_test: str) -> None:
    from tests.contracts.source_code import ROOT

    folders = [path for path in (ROOT / template_or_test).rglob("*") if path.is_dir()]
    assert folders
    assert [str(path) for path in folders if path.name in BANNED] == []


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("registry.namespaces.models", "from registry.cases import actions"),
        ("registry.namespaces.models", "import registry.cases.workflow.functions"),
        ("registry.namespaces.models", "from ..cases import actions"),
        ("registry.namespaces.models", "def later():\n    from registry.api import nids"),
        ("registry.mail.outbox", "from registry import namespaces"),
        ("registry.cases.workflow.functions", "from registry.publication import importing"),
        ("registry.registration_template.checks.runner", "from registry.accounts.models import User"),
        ("registry.new_package.views", "from registry.namespaces import models"),
    ],
)
def test_this_test_sees_an_import_that_runs_the_wrong_way(module: str, line: str) -> None:
    import ast

    source = Source(module, module.replace(".", "/") + ".py", ast.parse(line))
    assert len(forbidden_imports(source)) == 1


def test_the_names_are_single_words_or_joined_by_underscores() -> None:
    parts = {part for source in sources() for part in source.module.split(".")}
    assert {part for part in parts if not re.fullmatch("[a-z0-9_]+", part)} == set()
