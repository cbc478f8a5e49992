"""The documentation agrees with the code: names, commands, settings, links and URLs in it exist."""

import ast
import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from pkgutil import resolve_name

import pytest
from django.conf import settings
from django.core.management import get_commands, load_command_class
from django.urls import Resolver404, resolve
from urnregistry.cli import ENVIRONMENT

import run
from registry.devserver import documentation
from registry.environment import ALLOCATORS, SETTINGS
from tests.contracts.source_code import Source, sources

ROOT = Path(settings.BASE_DIR)
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
FOLDERS = ("registry", "urnsyntax", "templates", "tests", "fixtures", "benchmarks", "docs", "clients")
NPM = ("tests/node", "clients/typescript")
RECIPES = {
    "Add an optional template section": 3,
    "Add a state and a transition": 7,
    "Add an operation to the API": 4,
    "Change who is mailed on approval": 2,
    "Add a NID rule": 1,
    "Add a member to the namespace response": 4,
}
# The sections of RFC 8141 with statements that can be kept, checked or told, and what else docs/rfc8141.md has rows of.
WITH_STATEMENTS = {
    *("1", "1.1", "1.2.1", "1.2.2", "2", "2.1", "2.2", "2.3", "2.3.1", "2.3.2", "2.3.3", "3.1", "3.2"),
    *("4.1", "4.2", "4.3", "4.4", "4.5", "5", "5.1", "5.2", "6.1", "6.2", "6.3"),
    *("6.4.1", "6.4.2", "6.4.3", "6.4.4", "6.4.5", "6.4.6", "6.4.7", "7.1", "7.2", "7.3", "8"),
    *("A", "B.1", "B.2", "C"),
    *("2141, 2.2", "2141, 2.3.1", "2141, 2.4", "2141, 5", "2141, 7", "3406, A"),
}
# Of files, which are no modules.
SUFFIXES = {"html", "json", "md", "py", "sql", "toml"}
# An argument of the Containerfile, and a variable of compose.yaml.
OF_CONTAINERS = {"COMPOSE_PROFILES", "EXTRA_REQUIREMENTS", "POSTGRES_PASSWORD"}
OF_CLIENTS = {name for name in ENVIRONMENT.split() if name.startswith("URNREGISTRY_")}
# A sample for each placeholder in a URL.
SAMPLES = {"<nid>": "isbn", "<urn>": "urn:isbn:0451450523", "<pk>": "1", "<number>": "1"}


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def code_in(page: Path) -> Iterator[str]:
    """The code spans and the lines of the code blocks of a page, without diagrams."""
    text = re.sub(r"```mermaid\n.*?```", "", text_of(page), flags=re.DOTALL)
    for language, block in re.findall(r"```([a-z]*)\n(.*?)```", text, flags=re.DOTALL):
        if language in {"", "sh", "sql"}:
            yield from block.replace("\\\n", " ").splitlines()
    for span in re.findall(r"`([^`]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
        yield " ".join(span.split())


@pytest.mark.parametrize("path", documentation.documents(), ids=name_of)
def test_generated_documents_are_current(path: Path) -> None:
    assert text_of(path) == documentation.documents()[path], "Run: python3 run.py docs"


def test_the_readme_is_short() -> None:
    assert len(text_of(ROOT / "README.md").splitlines()) <= 80


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_to_files_and_headings(page: Path) -> None:
    wrong = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text_of(page)):
        if target.startswith("https://"):
            continue
        name, _, heading = target.partition("#")
        file = page.parent / name if name else page
        if not file.exists() or (heading and heading not in headings_of(file)):
            wrong.append(target)
    assert wrong == []


def headings_of(page: Path) -> set[str]:
    """The anchors of a page, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", text_of(page), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_named_files_exist(page: Path) -> None:
    named = {
        word.partition("::")[0]
        for code in code_in(page)
        for word in code.split()
        if word.startswith(tuple(f"{folder}/" for folder in FOLDERS)) or word in {"pyproject.toml", "run.py"}
    }
    assert {path for path in named if not any(ROOT.glob(re.sub("<[a-z]+>", "*", path)))} == set()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_named_tests_exist(page: Path) -> None:
    named = {code for code in code_in(page) if re.fullmatch(r"tests/\S+\.py::\S*", code)}
    assert {each for each in named if not is_test(each)} == set()


def is_test(name: str) -> bool:
    file, _, test = name.partition("::")
    return test in functions_of(ROOT / file)


@cache
def functions_of(file: Path) -> set[str]:
    """The tests of a file, as pytest names them: those in a class begin with its name."""
    if not file.exists():
        return set()
    body = ast.parse(text_of(file)).body
    parts = [("", body), *((f"{each.name}::", each.body) for each in body if isinstance(each, ast.ClassDef))]
    found = ((prefix, each) for prefix, inner in parts for each in inner if isinstance(each, ast.FunctionDef))
    return {f"{prefix}{each.name}" for prefix, each in found if each.name.startswith("test_")}


def test_every_claim_on_security_names_the_tests_that_prove_it() -> None:
    """A row of the threat model may lead to the claims that answer it. Each area of the controls has claims."""
    page = text_of(ROOT / "docs" / "security.md")
    parts = re.split(r"^##+ (.+)\n", page, flags=re.MULTILINE)[1:]
    claims = {title: rows_in(text, "proved by") for title, text in zip(parts[::2], parts[1::2], strict=True)}
    assert len(claims["Threat model"]) > 10
    proven = {title for title, rows in claims.items() if rows and title != "Threat model"}
    assert {"Size of requests", *re.findall(r"^### (.+)$", page, flags=re.MULTILINE)} <= proven
    assert len(proven) > 20
    unproven = []
    for title, rows in claims.items():
        for *claim, proof in rows:
            led_to = {name for name, _ in re.findall(r"\[([^\]]+)\]\(#([\w-]+)\)", proof)}
            if title == "Threat model" and led_to and led_to <= proven:
                continue
            if not 1 <= len(re.findall(r"`tests/\S+::\S+`", proof)) <= 3:
                unproven.append(f"{title}: {' | '.join(claim)}")
    assert unproven == []


def test_every_statement_of_rfc_8141_names_the_places_that_keep_it() -> None:
    """Other tests find that the files, tests and addresses exist."""
    rows = rows_in(text_of(ROOT / "docs" / "rfc8141.md"), "kept by")
    assert {section for section, _statement, _places in rows} == WITH_STATEMENTS
    assert len({statement for _section, statement, _places in rows}) == len(rows) > 100
    place = re.compile(r"`(?:tests/\S+|registry/\S+|(?:registry|urnsyntax)\.\S+|/\S+/\S*)`|\]\(\S+\)")
    assert [statement for _section, statement, places in rows if not place.search(places)] == []


def rows_in(text: str, last: str) -> list[list[str]]:
    """The cells of the rows of the tables whose last column is headed `last`."""
    rows = []
    for head, body in re.findall(r"^(\|.+\|)\n\| --- .*\n((?:\|.*\n)*)", text, flags=re.MULTILINE):
        if head.endswith(f"| {last} |"):
            rows += [[cell.strip() for cell in row.strip("|").split(" | ")] for row in body.splitlines()]
    return rows


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_named_modules_and_what_they_define_exist(page: Path) -> None:
    named = {code for code in code_in(page) if re.fullmatch(r"(?:registry|urnsyntax)(?:\.\w+)+", code)}
    assert {name for name in named if not is_defined(name)} == set()


def is_defined(name: str) -> bool:
    try:
        resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_named_environment_variables_are_declared(page: Path) -> None:
    named = {name for code in code_in(page) for name in re.findall(r"\b[A-Z]+(?:_[A-Z]+)+_?(?![\w(])", code)}
    assert named - SETTINGS.keys() - ALLOCATORS.keys() - OF_CONTAINERS - OF_CLIENTS == set()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_named_commands_exist(page: Path) -> None:
    for code in code_in(page):
        for program, rest in re.findall(r"(run\.py|manage\.py)((?: +[^;#&|]+)?)", code):
            words = shlex.split(rest)
            if program == "run.py" and words[:1] == ["manage"]:
                program, words = "manage.py", words[1:]
            if words and words[0] != "COMMAND":
                check_command(program, words)


def check_command(program: str, words: list[str]) -> None:
    name, *arguments = words
    flags = {argument.partition("=")[0] for argument in arguments if argument.startswith("--")}
    if program == "run.py":
        assert name in run.COMMANDS or name == "help", name
        assert {flag for flag in flags if flag not in (run.__doc__ or "")} == set(), name
    else:
        assert name in get_commands() or name == "version", name  # of manage.py itself
        assert not flags or flags - flags_of(name) == set(), name


@cache
def flags_of(command: str) -> set[str]:
    app = get_commands()[command]
    parser = load_command_class(app, command).create_parser("manage.py", command)
    return set(parser._option_string_actions)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_named_urls_exist(page: Path) -> None:
    named = {
        url
        for code in code_in(page)
        for url in re.findall(r"(?:^|localhost:8000|^GET )(/[a-z][^\s'`]*)", code)
        if not url.startswith("/srv/")
    }
    assert {url for url in named if not is_url(url)} == set()


def is_url(url: str) -> bool:
    for placeholder, sample in SAMPLES.items():
        url = url.replace(placeholder, sample)
    try:
        return bool(resolve(url).url_name)
    except Resolver404:
        return False


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_named_functions_and_classes_are_defined(page: Path) -> None:
    defined = definitions()
    functions = {name for code in code_in(page) for name in re.findall(r"^(\w+)\(\)$", code)}
    classes = {code for code in code_in(page) if re.fullmatch(r"(?:[A-Z]+[a-z]+){2,}|[A-Z]\w+APIView", code)}
    assert (functions | classes) - defined == set()


@cache
def definitions() -> set[str]:
    pattern = re.compile(r"^\s*(?:def|class) (\w+)", re.MULTILINE)
    return {name for each in sources() for name in pattern.findall((ROOT / each.path).read_text("utf-8"))}


def test_each_recipe_has_as_few_places_as_promised() -> None:
    parts = re.split(r"^### (.+)\n", text_of(ROOT / "CONTRIBUTING.md"), flags=re.MULTILINE)[1:]
    recipes = dict(zip(parts[::2], parts[1::2], strict=True))
    for title, at_most in RECIPES.items():
        (text,) = (text for heading, text in recipes.items() if heading.startswith(title))
        assert 1 <= len(re.findall("^- ", text, flags=re.MULTILINE)) <= at_most, title


def test_every_dependency_has_a_reason() -> None:
    project = tomllib.loads(text_of(ROOT / "pyproject.toml"))
    required = [*project["project"]["dependencies"], *chain(*project["dependency-groups"].values())]
    # A table includes another group.
    names = {re.split(r"[\[=;<>~ ]", each)[0] for each in required if isinstance(each, str)}
    used, _, _ = text_of(ROOT / "docs" / "dependencies.md").partition("## Rejected")
    of_python, _, of_npm = used.partition("## npm")
    assert packages_in(of_python) - {"package", "uv"} == names
    manifests = [json.loads(text_of(ROOT / folder / "package.json")) for folder in NPM]
    of_manifests = {
        name for each in manifests for name in each["devDependencies"] | each.get("dependencies", {})
    }
    assert packages_in(of_npm) - {"Package"} == of_manifests


def packages_in(tables: str) -> set[str]:
    rows = re.findall(r"^\| ([@A-Za-z][^|]+) \|", tables, re.MULTILINE)
    return {name for row in rows for name in row.split(", ")}


def test_decisions_are_numbered_indexed_and_complete() -> None:
    folder = ROOT / "docs" / "decisions"
    records = sorted(folder.glob("[0-9]*.md"))
    assert [int(record.name[:4]) for record in records] == list(range(1, len(records) + 1))
    index = text_of(folder / "README.md")
    for record in records:
        text = text_of(record)
        title = re.match(rf"# {int(record.name[:4])}\. (.+)\n\nStatus: ", text)
        assert title, record.name
        assert f"[{title[1]}]({record.name})" in index
        assert re.findall("^## (.+)$", text, re.MULTILINE) == ["Context", "Decision", "Consequences"]


def test_the_glossary_is_in_alphabetical_order() -> None:
    terms = re.findall(r"^\| ([^|]+) \|", text_of(ROOT / "docs" / "glossary.md"), re.MULTILINE)[2:]
    assert terms == sorted(terms, key=str.lower)


def defined_in(source: Source) -> set[str]:
    """All names that a file defines, on every level."""
    definitions = source.nodes(ast.FunctionDef, ast.ClassDef)
    stored = source.nodes(ast.Name, ast.Attribute)
    return {node.name for node in definitions if isinstance(node, (ast.FunctionDef, ast.ClassDef))} | {
        node.id if isinstance(node, ast.Name) else node.attr
        for node in stored
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store)
    }


def test_names_of_modules_in_docstrings_and_comments_exist() -> None:
    """They are dotted, such as `cases.audiences`, and in backticks."""
    modules = {source.module: source for source in sources("registry")}
    packages = {module.split(".")[1] for module in modules if module.count(".") > 1}
    missing = []
    for source in modules.values():
        for line in (ROOT / source.path).read_text(encoding="utf-8").splitlines():
            for name in re.findall(r"`((?:[a-z_]+\.)+\w+)`", line):
                whole = f"registry.{name.removeprefix('registry.')}"
                home, _, last = whole.rpartition(".")
                if whole.split(".")[1] not in packages or last in SUFFIXES or whole in modules:
                    continue
                if home not in modules or last not in defined_in(modules[home]):
                    missing.append(f"{source.path}: {name}")
    assert missing == []
